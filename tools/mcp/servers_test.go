package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// A user fills forms as a test says and keeps them.
type user struct {
	mu    sync.Mutex
	forms []pegboard.Elicitation
	fill  func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error)
}

func (u *user) setup(s *setup) {
	s.session.Elicit = func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		u.mu.Lock()
		u.forms = append(u.forms, *f)
		u.mu.Unlock()
		return u.fill(ctx, f)
	}
}

func (u *user) shown() []pegboard.Elicitation {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.forms
}

func accept(content string) func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
	return func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(content)}, nil
	}
}

// TestForms has a server ask for all kinds of forms in a call. Those that are wrong get an
// error and are not shown.
func TestForms(t *testing.T) {
	t.Parallel()
	form := func(schema string) string {
		return `"method":"elicitation/create","params":{"message":"who?","requestedSchema":` + schema + `}`
	}
	address := func(members string) string {
		return `"method":"elicitation/create","params":{"mode":"url","message":"log in","elicitationId":"e1",` + members + `}`
	}
	tests := []struct {
		name    string
		request string
		content string // that the user gives
		want    string // in the answer
		unseen  bool
	}{
		{name: "form", request: form(`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a"]}`), content: `{"a":"x","n":9007199254740993}`, want: `"a":"x"`},
		{name: "defaults", request: form(`{"type":"object","properties":{"a":{"type":"string","default":"d"}},"required":["a"]}`), content: `{}`, want: `{"a":"d"}`},
		{name: "nested", request: form(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`), want: `"error"`, unseen: true},
		{name: "list of objects", request: form(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`), want: `"error"`, unseen: true},
		{name: "no object", request: form(`{"type":"string"}`), want: `"error"`, unseen: true},
		{name: "a schema of no kind", request: form(`7`), want: `"error"`, unseen: true},
		{name: "reference", request: form(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`), want: `"error"`, unseen: true},
		{name: "no schema", request: `"method":"elicitation/create","params":{"message":"go on?"}`, content: `{}`, want: `"action":"accept"`},
		{name: "address", request: address(`"url":"https://example.com/login?a=1"`), want: `"action":"accept"`},
		{name: "both", request: address(`"url":"https://example.com","requestedSchema":{"type":"object"}`), want: `"error"`, unseen: true},
		{name: "a form with an address", request: `"method":"elicitation/create","params":{"message":"a","url":"https://example.com","requestedSchema":{"type":"object"}}`, want: `"error"`, unseen: true},
		{name: "neither", request: address(`"x":1`), want: `"error"`, unseen: true},
		{name: "unencrypted", request: address(`"url":"http://example.com"`), want: `"error"`, unseen: true},
		{name: "this machine", request: address(`"url":"http://127.0.0.1:8080/a"`), want: `"action":"accept"`},
		{name: "this machine with a user", request: address(`"url":"http://127.0.0.1@example.com/a"`), want: `"error"`, unseen: true},
		{name: "a script", request: address(`"url":"javascript:alert(1)"`), want: `"error"`, unseen: true},
		{name: "a file", request: address(`"url":"file:///etc/passwd"`), want: `"error"`, unseen: true},
		{name: "no host", request: address(`"url":"https:///a"`), want: `"error"`, unseen: true},
		{name: "an address that is none", request: address(`"url":"https://exa mple.com/%zz"`), want: `"error"`, unseen: true},
		{name: "control characters", request: address(`"url":"https://example.com/\n\u001b[31m"`), want: `"error"`, unseen: true},
		{name: "unknown mode", request: `"method":"elicitation/create","params":{"mode":"voice","message":"a"}`, want: `"error"`, unseen: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &user{fill: accept(tt.content)}
			b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
			o := b.call("srv", "ask", scriptedInput{Request: tt.request})
			require.NoError(t, o.Err)
			require.Contains(t, textOf(o), tt.want)
			require.Equal(t, tt.unseen, len(u.shown()) == 0)
		})
	}
}

// TestFormWhileNoCallRuns has a server ask by itself. The main session is asked.
func TestFormWhileNoCallRuns(t *testing.T) {
	t.Parallel()
	u := &user{fill: accept(`{}`)}
	b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
	o := b.call("srv", "say", lines(answered, `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"alone"}}`))
	require.NoError(t, o.Err)
	require.Eventually(t, func() bool { return len(u.shown()) == 1 }, soon, poll)
	require.Equal(t, "alone", u.shown()[0].Message)
	require.Equal(t, "srv", u.shown()[0].From)
	b.requireEcho("srv")
}

// TestManyForms has a server ask a hundred times at once. The user is shown one at a time, and
// what the server takes back is not shown any more.
func TestManyForms(t *testing.T) {
	t.Parallel()
	var atOnce, most atomic.Int64
	u := &user{fill: func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		most.Store(max(most.Load(), atOnce.Add(1)))
		defer atOnce.Add(-1)
		time.Sleep(time.Millisecond)
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}}
	b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
	var says []string
	for n := range 100 {
		says = append(says, fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"m"}}`, n))
	}
	require.NoError(t, b.call("srv", "say", lines(append(says, answered)...)).Err)
	require.Eventually(t, func() bool { return len(u.shown()) == 100 || len(u.shown()) > 0 && atOnce.Load() == 0 }, soon, poll)
	require.Equal(t, int64(1), most.Load())
	b.requireEcho("srv")
}

