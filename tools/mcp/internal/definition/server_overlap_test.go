package definition_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
)

// TestOverlap makes the calls of one message, each of which takes a second.
func TestOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		calls []string
		want  time.Duration
	}{
		{name: "writes of one server", calls: []string{"mcp__a__put", "mcp__a__put", "mcp__a__set"}, want: 3 * time.Second},
		{name: "writes of two servers", calls: []string{"mcp__a__put", "mcp__b__put", "mcp__a__put", "mcp__b__put"}, want: 2 * time.Second},
		{name: "reads of one server", calls: []string{"mcp__a__get", "mcp__a__get", "mcp__a__get"}, want: 1 * time.Second},
		{name: "a write between reads", calls: []string{"mcp__a__get", "mcp__a__put", "mcp__a__get"}, want: 3 * time.Second},
		{name: "a write beside reads of another", calls: []string{"mcp__a__get", "mcp__b__put", "mcp__a__get"}, want: 1 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				allowed, err := pegboard.NewPermissions(pegboard.ModeBypass)
				require.NoError(t, err)
				session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: allowed})
				require.NoError(t, err)
				defer func() { require.NoError(t, session.Close(context.Background())) }()
				pool := twoServers(t).AssemblePool(session, pegboard.PoolConfig{})
				var calls []pegboard.Call
				for i, name := range tt.calls {
					calls = append(calls, pegboard.Call{ID: fmt.Sprint(i), Name: name, Input: json.RawMessage(`{}`)})
				}
				begun := time.Now()
				var executor pegboard.Executor
				for _, out := range executor.Run(t.Context(), pool, calls...) {
					require.NoError(t, out.Err)
				}
				require.Equal(t, tt.want, time.Since(begun))
			})
		})
	}
}

// twoServers attaches two servers with a tool that reads and two that do not say so.
func twoServers(t *testing.T) *pegboard.Registry {
	t.Helper()
	second := func(context.Context, *pegboard.Call, string, json.RawMessage) (*pegboard.Result, error) {
		time.Sleep(time.Second)
		return pegboard.TextResult("done"), nil
	}
	var registry pegboard.Registry
	for _, server := range []string{"a", "b"} {
		var tools []pegboard.Tool
		for _, raw := range []string{
			`{"name":"get","annotations":{"readOnlyHint":true},` + anyObject + `}`, `{"name":"put",` + anyObject + `}`, `{"name":"set","annotations":{"readOnlyHint":false},` + anyObject + `}`,
		} {
			tools = append(tools, definition.Read(definition.Server{Name: server}, json.RawMessage(raw), second).Tool)
		}
		_, err := registry.Attach(server, tools...)
		require.NoError(t, err)
	}
	return &registry
}
