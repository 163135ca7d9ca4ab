package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

var errRefused = errors.New("connection refused")

// echoServer has the tool echo.
func echoServer() *ownServer {
	return &ownServer{setup: func(s *sdk.Server) {
		addTool(s, "echo", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer("hello"), nil })
	}}
}

// TestConnecting connects to servers that fail at first, or for good.
func TestConnecting(t *testing.T) {
	tests := []struct {
		name     string
		fail     func(tries int) error
		tries    int
		statuses []mcp.Status
		min, max time.Duration // until the server is not pending
	}{
		{name: "at once", tries: 1, statuses: []mcp.Status{mcp.Ready}},
		{
			name: "at the third attempt", tries: 3, statuses: []mcp.Status{mcp.Pending, mcp.Ready},
			fail: func(tries int) error {
				if tries < 3 {
					return errRefused
				}
				return nil
			},
			min: 1500 * time.Millisecond, max: 4500 * time.Millisecond,
		},
		{
			name: "never", tries: 5, statuses: []mcp.Status{mcp.Pending, mcp.Failed},
			fail: func(int) error { return errRefused },
			min:  7500 * time.Millisecond, max: 22500 * time.Millisecond,
		},
		{
			name: "an attempt would always fail", tries: 1, statuses: []mcp.Status{mcp.Failed},
			fail: func(int) error { return mcp.Lasting(errRefused) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				own := echoServer()
				own.fail = tt.fail
				w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
				defer w.close()
				began := time.Now()
				err := w.servers.Ready(t.Context())
				elapsed := time.Since(began)
				synctest.Wait() // the host is told beside
				require.Equal(t, tt.tries, own.attempts())
				require.Equal(t, tt.statuses, w.statuses("own"))
				require.GreaterOrEqual(t, elapsed, tt.min)
				require.LessOrEqual(t, elapsed, tt.max)
				if tt.statuses[len(tt.statuses)-1] == mcp.Ready {
					require.NoError(t, err)
					return
				}
				var problem *mcp.ServerError
				require.ErrorAs(t, err, &problem)
				require.Equal(t, "own", problem.Server)
				require.ErrorIs(t, err, errRefused)
			})
		})
	}
}

// TestSlowBegin connects to a server that does not answer.
func TestSlowBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan struct{})
		defer close(silent)
		w := newWorldOf(t, mcp.Options{Begin: 10 * time.Second}, func(string) (sdk.Transport, error) { return silentTransport{silent}, nil }, stdioServer("own"))
		defer w.close()
		ctx, cancel := context.WithTimeout(t.Context(), 11*time.Second)
		defer cancel()
		require.Error(t, w.servers.Ready(ctx))
		require.ErrorIs(t, w.servers.States()[0].Err, mcp.ErrSlowStart)
	})
}

// TestSearchWaitsForOneAttempt: a server that is tried again and again does not hold up a
// search for all its attempts.
func TestSearchWaitsForOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan struct{})
		defer close(silent)
		w := newWorldOf(t, mcp.Options{}, func(string) (sdk.Transport, error) { return silentTransport{silent}, nil }, stdioServer("own"))
		defer w.close()
		began := time.Now()
		pending, failed := w.servers.Search().Servers(t.Context())
		require.Equal(t, []string{"own"}, pending)
		require.Empty(t, failed)
		require.Equal(t, mcp.DefaultBegin, time.Since(began))
	})
}

// silentTransport is a server that reads nothing and says nothing.
type silentTransport struct{ end chan struct{} }

func (s silentTransport) Connect(context.Context) (sdk.Connection, error) {
	client, _ := sdk.NewInMemoryTransports()
	return client.Connect(context.Background())
}

// TestLostConnection has a server die while it is idle, and while it is called.
func TestLostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &ownServer{setup: func(s *sdk.Server) {
			addTool(s, "wait", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			addTool(s, "echo", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer("hello"), nil })
		}}
		var broken atomic.Bool
		own.fail = func(int) error {
			if broken.Load() {
				return errRefused
			}
			return nil
		}
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{Background: -1}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		w.servers.Sync(t.Context())

		results := make(chan pegboard.Outcome)
		go func() { results <- w.run("mcp__own__wait", `{}`) }()
		synctest.Wait()
		broken.Store(true)
		began := time.Now()
		own.die()
		out := <-results
		require.Zero(t, time.Since(began), "the call fails at once")
		var problem *mcp.ServerError
		require.ErrorAs(t, out.Err, &problem)
		require.Equal(t, mcp.Pending, problem.Status)
		require.Contains(t, out.Result.Text(), "try again later")

		out = w.run("mcp__own__echo", `{}`)
		require.ErrorAs(t, out.Err, &problem, "calls are refused meanwhile")
		w.servers.Sync(t.Context())
		require.Len(t, w.names(), 2, "the tools stay")

		require.Error(t, w.servers.Ready(t.Context()))
		synctest.Wait()
		require.Equal(t, []mcp.Status{mcp.Ready, mcp.Pending, mcp.Failed}, w.statuses("own"))
		require.Len(t, w.names(), 2, "only Sync changes the registry")
		w.servers.Sync(t.Context())
		require.Empty(t, w.names(), "a server that failed has no tools")

		broken.Store(false)
		require.NoError(t, w.servers.Reconnect(t.Context(), "own"))
		require.Empty(t, w.names())
		w.servers.Sync(t.Context())
		require.Equal(t, "hello", w.run("mcp__own__echo", `{}`).Result.Text())
	})
}