// TestAddressesBeforeACall has a server want addresses opened before it answers, in all wrong
// ways.
func TestAddressesBeforeACall(t *testing.T) {
	t.Parallel()
	refuse := func(elicitations string) string {
		return `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":` + elicitations + `}}}`
	}
	tests := []struct {
		name   string
		refuse string
		action pegboard.ElicitAction
		err    error
		text   string // of the error
		forms  int
	}{
		{name: "declined", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"}]`), action: pegboard.ElicitDecline, err: mcp.ErrElicitationDeclined, text: "decline of https://example.com", forms: 1},
		{name: "cancelled", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"}]`), action: pegboard.ElicitCancel, err: mcp.ErrElicitationDeclined, forms: 1},
		{name: "accepted, and wanted again for ever", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"}]`), action: pegboard.ElicitAccept, err: mcp.ErrIdle, forms: 1},
		{name: "unencrypted", refuse: refuse(`[{"mode":"url","message":"a","url":"http://example.com","elicitationId":"1"}]`), action: pegboard.ElicitAccept, text: "must begin with https://"},
		{name: "forms", refuse: refuse(`[{"mode":"form","message":"a","requestedSchema":{"type":"object"}}]`), action: pegboard.ElicitAccept, text: "log in"},
		{name: "one null of two", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"},null]`), action: pegboard.ElicitAccept, text: "log in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &user{fill: func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
				return pegboard.ElicitResult{Action: tt.action}, nil
			}}
			b := newBridge(t, func(s *setup) {
				u.setup(s)
				if errors.Is(tt.err, mcp.ErrIdle) {
					s.options.Idle = 2 * time.Second
				}
			}, own(t, "srv", "usual")).ready()
			o := b.call("srv", "say", lines(tt.refuse))
			require.Error(t, o.Err)
			if tt.err != nil {
				require.ErrorIs(t, o.Err, tt.err)
			}
			require.ErrorContains(t, o.Err, tt.text)
			require.Len(t, u.shown(), tt.forms)
			b.requireEcho("srv")
		})
	}
}

// TestFormEndsWithItsCall cancels a call while its form is shown.
func TestFormEndsWithItsCall(t *testing.T) {
	t.Parallel()
	shown := make(chan struct{})
	ended := make(chan error, 1)
	u := &user{fill: func(ctx context.Context, _ *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		close(shown)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return pegboard.ElicitResult{}, context.Cause(ctx)
	}}
	b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-shown; cancel() }()
	o := b.callContext(ctx, "srv", "ask", scriptedInput{Request: `"method":"elicitation/create","params":{"message":"a"}`})
	require.ErrorIs(t, o.Err, context.Canceled)
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(soon):
		require.Fail(t, "the form is still shown")
	}
	b.requireEcho("srv")
}

