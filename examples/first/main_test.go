package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestFirstToolsKeepTheContract(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.NotFoundHandler())
	defer service.Close()
	require.NoError(t, tooltest.Check(sum, `{"a": 1, "b": 2}`))
	require.NoError(t, tooltest.Check(countLines, `{"file": "main.go"}`))
	require.NoError(t, tooltest.Check(pageStatus, `{"url": "`+service.URL+`"}`))
	require.NoError(t, tooltest.Check(buildIndex, `{}`))
}
