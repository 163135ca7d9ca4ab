package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/serve"
)

// TestEachClientHasItsOwnSession connects clients, which come and leave.
func TestEachClientHasItsOwnSession(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		if way.name == "HTTP, newest" {
			continue // its clients have no session that ends; see TestIdentify
		}
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
				writer("Put", func(_ context.Context, c *pegboard.Call) (string, error) { return fmt.Sprintf("%p", c.Session()), nil }))
			a, b := way.connect(t, s.Server, client("a", nil), way.protocol), way.connect(t, s.Server, client("b", nil), way.protocol)
			ofA, ofB := text(t, callTool(t, a, "Put", `{}`)), text(t, callTool(t, b, "Put", `{}`))
			require.NotEqual(t, ofA, ofB)
			require.Equal(t, ofA, text(t, callTool(t, a, "Put", `{}`)))
			require.ElementsMatch(t, []serve.Client{{Name: "a", Version: "1", Protocol: way.protocol}, {Name: "b", Version: "1", Protocol: way.protocol}}, s.clients)
			require.NoError(t, a.Close())
			require.Eventually(t, func() bool { opened, closed := s.counts(); return opened == 2 && closed == 1 }, time.Minute, time.Millisecond)
			require.Equal(t, ofB, text(t, callTool(t, b, "Put", `{}`)))
			require.NoError(t, s.Close(t.Context()))
			_, closed := s.counts()
			require.Equal(t, 2, closed)
			clients, _, _ := s.Kept()
			require.Zero(t, clients)
		})
	}
}

// TestRememberedForOneClient remembers an answer. It is that of one client.
func TestRememberedForOneClient(t *testing.T) {
	t.Parallel()
	var asks atomic.Int64
	asked := func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) { asks.Add(1); return answerLast(p) }
	s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	for _, name := range []string{"a", "b"} {
		session := connect(t, s.Server, client(name, asked), modern)
		for range 3 {
			require.Equal(t, "written", text(t, callTool(t, session, "Put", `{}`)))
		}
	}
	require.EqualValues(t, 2, asks.Load())
}

// TestOpenFails refuses clients whose session cannot be opened.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		open func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error)
	}{
		{name: "error", open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			return nil, nil, errors.New("the secret reason")
		}},
		{name: "panic", open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			panic("the secret reason")
		}},
		{name: "nothing", open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			return nil, nil, nil
		}},
		{name: "no tools", open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			s, err := pegboard.NewSession(pegboard.SessionConfig{})
			return s, nil, err
		}},
		{name: "no pool", open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			s, err := pegboard.NewSession(pegboard.SessionConfig{})
			return s, func() *pegboard.Pool { return nil }, err
		}},
		{name: "tools panic", open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			s, err := pegboard.NewSession(pegboard.SessionConfig{})
			return s, func() *pegboard.Pool { panic("no tools") }, err
		}},
	}
	for _, tt := range tests {
		for _, protocol := range []string{modern, older} {
			t.Run(tt.name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				s, err := serve.New(serve.Options{Open: tt.open, Executor: &pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}})
				require.NoError(t, err)
				near, far := net.Pipe()
				ended := make(chan error, 1)
				go func() { ended <- s.Connect(context.Background(), far) }()
				session, err := client("a", nil).Connect(t.Context(), over(near), &mcp.ClientSessionOptions{ProtocolVersion: protocol})
				if err == nil {
					_, err = session.ListTools(t.Context(), nil)
				}
				require.ErrorContains(t, err, "cannot open a session")
				require.NotContains(t, err.Error(), "secret")
				require.NoError(t, s.Close(t.Context()))
				<-ended
			})
		}
	}
}

