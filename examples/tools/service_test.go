package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestExchangeRate(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(rates))
	t.Cleanup(service.Close)
	base, err := url.Parse(service.URL)
	require.NoError(t, err)
	tool := exchangeRate(base, service.Client())
	require.NoError(t, tooltest.Check(tool, `{"from":"EUR","to":"CHF"}`))

	out := tooltest.Run(t.Context(), tool, nil, `{"from":"EUR","to":"CHF"}`)
	require.NoError(t, out.Err)
	require.Equal(t, rate{Rate: 0.94, Date: "2026-11-20"}, out.Result.Data)

	out = tooltest.Run(t.Context(), tool, nil, `{"from":"EUR","to":"USD"}`)
	require.ErrorContains(t, out.Err, "check the two codes")
	out = tooltest.Run(t.Context(), tool, nil, `{"from":"euro","to":"USD"}`)
	require.ErrorContains(t, out.Err, "from: ")

	overloaded := 2
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if overloaded--; overloaded >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		rates(w, r)
	}))
	t.Cleanup(busy.Close)
	base, err = url.Parse(busy.URL)
	require.NoError(t, err)
	out = tooltest.Run(t.Context(), exchangeRate(base, busy.Client()), nil, `{"from":"EUR","to":"CHF"}`)
	require.NoError(t, out.Err)
	require.Equal(t, 3, out.Attempts)

	service.Close()
	out = tooltest.Run(t.Context(), tool, nil, `{"from":"EUR","to":"CHF"}`)
	require.ErrorContains(t, out.Err, "try once more later")
}
