package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/authserver"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// auth calls McpAuth for a server, or for the list if the name is empty.
func (b *bridge) auth(server string) pegboard.Outcome {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), soon)
	defer cancel()
	input, err := json.Marshal(mcp.AuthInput{Server: server})
	require.NoError(b.t, err)
	pool := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
	return b.executor.Run(ctx, pool, pegboard.Call{ID: "auth", Name: "McpAuth", Input: input})[0]
}

// browsing is a user who allows every call and opens every address.
func browsing(folder string) func(*setup) {
	return func(s *setup) {
		s.options.Tokens = mcp.FileTokens(folder)
		s.session.Ask = func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}
		s.session.Elicit = func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
			return pegboard.ElicitResult{Action: pegboard.ElicitAccept}, authserver.Open(ctx, f.URL)
		}
	}
}

// newAuthBridge is newBridge with the built-in tools in the registry.
func newAuthBridge(t *testing.T, change func(*setup), servers ...mcpjson.Server) *bridge {
	t.Helper()
	b := newBridge(t, change, servers...)
	require.NoError(t, b.registry.Add(b.servers.Tools()...))
	return b
}

// TestMcpAuth has a user log in, and lives through a restart, through tokens that the server
// forgets, and through a call for which the user must log in again.
func TestMcpAuth(t *testing.T) {
	t.Parallel()
	for kind, path := range map[mcpjson.Type]string{mcpjson.HTTP: "/mcp", mcpjson.SSE: "/sse"} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			notes, folder := authserver.New(t), filepath.Join(t.TempDir(), "tokens")
			config := mcpjson.Server{Name: "notes", Type: kind, URL: notes.URL + path + "?key=s3cret"}
			b := newAuthBridge(t, browsing(folder), config)
			b.until("notes", func(s mcp.State) bool { return s.Status == mcp.NeedsAuthorization })
			require.ErrorContains(t, b.servers.Ready(t.Context()), "call McpAuth")

			listed := b.auth("")
			require.NoError(t, listed.Err)
			require.Contains(t, listed.Result.Text(), "notes ("+notes.URL+path+")")
			require.NotContains(t, listed.Result.Text(), "s3cret")
			out := b.auth("notes")
			require.NoError(t, out.Err)
			require.Contains(t, out.Result.Text(), "has logged in")
			out = b.ready().call("notes", "read", map[string]any{})
			require.NoError(t, out.Err)
			require.Equal(t, "a note", out.Result.Text())
			require.Contains(t, b.auth("").Result.Text(), "No MCP server needs")
			b.close()
			notes.Requests()

			b = newAuthBridge(t, browsing(folder), config)
			require.NoError(t, b.ready().call("notes", "read", map[string]any{}).Err)
			require.Empty(t, notes.Requests(), "the token outlives the process")
			notes.Forget()
			require.NoError(t, b.call("notes", "read", map[string]any{}).Err)
			require.Equal(t, []string{"refresh_token"}, notes.Requests(), "in mid-call, without the user")
			if kind == mcpjson.SSE {
				return
			}

			notes.ForgetAll()
			out = b.call("notes", "read", map[string]any{})
			var refused *mcp.ServerError
			require.ErrorAs(t, out.Err, &refused)
			require.Equal(t, mcp.NeedsAuthorization, refused.Status)
			require.Contains(t, out.Result.Text(), "call McpAuth with this server")
			require.Eventually(t, func() bool { return b.now("notes").Status == mcp.NeedsAuthorization }, soon, poll)
			require.NoError(t, b.auth("notes").Err)
			require.NoError(t, b.ready().call("notes", "read", map[string]any{}).Err)
		})
	}
}

// TestMcpAuthOfHealthyServers leads nobody through a login that no server wants.
func TestMcpAuthOfHealthyServers(t *testing.T) {
	t.Parallel()
	web, notes := newHTTPServer(t), authserver.New(t)
	b := newAuthBridge(t, browsing(t.TempDir()), web.config("web"), own(t, "process", "usual"), mcpjson.Server{Name: "notes", Type: mcpjson.HTTP, URL: notes.URL + "/mcp"})
	b.until("notes", func(s mcp.State) bool { return s.Status == mcp.NeedsAuthorization })
	require.NoError(t, b.auth("notes").Err)
	b.ready()
	notes.Requests()
	for _, name := range []string{"web", "process", "notes"} {
		out := b.auth(name)
		require.NoError(t, out.Err, name)
		require.Equal(t, mcp.AuthOutput{Connected: name}, out.Result.Data)
		require.Equal(t, "The MCP server \""+name+"\" is connected, and needs no login now.", out.Result.Text())
	}
	require.Empty(t, notes.Requests())
}

// TestMcpAuthNeedsTheUser expects no address to be shown unless the user has allowed the call,
// whatever the mode and the rules say.
func TestMcpAuthNeedsTheUser(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(t testing.TB, s *setup)
		server string
		text   string // a part of the result
		shown  bool
	}{
		{name: "nobody to ask", change: func(_ testing.TB, s *setup) { s.session.Ask = nil }, server: "notes"},
		{name: "the user refuses the call", change: func(_ testing.TB, s *setup) {
			s.session.Ask = func(context.Context, *pegboard.Question) (policy.Decision, error) {
				return policy.Decision{Behavior: policy.Deny, Reason: "not now"}, nil
			}
		}, server: "notes", text: "not now"},
		{name: "an allow rule is not enough", change: func(t testing.TB, s *setup) {
			var err error
			s.session.Permissions, err = policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"McpAuth"}})
			require.NoError(t, err)
			s.session.Ask = nil
		}, server: "notes"},
		{name: "no place to show an address", change: func(_ testing.TB, s *setup) { s.session.Elicit = nil }, server: "notes", text: "cannot be shown an address"},
		{name: "the user refuses the address", change: func(_ testing.TB, s *setup) {
			s.session.Elicit = func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
				return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
			}
		}, server: "notes", text: "did not log in"},
		{name: "the host fails", change: func(_ testing.TB, s *setup) {
			s.options.Authorize = func(context.Context, string, string) (string, error) { return "", errors.New("no display") }
		}, server: "notes", text: "no display"},
		{name: "the host panics", change: func(_ testing.TB, s *setup) {
			s.options.Authorize = func(context.Context, string, string) (string, error) { panic("host") }
		}, server: "notes", text: "host"},
		{name: "another server", server: "files", text: "the servers are: notes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			notes := authserver.New(t)
			b := newAuthBridge(t, func(s *setup) {
				browsing(t.TempDir())(s)
				if tt.change != nil {
					tt.change(t, s)
				}
			}, mcpjson.Server{Name: "notes", Type: mcpjson.HTTP, URL: notes.URL + "/mcp"})
			b.until("notes", func(s mcp.State) bool { return s.Status == mcp.NeedsAuthorization })
			out := b.auth(tt.server)
			require.Error(t, out.Err)
			require.Contains(t, out.Result.Text(), tt.text)
			require.NotContains(t, notes.Requests(), "authorization_code")
			time.Sleep(poll) // a state that changed would be told
			require.Equal(t, mcp.NeedsAuthorization, b.now("notes").Status)
		})
	}
}