// TestOpenFailsOnce refuses the first request of a named client. The next one is answered.
func TestOpenFailsOnce(t *testing.T) {
	t.Parallel()
	var opens atomic.Int64
	var registry pegboard.Registry
	require.NoError(t, registry.Add(constant("good", pegboard.Part{Text: "fine"})))
	s := served(t, serve.Options{Identify: oneClient, Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		if opens.Add(1) == 1 {
			return nil, nil, errors.New("not yet")
		}
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
	}}, nil)
	for _, want := range []string{"cannot open a session", "fine"} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, modernCall(t, "good"))
		require.Contains(t, w.Body.String(), want)
	}
	require.EqualValues(t, 2, opens.Load())
}

// TestTools lists tools: the same in the same order, with their schemas and hints.
func TestTools(t *testing.T) {
	t.Parallel()
	type output struct {
		Sum int `json:"sum"`
	}
	sum := pegboard.Build(pegboard.Definition[struct {
		A int `json:"a"`
	}, output]{
		Info: pegboard.Info{Name: "Sum", Title: "Add numbers"}, Description: "Adds.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(context.Context, struct {
			A int `json:"a"`
		}, *pegboard.Call,
		) (output, error) {
			return output{4}, nil
		},
	})
	inspected := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Depends"}, Description: "Depends.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return pegboard.Traits{ReadOnly: true} },
		Call:    func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	send := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Send"}, Description: "Sends.", Traits: pegboard.Traits{Destructive: true, OpenWorld: true, Idempotent: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	s := served(t, serve.Options{Instructions: "Add with Sum."}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Sum") }, send, inspected, sum)
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			session := way.connect(t, s.Server, client("a", nil), way.protocol)
			list, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			got, err := json.Marshal(list.Tools)
			require.NoError(t, err)
			require.JSONEq(t, `[
				{"name":"Depends","description":"Depends.","inputSchema":{"type":"object","properties":{},"additionalProperties":false}},
				{"name":"Send","description":"Sends.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},
				 "annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}},
				{"name":"Sum","title":"Add numbers","description":"Adds.",
				 "inputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false},
				 "outputSchema":{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false},
				 "annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}]`, string(got))
			r := callTool(t, session, "Sum", `{"a":2}`)
			require.Equal(t, map[string]any{"sum": 4.0}, r.StructuredContent)
			require.JSONEq(t, `{"sum":4}`, text(t, r))
			require.Equal(t, "Add with Sum.", session.InitializeResult().Instructions)
		})
	}
}

// TestOutputsThatAreNoObjects are for clients of 2026-07-28. Others get the text alone.
func TestOutputsThatAreNoObjects(t *testing.T) {
	t.Parallel()
	words := pegboard.Build(pegboard.Definition[struct{}, []string]{
		Info: pegboard.Info{Name: "Words"}, Description: "Returns words.", Traits: pegboard.Traits{ReadOnly: true},
		OutputSchema: json.RawMessage(`{"type":"array","items":{"type":"string"}}`),
		Call:         func(context.Context, struct{}, *pegboard.Call) ([]string, error) { return []string{"fig", "pear"}, nil },
	})
	plain := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Plain"}, Description: "Returns a text.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "fig", nil },
	})
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Words", "Plain") }, words, plain)
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			session := way.connect(t, s.Server, client("a", nil), way.protocol)
			list, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			got := callTool(t, session, "Words", `{}`)
			require.JSONEq(t, `["fig","pear"]`, text(t, got))
			require.Nil(t, callTool(t, session, "Plain", `{}`).StructuredContent)
			if way.protocol != modern {
				require.Nil(t, got.StructuredContent)
				require.Nil(t, list.Tools[1].OutputSchema)
				return
			}
			require.Equal(t, []any{"fig", "pear"}, got.StructuredContent)
			schema, err := json.Marshal(list.Tools[1].OutputSchema)
			require.NoError(t, err)
			require.JSONEq(t, `{"type":"array","items":{"type":"string"}}`, string(schema))
		})
	}
}