// listing returns a process that lists tools.
func listing(t *testing.T, name string, tools []json.RawMessage) mcpjson.Server {
	t.Helper()
	config := own(t, name, "file")
	config.Env["MCP_TEST_TOOLS"] = filepath.Join(t.TempDir(), "tools.json")
	text, err := json.Marshal(tools)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config.Env["MCP_TEST_TOOLS"], text, 0o600))
	return config
}

// attached returns a registry with the same sources as the processes, attached directly. The
// error says that a source is refused.
func attached(sources []listed) (*pegboard.Registry, error) {
	never := func(context.Context, *pegboard.Call, string, json.RawMessage) (*pegboard.Result, error) {
		return nil, os.ErrInvalid
	}
	registry := new(pegboard.Registry)
	for _, s := range sources {
		var tools []pegboard.Tool
		for _, raw := range s.tools {
			tools = append(tools, definition.Read(definition.Server{Name: s.name}, raw, never).Tool)
		}
		if _, err := registry.Attach(s.name, tools...); err != nil {
			return nil, err
		}
	}
	return registry, nil
}

// listed is a server and what it lists.
type listed struct {
	name  string
	tools []json.RawMessage
}

// TestSchemas has a process list the definitions of real servers. They are the same to the byte
// as those that are attached without the protocol.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t, "mcp-schemas") {
		all := listed{name: "all"}
		for _, line := range corpus.Lines(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl")) {
			var row struct {
				Name, Description string
				Parameters        json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &row))
			name := fmt.Sprintf("%s-%d", strings.TrimPrefix(row.Name, "mcp__"), len(all.tools))
			raw, err := json.Marshal(map[string]any{"name": name, "description": row.Description, "inputSchema": row.Parameters})
			require.NoError(t, err)
			all.tools = append(all.tools, raw)
		}
		b := newBridge(t, nil, listing(t, all.name, all.tools)).ready()
		state := b.servers.Sync(t.Context())[0]
		registry, err := attached([]listed{all})
		require.NoError(t, err)
		direct := registry.AssemblePool(b.session, pegboard.PoolConfig{})
		require.Equal(t, direct.Len(), state.Tools)
		require.Greater(t, state.Tools, len(all.tools)*9/10)
		require.Equal(t, direct.Fingerprint(pegboard.External), b.registry.AssemblePool(b.session, pegboard.PoolConfig{}).Fingerprint(pegboard.External))
		corpus.Report(t, folder, "mcp-schemas: %d of %d definitions offered by a process", state.Tools, len(all.tools))
	}
}

// TestDecisionsOfTheCorpus has processes list the tools of the corpus of permissions. Each call
// is decided as that of a tool that is attached without the protocol.
func TestDecisionsOfTheCorpus(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t, "security") {
		path := filepath.Join(folder, "security", "mcp.jsonl")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		decided := 0
		for _, line := range corpus.Lines(t, path) {
			var row struct {
				ID      string
				Servers []struct {
					Name  string
					Tools []map[string]json.RawMessage
				}
				Rules policy.RuleSet
				Mode  string
			}
			if json.Unmarshal(line, &row) != nil {
				continue // a row about something else than lists
			}
			permissions, err := policy.New(policy.Mode(cmp.Or(row.Mode, "default")), row.Rules)
			if err != nil {
				continue // a rule that is refused
			}
			t.Run(row.ID, func(t *testing.T) {
				var sources []listed
				var configs []mcpjson.Server
				for _, s := range row.Servers {
					source := listed{name: s.Name}
					for _, tool := range s.Tools {
						if tool["inputSchema"] == nil {
							tool["inputSchema"] = json.RawMessage(`{"type":"object"}`)
						}
						raw, err := json.Marshal(tool)
						require.NoError(t, err)
						source.tools = append(source.tools, raw)
					}
					sources = append(sources, source)
					configs = append(configs, listing(t, s.Name, source.tools))
				}
				b := newBridge(t, func(s *setup) { s.session.Permissions = permissions }, configs...)
				registry, refused := attached(sources)
				if refused != nil {
					require.ErrorContains(t, b.servers.Ready(t.Context()), refused.Error())
					return
				}
				b.ready().servers.Sync(t.Context())
				far := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
				near := registry.AssemblePool(b.session, pegboard.PoolConfig{})
				require.Equal(t, near.Len(), far.Len())
				for tool := range near.All() {
					call := pegboard.Call{Name: tool.Info().Name, Input: json.RawMessage(`{}`)}
					want, got := near.Decide(t.Context(), call), far.Decide(t.Context(), call)
					require.Equal(t, want.Behavior, got.Behavior, call.Name)
					require.Equal(t, want.Reason, got.Reason, call.Name)
					decided++
				}
			})
		}
		corpus.Report(t, folder, "security/mcp: %d decisions about tools of processes", decided)
		require.Positive(t, decided)
	}
}

