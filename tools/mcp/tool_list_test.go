package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

// countedLists counts the requests for the list of tools.
func countedLists(s *sdk.Server, count *atomic.Int64) {
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "tools/list" {
				count.Add(1)
			}
			return next(ctx, method, r)
		}
	})
}

// TestListChanges changes the tools of a server that runs.
func TestListChanges(t *testing.T) {
	tests := []struct {
		name    string
		changes int           // how many tools are added, one after the other
		pause   time.Duration // between two of them
		wait    time.Duration // until the host looks
		lists   int64         // requests after the first
		tools   int
	}{
		{name: "one change", changes: 1, wait: time.Second, lists: 1, tools: 2},
		{name: "too early to see it", changes: 1, wait: 90 * time.Millisecond, lists: 0, tools: 1},
		{name: "changes in a row are one", changes: 20, pause: 50 * time.Millisecond, wait: time.Second, lists: 1, tools: 21},
		{name: "changes without end are read all the same", changes: 3000, pause: time.Millisecond, wait: 2 * time.Second, lists: 3, tools: 3001},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lists atomic.Int64
				own := echoServer()
				setup := own.setup
				own.setup = func(s *sdk.Server) { setup(s); countedLists(s, &lists) }
				w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
				defer w.close()
				require.NoError(t, w.servers.Ready(t.Context()))
				w.servers.Sync(t.Context())
				lists.Store(0)
				for i := range tt.changes {
					if i > 0 {
						time.Sleep(tt.pause)
					}
					addTool(own.server, "tool"+string(rune('a'+i%26))+time.Duration(i).String(), func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
				}
				time.Sleep(tt.wait)
				require.Len(t, w.names(), 1, "nothing changes before Sync")
				w.servers.Sync(t.Context())
				require.Len(t, w.names(), tt.tools)
				require.LessOrEqual(t, lists.Load(), tt.lists+1)
				require.GreaterOrEqual(t, lists.Load(), tt.lists)
			})
		})
	}
}

// TestWarningsAreLoggedOnce: a list that is read again, and is the same, is not news.
func TestWarningsAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &ownServer{setup: func(s *sdk.Server) {
			s.AddTool(&sdk.Tool{Name: "odd", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/none"}}}`)},
				func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
		}}
		var log bytes.Buffer
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, map[string]*ownServer{"own": own}, stdioServer("own"))
		require.NoError(t, w.servers.Ready(t.Context()))
		addTool(own.server, "more", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
		own.server.RemoveTools("more") // the list has changed twice, and is what it was
		time.Sleep(2 * time.Second)
		w.close()
		require.Equal(t, 1, strings.Count(log.String(), "outputSchema is ignored"), log.String())
	})
}

// TestListIsReadOncePerLifetime: a list that expires is read again by the next Sync, and then
// not before it has expired once more.
func TestListIsReadOncePerLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists atomic.Int64
		own := echoServer()
		setup := own.setup
		own.setup = func(s *sdk.Server) { setup(s); countedLists(s, &lists) }
		own.opts = &sdk.ServerOptions{SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs = 60_000 }}
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		require.EqualValues(t, 1, lists.Load())
		for range 30 { // turns, within ten minutes
			w.servers.Sync(t.Context())
			time.Sleep(20 * time.Second)
		}
		require.LessOrEqual(t, lists.Load(), int64(1+2*10), "a changed list is looked at twice")
	})
}

// TestConnectingAnewChangesNothing: the tools of a server that comes back with the same list
// are no news.
func TestConnectingAnewChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := echoServer()
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		require.True(t, w.servers.States()[0].Changed)
		w.servers.Sync(t.Context())
		require.NoError(t, w.servers.Reconnect(t.Context(), "own"))
		require.False(t, w.servers.States()[0].Changed)
		require.Equal(t, "hello", w.run("mcp__own__echo", `{}`).Result.Text())
	})
}

// TestNoticeBeforeTheChange has a server announce a change that it makes later.
func TestNoticeBeforeTheChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hidden atomic.Bool
		hidden.Store(true)
		own := &ownServer{setup: func(s *sdk.Server) {
			addTool(s, "late", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
			s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
				return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
					if method == "tools/list" && hidden.Load() {
						return &sdk.ListToolsResult{Tools: []*sdk.Tool{}}, nil
					}
					return next(ctx, method, r)
				}
			})
		}}
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		w.servers.Sync(t.Context())
		require.Empty(t, w.names())
		addTool(own.server, "late", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
		time.Sleep(300 * time.Millisecond)
		hidden.Store(false)
		time.Sleep(400 * time.Millisecond)
		w.servers.Sync(t.Context())
		require.Equal(t, []string{"mcp__own__late"}, w.names())
	})
}

// TestListThatFailsKeepsTheOneBefore has a server refuse to list its tools again.
func TestListThatFailsKeepsTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		own := echoServer()
		setup := own.setup
		own.setup = func(s *sdk.Server) {
			setup(s)
			s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
				return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
					if method == "tools/list" && broken.Load() {
						return nil, errRefused
					}
					return next(ctx, method, r)
				}
			})
		}
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		w.servers.Sync(t.Context())
		broken.Store(true)
		addTool(own.server, "second", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
		time.Sleep(time.Second)
		state := w.servers.Sync(t.Context())[0]
		require.Equal(t, []string{"mcp__own__echo"}, w.names())
		require.Error(t, state.ListingErr)
		require.Equal(t, "hello", w.run("mcp__own__echo", `{}`).Result.Text())
		broken.Store(false)
		addTool(own.server, "third", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer(""), nil })
		time.Sleep(time.Second)
		state = w.servers.Sync(t.Context())[0]
		require.NoError(t, state.ListingErr)
		require.Len(t, w.names(), 3)
	})
}

// TestExactNumbers has a number that a float cannot hold pass through a call and a schema.
func TestExactNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &ownServer{setup: func(s *sdk.Server) {
			s.AddTool(&sdk.Tool{Name: "big", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"const":9007199254740993}}}`)},
				func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: r.Params.Arguments}, nil
				})
		}}
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		w.servers.Sync(t.Context())
		out := w.run("mcp__own__big", `{"n":9007199254740993}`)
		require.NoError(t, out.Err)
		require.JSONEq(t, `{"n":9007199254740993}`, out.Result.Text())
		require.Contains(t, out.Result.Text(), "9007199254740993")
		require.Error(t, w.run("mcp__own__big", `{"n":9007199254740992}`).Err, "the schema's number is exact, too")
	})
}