// TestRefresh changes the tools of one of two clients. Only that one is told.
func TestRefresh(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var with atomic.Bool
				var registry pegboard.Registry
				require.NoError(t, registry.Add(constant("first"), constant("second")))
				open := func(_ context.Context, c serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
					session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
					return session, func() *pegboard.Pool {
						pool := registry.AssemblePool(session, pegboard.PoolConfig{})
						if c.Name == "a" && with.Load() {
							return pool
						}
						return pool.Restrict(pegboard.Restriction{Without: []string{"second"}, Reason: "it comes later"})
					}, err
				}
				s := served(t, serve.Options{Open: open}, nil)
				told := map[string]*atomic.Int64{"a": {}, "b": {}}
				sessions := map[string]*mcp.ClientSession{}
				for name, count := range told {
					c := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
						ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { count.Add(1) },
					})
					sessions[name] = way.connect(t, s.Server, c, way.protocol)
					require.Equal(t, []string{"first"}, toolNames(t, sessions[name]))
				}
				time.Sleep(time.Minute) // what would be told of the first tools is told by then
				with.Store(true)
				s.Refresh()
				time.Sleep(time.Minute)
				require.EqualValues(t, 1, told["a"].Load())
				require.Equal(t, []string{"first", "second"}, toolNames(t, sessions["a"]))
				require.Equal(t, []string{"first"}, toolNames(t, sessions["b"]))
				s.Refresh()
				time.Sleep(time.Minute)
				require.EqualValues(t, 1, told["a"].Load())
				require.Zero(t, told["b"].Load())
				with.Store(false)
				s.Refresh()
				time.Sleep(time.Minute)
				require.EqualValues(t, 2, told["a"].Load())
				require.Equal(t, []string{"first"}, toolNames(t, sessions["a"]))
			})
		})
	}
}

func toolNames(t testing.TB, s *mcp.ClientSession) (names []string) {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// TestToolThatCannotBeOffered offers a tool whose schema the protocol refuses, beside others.
func TestToolThatCannotBeOffered(t *testing.T) {
	t.Parallel()
	bad, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "Bad"}, Description: "Has a wrong header.",
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.NoError(t, err)
	s := served(t, serve.Options{}, nil, bad, constant("good"))
	require.Equal(t, []string{"good"}, toolNames(t, connect(t, s.Server, client("a", nil), modern)))
}

// TestIdentify tells clients without a session apart, or not at all.
func TestIdentify(t *testing.T) {
	t.Parallel()
	name := writer("Put", func(_ context.Context, c *pegboard.Call) (string, error) { return fmt.Sprintf("%p", c.Session()), nil })
	allow := func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") }
	t.Run("unknown", func(t *testing.T) {
		t.Parallel()
		s := served(t, serve.Options{}, allow, name)
		session := connectHTTP(t, s.Server, client("a", nil), modern)
		first, second := text(t, callTool(t, session, "Put", `{}`)), text(t, callTool(t, session, "Put", `{}`))
		require.NotEqual(t, first, second)
		require.Eventually(t, func() bool { opened, closed := s.counts(); return opened == closed }, time.Minute, time.Millisecond)
	})
	t.Run("known", func(t *testing.T) {
		t.Parallel()
		s := served(t, serve.Options{Identify: func(r *http.Request) string { return r.Header.Get("Who") }}, allow, name)
		web := httptest.NewServer(s.Handler())
		t.Cleanup(web.Close)
		of := map[string][]string{}
		for _, who := range []string{"ann", "bob", "ann"} {
			session := connectTo(t, web.URL, client("c", nil), modern, &http.Client{Transport: withHeader{"Who", who}})
			of[who] = append(of[who], text(t, callTool(t, session, "Put", `{}`)), text(t, callTool(t, session, "Put", `{}`)))
		}
		require.Len(t, slices.Compact(of["ann"]), 1)
		require.Len(t, slices.Compact(of["bob"]), 1)
		require.NotEqual(t, of["ann"][0], of["bob"][0])
		require.Equal(t, []string{"ann", "bob"}, []string{s.clients[0].User, s.clients[1].User})
	})
}

// withHeader adds a header to each request.
type withHeader struct{ name, value string }

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