// wrong is how a func of the host does not return.
type wrong struct {
	name string
	do   func(end <-chan struct{})
}

var wrongs = []wrong{
	{name: "panics", do: func(<-chan struct{}) { panic("a func of the host") }},
	{name: "hangs", do: func(end <-chan struct{}) { <-end }},
	{name: "ends its goroutine", do: func(<-chan struct{}) { runtime.Goexit() }},
}

// wrongHandler is a log that does not return.
type wrongHandler struct{ do func() }

func (h wrongHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h wrongHandler) Handle(context.Context, slog.Record) error { h.do(); return nil }
func (h wrongHandler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h wrongHandler) WithGroup(string) slog.Handler             { return h }

// TestFuncsOfTheHost has funcs of the host panic, hang and end their goroutine. The server is
// connected or fails in time, the other calls go on, and closing does not wait.
func TestFuncsOfTheHost(t *testing.T) {
	t.Parallel()
	sampling := scriptedInput{Request: `"method":"sampling/createMessage","params":{"messages":[],"maxTokens":10}`}
	form := scriptedInput{Request: `"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`}
	notices := lines(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"a"}}`, answered)
	tests := []struct {
		name   string
		change func(s *setup, do func())
		tool   string
		input  scriptedInput
	}{
		{name: "OnState", change: func(s *setup, do func()) { s.options.OnState = func(mcp.State) { do() } }},
		{name: "Logger", change: func(s *setup, do func()) { s.options.Logger = slog.New(wrongHandler{do}) }, tool: "say", input: notices},
		{name: "Trusted", change: func(s *setup, do func()) { s.options.Trusted = func(mcpjson.Server) bool { do(); return true } }},
		{name: "Sample", change: func(s *setup, do func()) {
			s.options.Sample = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { do(); return nil, nil }
		}, tool: "ask", input: sampling},
		{name: "Fill", change: func(s *setup, do func()) {
			s.session.Elicit = func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
				do()
				return pegboard.ElicitResult{}, nil
			}
		}, tool: "ask", input: form},
	}
	for _, tt := range tests {
		for _, w := range wrongs {
			t.Run(tt.name+" "+w.name, func(t *testing.T) {
				t.Parallel()
				end := make(chan struct{})
				b := newBridge(t, func(s *setup) {
					if tt.name == "Trusted" && w.name == "hangs" {
						s.options.Begin = 2 * time.Second
					}
					tt.change(s, func() { w.do(end) })
				}, own(t, "srv", "banner"), own(t, "other", "usual"))
				t.Cleanup(func() {
					ctx, cancel := context.WithTimeout(context.Background(), maxClose)
					defer cancel()
					require.NoError(t, b.servers.Close(ctx))
					close(end) // the session waits for a form that is shown
				})
				if tt.name == "Trusted" && w.name == "hangs" {
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					defer cancel()
					require.Eventually(t, func() bool { return errors.Is(b.now("srv").Err, mcp.ErrSlowStart) }, soon, poll)
					require.ErrorIs(t, b.servers.Ready(ctx), context.DeadlineExceeded)
					return
				}
				b.ready().requireEcho("srv")
				if tt.tool != "" {
					ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, errors.New("the user has left"))
					defer cancel()
					began := time.Now()
					o := b.callContext(ctx, "srv", tt.tool, tt.input)
					require.Less(t, time.Since(began), soon)
					if o.Err != nil {
						require.ErrorContains(t, o.Err, "the user has left")
					}
				}
				b.requireEcho("srv")
				b.requireEcho("other")
			})
		}
	}
}

// TestAnswersOverHTTP has a server on the network answer a call in all wrong ways. The call
// ends by itself, and the next one works, after another connection if need be.
func TestAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	events := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	const result = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`
	tests := []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, id string)
		text   string
		err    string
		lost   bool // the connection, too
	}{
		{name: "a stream", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			events(w, "data: "+strings.ReplaceAll(result, "$ID", id)+"\n\n")
		}, text: "first"},
		{name: "a stream with noise", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			events(w, ": hello\n\ndata: noise\n\nevent: other\ndata: x\n\ndata: [1]\n\nid: \x00\nretry: x\n\ndata: "+strings.ReplaceAll(result, "$ID", id)+"\n\n")
		}, text: "first"},
		{name: "a stream that ends", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { events(w, ": hello\n\n") }, err: "http"},
		{name: "an empty stream", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { events(w, "") }, err: "http"},
		{name: "a stream that ends in the middle", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			events(w, "data: "+strings.ReplaceAll(result, "$ID", id))
		}, err: "http"},
		{name: "a connection that breaks", answer: func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }, err: "http"},
		{name: "a stream that breaks", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			events(w, ": hello\n\n")
			panic(http.ErrAbortHandler)
		}, err: "http"},
		{name: "accepted", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusAccepted) }, err: "http"},
		{name: "no content", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusNoContent) }, err: "http"},
		{name: "500", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { http.Error(w, "the database is down", 500) }, err: "http"},
		{name: "429", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			http.Error(w, "slow down", http.StatusTooManyRequests)
		}, err: "http"},
		{name: "400 with an error", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad"}}`, id)
		}, err: "http"},
		{name: "404", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { http.Error(w, "gone", 404) }, err: "session not found", lost: true},
		{name: "a redirect", answer: func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, "http://example.invalid/", http.StatusTemporaryRedirect)
		}, err: "another host"},
		{name: "an endless redirect", answer: func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, err: "10 redirects"},
		{name: "HTML", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<html>")
		}, err: "did not answer with a message of the protocol"},
		{name: "another id", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(result, "$ID", "777"))
		}, err: "did not answer with a message of the protocol"},
		{name: "a wrong length", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "5000")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(result, "$ID", id))
		}, err: "http"},
		{name: "false compression", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(result, "$ID", id))
		}, err: "http"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := newHTTPServer(t)
			server.misbehave = tt.answer
			b := newBridge(t, nil, server.config("srv")).ready()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			o := b.callContext(ctx, "srv", "tool-", scriptedInput{Text: "x"})
			t.Logf("after %v: %v", time.Since(began), o.Err)
			require.NoError(t, ctx.Err(), "the call did not end by itself")
			switch tt.err {
			case "":
				require.NoError(t, o.Err)
				require.Contains(t, textOf(o), tt.text)
			case "http":
				require.Error(t, o.Err)
			default:
				require.ErrorContains(t, o.Err, tt.err)
			}
			require.Equal(t, tt.lost, errors.As(o.Err, new(*mcp.ServerError)))
			if tt.lost {
				require.NoError(t, b.servers.Reconnect(ctx, "srv"))
			}
			b.requireEcho("srv")
			require.Equal(t, mcp.Ready, b.now("srv").Status)
		})
	}
}

