package login_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/login"
)

// FuzzStoredGrants reads what a damaged store may hold: a token, or nothing.
func FuzzStoredGrants(f *testing.F) {
	const address = "https://example.com/mcp"
	f.Add([]byte(`{"address":"` + address + `","grants":[{"issuer":"i","tokenUrl":"https://example.com/token","clientId":"c","accessToken":"a"}]}`))
	f.Add([]byte(`{"address":"` + address + `","grants":[{"expiry":"2026-01-01T00:00:00Z"},{}]}`))
	f.Add([]byte(`{"address":"https://other/","grants":[{"accessToken":"a"}]}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := login.New(login.Config{
			Name: "notes", URL: address, Store: &memory{data: map[string][]byte{address: data}}, Logger: slog.New(slog.DiscardHandler), Required: errLogIn,
		})
		source, err := l.TokenSource(t.Context())
		require.NoError(t, err)
		if source == nil {
			return
		}
		var stored struct{ Address string }
		require.NoError(t, json.Unmarshal(data, &stored))
		require.Equal(t, address, stored.Address)
	})
}