// TestUserOfAnotherState brings the answer to a question under another name.
func TestUserOfAnotherState(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	s := served(t, serve.Options{Identify: func(r *http.Request) string { return r.Header.Get("Who") }}, nil,
		writer("Put", func(context.Context, *pegboard.Call) (string, error) { runs.Add(1); return "written", nil }))
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	of := func(who string) *mcp.ClientSession {
		return connectTo(t, web.URL, byHand("c"), modern, &http.Client{Transport: withHeader{"Who", who}})
	}
	first, err := of("ann").CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
	require.NoError(t, err)
	for _, other := range []string{"bob", ""} {
		_, err = of(other).CallTool(t.Context(), comesBack(first, "Allow once"))
		require.ErrorContains(t, err, "requestState")
	}
	require.Zero(t, runs.Load())
	done, err := of("ann").CallTool(t.Context(), comesBack(first, "Allow once"))
	require.NoError(t, err)
	require.Equal(t, "written", text(t, done))
}

// TestNamedClientLeaves waits until a client without a session has been idle for too long.
func TestNamedClientLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := served(t, serve.Options{Identify: oneClient}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
			writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
		request := func() {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, modernCall(t, "Put"))
			require.Equal(t, http.StatusOK, w.Code, w.Body.String())
			require.Contains(t, w.Body.String(), "written")
		}
		request()
		time.Sleep(29 * time.Minute)
		request()
		opened, closed := s.counts()
		require.Equal(t, []int{1, 0}, []int{opened, closed})
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		opened, closed = s.counts()
		require.Equal(t, []int{1, 1}, []int{opened, closed})
		request()
		opened, _ = s.counts()
		require.Equal(t, 2, opened)
	})
}

// TestSessionEndsWhenItsClientIsGone leaves a session of streamable HTTP alone. It stays as long
// as its client listens or calls.
func TestSessionEndsWhenItsClientIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := served(t, serve.Options{}, nil, constant("good"))
		send := func(ctx context.Context, method, id, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(ctx, method, "http://localhost/", strings.NewReader(body))
			for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": id} {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			return w
		}
		w := send(t.Context(), http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
		id := w.Header().Get("Mcp-Session-Id")
		require.NotEmpty(t, id, w.Body.String())
		ping := func() int {
			return send(t.Context(), http.MethodPost, id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`).Code
		}
		time.Sleep(29 * time.Minute)
		require.Equal(t, http.StatusOK, ping())

		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); send(ctx, http.MethodGet, id, "") }() // listens
		time.Sleep(24 * time.Hour)
		require.Equal(t, http.StatusOK, ping())
		cancel()
		<-ended

		time.Sleep(31 * time.Minute)
		synctest.Wait()
		opened, closed := s.counts()
		require.Equal(t, []int{1, 1}, []int{opened, closed})
		require.Equal(t, http.StatusNotFound, ping())
		clients, _, _ := s.Kept()
		require.Zero(t, clients)
	})
}

// modernCall returns a request of the newest protocol that calls a tool.
func modernCall(t testing.TB, tool string) *http.Request {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}}}`, tool, modern)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", strings.NewReader(body))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	return r
}

// TestManyClients connects and leaves many times, in several ways at once.
func TestManyClients(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
		writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			protocol := []string{modern, older}[i%2]
			var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: web.URL}
			ended := make(chan error, 1)
			if i%4 < 2 {
				near, far := net.Pipe()
				transport = over(near)
				go func() { ended <- s.Connect(context.Background(), far) }()
			} else {
				ended <- nil
			}
			session, err := client("c", nil).Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
			if err != nil {
				t.Error(err)
				return
			}
			if got := text(t, callTool(t, session, "Put", `{}`)); got != "written" {
				t.Error(got)
			}
			_ = session.Close()
			if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool {
		clients, states, links := s.Kept()
		opened, closed := s.counts()
		return clients+states+links == 0 && opened == closed
	}, time.Minute, time.Millisecond)
}