// TestKeysInAddresses expects that no error has the query of a server's address.
func TestKeysInAddresses(t *testing.T) {
	t.Parallel()
	server := newHTTPServer(t)
	server.misbehave = func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }
	working, closed := server.config("srv"), server.config("closed")
	working.URL += "/mcp?key=s3cret"
	closed.URL = "http://127.0.0.1:1/mcp?key=s3cret"
	b := newBridge(t, nil, working, closed).ready("srv")
	o := b.call("srv", "tool-", scriptedInput{Text: "x"})
	require.ErrorContains(t, o.Err, "EOF")
	require.NotContains(t, o.Err.Error()+textOf(o), "s3cret")
	s := b.until("closed", func(s mcp.State) bool { return s.Err != nil })
	require.ErrorContains(t, s.Err, "refused")
	require.NotContains(t, s.Err.Error(), "s3cret")
}

// TestLists reads lists of servers that are too long, go round in a circle, or hold
// definitions that cannot be used.
func TestLists(t *testing.T) {
	t.Parallel()
	var loaded atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { loaded.Add(1) }))
	t.Cleanup(elsewhere.Close)
	tests := []struct {
		mode  string
		check func(t *testing.T, s mcp.State)
	}{
		{mode: "many", check: func(t *testing.T, s mcp.State) {
			t.Helper()
			require.Equal(t, 10_000+len(usualTools), s.Tools)
			require.Empty(t, s.Registration.Quarantined)
		}},
		{mode: "pages", check: func(t *testing.T, s mcp.State) { t.Helper(); require.Equal(t, 1000, s.Tools) }},
		{mode: "circle", check: func(t *testing.T, s mcp.State) { t.Helper(); require.Equal(t, len(usualTools), s.Tools) }},
		{mode: "heavy", check: func(t *testing.T, s mcp.State) {
			t.Helper()
			require.Positive(t, s.Tools)
			require.Less(t, s.Tools, 20)
		}},
		{mode: "odd", check: func(t *testing.T, s mcp.State) {
			t.Helper()
			require.Len(t, s.Registration.Added, s.Tools)
			require.Equal(t, len(usualTools)+2, s.Tools)
			require.Equal(t, map[string]string{"fold_me": "Fold.Me"}, s.Registration.NameConflicts)
			for name, reason := range map[string]string{
				"big": "too large", "file": "nothing is loaded", "address": "nothing is loaded",
				"no-schema": "no inputSchema", "null-schema": "no inputSchema", "text-schema": "want a JSON object", "echo": "duplicate", "deep": "nests deeper",
			} {
				require.ErrorContains(t, s.Registration.Quarantined[name], reason, name)
			}
			require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(s.Registration.Quarantined)), func(name string) bool {
				return strings.HasPrefix(name, "nnnn") && len(name) <= 260
			}))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			config := own(t, "srv", tt.mode)
			config.Env["MCP_TEST_REF"] = elsewhere.URL + "/schema.json"
			b := newBridge(t, func(s *setup) { s.options.MaxMessage, s.options.Begin = 4<<20, soon }, config).ready()
			b.servers.Sync(t.Context())
			s := b.now("srv")
			tt.check(t, s)
			if tt.mode != "pages" && tt.mode != "heavy" {
				b.requireEcho("srv")
			}
		})
	}
	t.Cleanup(func() { require.Zero(t, loaded.Load()) })
}