// TestReconnect connects servers anew that need it, do not need it, and do not exist.
func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := echoServer()
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		require.NoError(t, w.servers.Ready(t.Context()))
		require.NoError(t, w.servers.Reconnect(t.Context(), "own"))
		require.Equal(t, 2, own.attempts())
		err := w.servers.Reconnect(t.Context(), "other")
		require.ErrorIs(t, err, mcp.ErrUnknownServer)
		require.ErrorContains(t, err, "the servers are: own")
		w.close()
		var problem *mcp.ServerError
		require.ErrorAs(t, w.servers.Reconnect(t.Context(), "own"), &problem)
		require.Equal(t, mcp.Closed, problem.Status)
	})
}

// TestBeginAtOnce starts many servers that each take a second to connect.
func TestBeginAtOnce(t *testing.T) {
	tests := []struct {
		name    string
		kind    mcpjson.Type
		options mcp.Options
		servers int
		want    time.Duration
	}{
		{name: "three processes at a time", kind: mcpjson.Stdio, servers: 7, want: 3 * time.Second},
		{name: "twenty remote servers at a time", kind: mcpjson.HTTP, servers: 41, want: 3 * time.Second},
		{name: "one at a time", kind: mcpjson.Stdio, options: mcp.Options{Local: 1}, servers: 4, want: 4 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				own := map[string]*ownServer{}
				var configs []mcpjson.Server
				for i := range tt.servers {
					name := fmt.Sprintf("s%d", i)
					own[name] = &ownServer{fail: func(int) error { time.Sleep(time.Second); return nil }}
					configs = append(configs, mcpjson.Server{Name: name, Type: tt.kind})
				}
				w := newWorld(t, pegboard.SessionConfig{}, tt.options, own, configs...)
				defer w.close()
				began := time.Now()
				require.NoError(t, w.servers.Ready(t.Context()))
				require.Equal(t, tt.want, time.Since(began))
			})
		})
	}
}

// TestReady waits for some servers and for all.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := echoServer(), echoServer()
		slow.fail = func(int) error { time.Sleep(20 * time.Second); return nil }
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"slow": slow, "quick": quick}, stdioServer("slow"), stdioServer("quick"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context(), "quick"))
		require.Equal(t, mcp.Pending, w.servers.States()[0].Status)
		require.ErrorIs(t, w.servers.Ready(t.Context(), "nobody"), mcp.ErrUnknownServer)

		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errRefused)
		defer cancel()
		err := w.servers.Ready(ctx)
		require.ErrorIs(t, err, errRefused)
		require.ErrorContains(t, err, `"slow"`)
		pending, failed := w.servers.Search().Servers(ctx)
		require.Equal(t, []string{"slow"}, pending)
		require.Empty(t, failed)
		require.NoError(t, w.servers.Ready(t.Context()))
	})
}

// TestSecondSourceOfOneName configures a server whose name is taken.
func TestSecondSourceOfOneName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": echoServer()}, stdioServer("own"), stdioServer("own"))
		defer w.close()
		require.ErrorIs(t, w.servers.Ready(t.Context()), pegboard.ErrDuplicate)
		w.servers.Sync(t.Context())
		require.Equal(t, []string{"mcp__own__echo"}, w.names())
		require.Equal(t, mcp.Failed, w.servers.States()[1].Status)
	})
}

// TestCloseIsNoLoss closes the connection to a server over HTTP, which ends from both sides.
func TestCloseIsNoLoss(t *testing.T) {
	t.Parallel()
	own := sdk.NewServer(&sdk.Implementation{Name: "own", Version: "1"}, nil)
	addTool(own, "echo", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer("hello"), nil })
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return own }, nil))
	defer web.Close()
	b := newBridge(t, nil, mcpjson.Server{Name: "own", Type: mcpjson.HTTP, URL: web.URL}).ready()
	b.close()
	b.until("own", func(s mcp.State) bool { return s.Status == mcp.Closed })
	b.mu.Lock()
	defer b.mu.Unlock()
	var statuses []mcp.Status
	for _, s := range b.states {
		statuses = append(statuses, s.Status)
	}
	require.Equal(t, []mcp.Status{mcp.Ready, mcp.Closed}, slices.Compact(statuses))
}