// TestListChangesWithoutEnd has a server announce changes a thousand times a second. The list
// is read a few times, and calls go on.
func TestListChangesWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	began := time.Now()
	for range 2 {
		require.NoError(t, b.call("srv", "storm", scriptedInput{Count: 1000}).Err)
	}
	lists, err := strconv.Atoi(textOf(b.call("srv", "lists", scriptedInput{})))
	require.NoError(t, err)
	require.LessOrEqual(t, lists, 3+3*int(time.Since(began)/time.Second))
	b.requireEcho("srv")
	require.False(t, b.now("srv").Changed)
}

// TestToolThatVanishes has a tool leave the list of its server while it is called. The call
// has the server's error; the pool keeps the tool until the next Sync.
func TestToolThatVanishes(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	b.servers.Sync(t.Context())
	before := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
	o := b.call("srv", "vanish", scriptedInput{})
	require.ErrorContains(t, o.Err, "unknown tool: vanish")
	b.until("srv", func(s mcp.State) bool { return s.Changed && s.Tools == len(usualTools) })
	require.Contains(t, names(before), "mcp__srv__vanish")
	b.requireEcho("srv")
	require.Equal(t, []string{"mcp__srv__echo"}, names(b.registry.AssemblePool(b.session, pegboard.PoolConfig{})))
	o = b.call("srv", "vanish", scriptedInput{})
	require.ErrorIs(t, o.Err, pegboard.ErrUnknownTool)
}

// TestProgressWithoutEnd floods the client with progress. The call has its result.
func TestProgressWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	o := b.call("srv", "flood", scriptedInput{Count: 20_000})
	require.NoError(t, o.Err)
	require.Equal(t, "flooded", textOf(o))
	texts := b.progress()
	require.NotEmpty(t, texts)
	last := -1
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		require.Greater(t, n, last)
		last = n
	}
	require.Equal(t, 19_999, last)
}

// TestProgressOfAnotherCall has a call report progress for one that has ended, and for one of
// another server. Nothing of it arrives.
func TestProgressOfAnotherCall(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	var says []string
	for n := range 50 {
		says = append(says, progress(fmt.Sprintf(`"pegboard-%d"`, n), 1000+n))
	}
	require.NoError(t, b.call("srv", "echo", scriptedInput{}).Err)
	o := b.call("srv", "say", lines(append(says, progress("$TOKEN", 1), answered)...))
	require.NoError(t, o.Err)
	for _, text := range b.progress() {
		require.True(t, text == "1" || strings.HasPrefix(text, "10"), text)
	}
	require.LessOrEqual(t, len(b.progress()), 2) // its own token may be among the guessed ones
}

func names(pool *pegboard.Pool) (all []string) {
	for tool := range pool.All() {
		all = append(all, tool.Info().Name)
	}
	slices.Sort(all)
	return all
}

const answered = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`

// TestMessages has a server answer a call in all wrong ways. Each call has one end, and the
// next one works.
func TestMessages(t *testing.T) {
	tests := []struct {
		name   string
		says   []string
		text   string // of the result
		err    string // of the outcome
		strays int
	}{
		{name: "two answers", says: []string{answered, `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"second"}]}}`}, text: "first", strays: 1},
		{name: "an id that was not asked", says: []string{`{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}`, answered}, text: "first", strays: 1},
		{name: "id null", says: []string{`{"jsonrpc":"2.0","id":null,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`, answered}, text: "first", strays: 2},
		{name: "no id", says: []string{`{"jsonrpc":"2.0","result":{"content":[]}}`, answered}, text: "first", strays: 1},
		{name: "an id of another type", says: []string{`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`, `{"jsonrpc":"2.0","id":[1],"result":{}}`, `{"jsonrpc":"2.0","id":true,"result":{}}`, answered}, text: "first", strays: 3},
		{name: "a batch", says: []string{`[` + answered + `]`, answered}, text: "first", strays: 1},
		{name: "text", says: []string{"log: calling", "", "null", `"a"`, "7", answered}, text: "first", strays: 4},
		{name: "a message that is cut", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"cont`, answered}, text: "first", strays: 1},
		{name: "invalid UTF-8", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"a` + "\xff" + `b"}]}}`}, text: "a\ufffdb"},
		{name: "duplicate results", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"result":{"content":[]}}`}, err: "malformed answer"},
		{name: "result and error", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"error":{"code":1,"message":"a"}}`}, err: "malformed answer"},
		{name: "neither result nor error", says: []string{`{"jsonrpc":"2.0","id":$ID}`}, err: "malformed answer"},
		{name: "duplicate keys within", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"a"}],"content":[{"type":"text","text":"b"}]}}`}, text: "b"},
		{name: "error null", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":null,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "error of a wrong type", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":"no"}`}, err: `malformed error: "no"`},
		{name: "error with a text code", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":"E1","message":"no"}}`}, err: `malformed error`},
		{name: "error with marks of the host", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"<system-reminder>\u001b\u202e"}}`}, err: `\<system-reminder>\x1b\u202e`},
		{name: "malformed error with marks", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":"<system-reminder>\u202e"}`}, err: `\<system-reminder>\u202e`},
		{name: "text with marks of the host", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"<system-reminder>\u001b"}]}}`}, text: `\<system-reminder>\x1b`},
		{name: "result null", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":null}`}, err: "not an object: null"},
		{name: "result list", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":[]}`}, err: "not an object: []"},
		{name: "no version", says: []string{`{"id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "version 1", says: []string{`{"jsonrpc":"1.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "id as a float", says: []string{`{"jsonrpc":"2.0","id":$ID.0,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "content null", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":null}}`}},
		{name: "unknown kind", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"hologram","data":1},{"type":"text","text":"b"}]}}`}, text: "hologram"},
		{name: "deep", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}],"structuredContent":{"a":` + deep(2000) + `}}}`}, text: "first"},
		{name: "too deep", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"a":` + deep(20_000) + `}}}`, answered}, text: "first", strays: 1},
		{name: "deep error", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"a","data":` + deep(2000) + `}}`}, err: "refused the request: a (code 1)"},
		{name: "addresses null", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":[null]}}}`}, err: "log in"},
		{name: "addresses of a wrong type", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":7}}}`}, err: "log in"},
		{name: "no addresses", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":[]}}}`}, err: "log in"},
		{name: "address without data", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in"}}`}, err: "log in"},
		{name: "input required without questions", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required"}}`}, text: "asked for further input"},
		{name: "progress that falls", says: []string{progress(`$TOKEN`, 3), progress(`$TOKEN`, 2), progress(`$TOKEN`, 3), answered}, text: "first"},
		{name: "progress after the end", says: []string{answered, progress(`$TOKEN`, 1)}, text: "first"},
		{name: "progress for no call", says: []string{progress(`"pegboard-9999"`, 1), progress(`17`, 1), progress(`null`, 1), answered}, text: "first"},
		{name: "progress that is none", says: []string{progressOf(`"a"`), progressOf(`null`), progressOf(`1e400`), `{"jsonrpc":"2.0","method":"notifications/progress"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}`, answered}, text: "first", strays: 5},
		{name: "notifications without params", says: append(bare("", "message", "elicitation/complete", "cancelled", "tools/list_changed", "resources/updated", "resources/list_changed", "prompts/list_changed", "initialized", "unknown"), answered), text: "first"},
		{name: "notifications with null", says: append(bare(`,"params":null`, "message", "elicitation/complete", "cancelled", "tools/list_changed", "resources/updated", "resources/list_changed", "prompts/list_changed"), answered), text: "first"},
		{name: "notifications with a list", says: append(bare(`,"params":[1]`, "message", "elicitation/complete", "cancelled", "tools/list_changed"), answered), text: "first"},
		{name: "notifications with wrong members", says: append(bare(`,"params":{"level":7,"data":{},"elicitationId":[],"requestId":{},"logger":1}`, "message", "elicitation/complete", "cancelled"), answered), text: "first"},
		{name: "a notice that cancels a request of ours", says: []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$ID}}`, answered}, text: "first"},
		{name: "a request of no kind", says: []string{`{"jsonrpc":"2.0","id":"x","method":""}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":7}`, `{"id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"ping","params":7}`, answered}, text: "first", strays: 5},
		{name: "a request with an id that is too large", says: []string{`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, answered}, text: "first", strays: 1},
		{name: "a request that is not for clients", says: []string{`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo"}}`, answered}, text: "first"},
		{name: "the same request twice", says: []string{`{"jsonrpc":"2.0","id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"ping"}`, answered}, text: "first"},
		{name: "requests without params", says: []string{`{"jsonrpc":"2.0","id":"a","method":"sampling/createMessage"}`, `{"jsonrpc":"2.0","id":"b","method":"elicitation/create"}`, `{"jsonrpc":"2.0","id":"c","method":"roots/list"}`, `{"jsonrpc":"2.0","id":"d","method":"elicitation/create","params":null}`, answered}, text: "first"},
	}
	b := newBridge(t, func(s *setup) {
		s.options.Sample = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return nil, errors.New("no model")
		}
	}, own(t, "srv", "usual")).ready()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := b.now("srv").Strays
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			o := b.callContext(ctx, "srv", "say", lines(tt.says...))
			require.NoError(t, ctx.Err(), "the call did not end by itself")
			if tt.err != "" {
				require.ErrorContains(t, o.Err, tt.err, textOf(o))
			} else {
				require.NoError(t, o.Err)
				require.Contains(t, textOf(o), tt.text)
			}
			b.requireEcho("srv")
			require.Equal(t, tt.strays, b.now("srv").Strays-before)
			require.Equal(t, mcp.Ready, b.now("srv").Status)
		})
	}
}

func deep(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func progress(token string, value int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, value)
}

func progressOf(value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$TOKEN,"progress":%s}}`, value)
}

// bare returns notifications with the same params.
func bare(params string, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s"%s}`, name, params))
	}
	return all
}
