package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A message is one of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// An update is what a test looks at in a session/update.
type update struct {
	Kind      string `json:"sessionUpdate"`
	ID        string `json:"toolCallId"`
	Title     string `json:"title"`
	Name      string `json:"name"`
	Tool      string `json:"kind"`
	Status    string `json:"status"`
	Content   any    `json:"content"`
	Locations []struct {
		Path string `json:"path"`
		Line int    `json:"line"`
	} `json:"locations"`
	Input   any `json:"rawInput"`
	Output  any `json:"rawOutput"`
	Entries any `json:"entries"`
	Mode    any `json:"currentModeId"`
	Meta    any `json:"_meta"`
}

// A turn is a loop of a test.
type turn func(ctx context.Context, h *host) (sdk.StopReason, error)

// A host is an agent of a test with one conversation.
type host struct {
	t        testing.TB
	registry pegboard.Registry
	executor pegboard.Executor
	turn     turn

	*acp.Conversation
	session *pegboard.Session
	prompt  []pegboard.Part
	closed  chan struct{} // when the session is closed
}

// run runs one message of the model, and returns the outcomes.
func (h *host) run(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome {
	return h.executor.Run(ctx, h.registry.AssemblePool(h.session, pegboard.PoolConfig{}), calls...)
}

// call is a call of the model.
func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// calling is a turn that runs calls and ends.
func calling(calls ...pegboard.Call) turn {
	return func(ctx context.Context, h *host) (sdk.StopReason, error) {
		h.run(ctx, calls...)
		return sdk.StopReasonEndTurn, nil
	}
}

// An editor plays the client.
type editor struct {
	t      testing.TB
	h      *host
	in     io.WriteCloser
	served chan error

	id        int
	requested map[string]string // methods of the requests, by id

	mu       sync.Mutex
	changed  chan struct{}
	messages []message // that came
	ended    bool      // nothing more comes
	answer   func(m message) any
}

// A setup describes a conversation of a test.
type setup struct {
	options   acp.Options
	dir       string
	session   pegboard.SessionConfig
	tools     []pegboard.Tool
	turn      turn
	heard     func(d policy.Decision, err error) // what Ask returns
	answer    func(m message) any                // the result for a request of the agent; nil answers later
	initially string                             // parameters of initialize; empty means without capabilities
}

// quiet logs nothing.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// connected returns an editor that has opened no session.
func connected(t testing.TB, s setup) *editor {
	t.Helper()
	h := &host{t: t, turn: s.turn, closed: make(chan struct{})}
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	require.NoError(t, h.registry.Add(append(s.tools, files.Read(files.ReadOptions{}), files.Write(files.WriteOptions{}), files.Edit(files.WriteOptions{}), tasks.TodoWrite(tasks.TodoOptions{}))...))
	if s.options.Open == nil {
		s.options.Open = func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
			cfg := s.session
			cfg.Dir, cfg.Ask, cfg.Elicit = c.Dir(), c.Ask, c.Elicit
			if s.heard != nil {
				cfg.Ask = func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
					d, err := c.Ask(ctx, q)
					s.heard(d, err)
					return d, err
				}
			}
			session, err := pegboard.NewSession(cfg)
			if err != nil {
				return nil, nil, err
			}
			session.OnClose("tell", func(context.Context) error { close(h.closed); return nil })
			h.Conversation, h.session, h.executor.OnEvent, h.executor.Logger = c, session, c.Record, quiet()
			return session, func(ctx context.Context, prompt []pegboard.Part) (sdk.StopReason, error) {
				h.prompt = prompt
				return h.turn(ctx, h)
			}, nil
		}
	}
	if s.options.Logger == nil {
		s.options.Logger = quiet()
	}
	agent, err := acp.New(s.options)
	require.NoError(t, err)
	e := &editor{t: t, h: h, served: make(chan error, 1), changed: make(chan struct{}), answer: s.answer, requested: map[string]string{}}
	read, in := io.Pipe()
	out, write := io.Pipe()
	e.in = in
	go func() { e.served <- agent.Serve(context.Background(), read, write) }()
	listening := make(chan struct{})
	go func() { defer close(listening); e.listen(out) }()
	t.Cleanup(func() { _ = in.Close(); <-listening; e.checkMessages() })
	if s.initially == "" {
		s.initially = `{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"test","version":"1"}}`
	}
	require.Nil(t, e.ask("initialize", s.initially).Error)
	return e
}

// opened returns an editor with a session.
func opened(t testing.TB, s setup) *editor {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	e := connected(t, s)
	m := e.ask("session/new", fmt.Sprintf(`{"cwd":%s,"mcpServers":[]}`, text(s.dir)))
	require.Nil(t, m.Error)
	return e
}

// text returns a string in JSON.
func text(s string) string {
	b, _ := json.Marshal(s) //nolint:errchkjson // a string
	return string(b)
}

// listen reads what the agent writes.
func (e *editor) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			e.received(line)
		}
		if err != nil {
			e.mu.Lock()
			e.ended = true
			close(e.changed)
			e.changed = make(chan struct{})
			e.mu.Unlock()
			return
		}
	}
}

func (e *editor) received(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		panic(fmt.Sprintf("the agent wrote %q: %v", line, err))
	}
	e.mu.Lock()
	e.messages = append(e.messages, m)
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()
	if m.Method != "" && m.ID != nil && e.answer != nil {
		if result := e.answer(m); result != nil {
			e.reply(m, result)
		}
	}
}

// A rawAnswer is an answer as it is written, with %s for the id.
type rawAnswer string

// reply answers a request of the agent.
func (e *editor) reply(m message, result any) {
	if raw, ok := result.(rawAnswer); ok {
		e.write(fmt.Sprintf(string(raw), m.ID))
		return
	}
	b, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	if failure, ok := result.(*rpcError); ok {
		e.send(message{Version: "2.0", ID: m.ID, Error: failure})
		return
	}
	e.send(message{Version: "2.0", ID: m.ID, Result: b})
}

func (e *editor) send(m message) {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	e.write(string(b))
}

// write sends a line. The agent may have ended.
func (e *editor) write(line string) { _, _ = io.WriteString(e.in, line+"\n") }

// notify sends a notification.
func (e *editor) notify(method, params string) {
	e.send(message{Version: "2.0", Method: method, Params: json.RawMessage(params)})
}

// begin sends a request and returns its id.
func (e *editor) begin(method, params string) string {
	e.id++
	id := fmt.Sprint(e.id)
	e.requested[id] = method
	e.send(message{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: json.RawMessage(params)})
	return id
}

// ask sends a request and waits for the answer.
func (e *editor) ask(method, params string) message {
	e.t.Helper()
	return e.answerTo(e.begin(method, params))
}

// answerTo waits for the answer to a request.
func (e *editor) answerTo(id string) message {
	e.t.Helper()
	return e.await(func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// await waits for the first message that fits.
func (e *editor) await(fits func(m message) bool) message {
	e.t.Helper()
	return e.awaitAfter(0, fits)
}

// awaitAfter waits for the first message that fits behind that many others.
func (e *editor) awaitAfter(seen int, fits func(m message) bool) message {
	e.t.Helper()
	for {
		e.mu.Lock()
		all := slices.Clone(e.messages[seen:])
		i, ended, changed := slices.IndexFunc(all, fits), e.ended, e.changed
		e.mu.Unlock()
		if i >= 0 {
			return all[i]
		}
		require.False(e.t, ended, "the agent has ended, after %v", all)
		<-changed
	}
}

// awaitMethod waits for the first request or notification of that method.
func (e *editor) awaitMethod(method string) message {
	e.t.Helper()
	return e.await(func(m message) bool { return m.Method == method })
}

// session is the parameter of requests about the session.
func (e *editor) session(more string) string {
	return fmt.Sprintf(`{"sessionId":%s%s}`, text(e.h.ID()), more)
}

// prompt begins a prompt with a text.
func (e *editor) prompt(words string) string {
	return e.begin("session/prompt", e.session(`,"prompt":[{"type":"text","text":`+text(words)+`}]`))
}

// stops sends a prompt, and returns why it has ended.
func (e *editor) stops(words string) sdk.StopReason {
	e.t.Helper()
	return e.stopOf(e.prompt(words))
}

// stopOf waits for the end of a prompt.
func (e *editor) stopOf(id string) sdk.StopReason {
	e.t.Helper()
	m := e.answerTo(id)
	require.Nil(e.t, m.Error)
	var r struct {
		Stop sdk.StopReason `json:"stopReason"`
	}
	require.NoError(e.t, json.Unmarshal(m.Result, &r))
	return r.Stop
}

// all returns the messages that have come.
func (e *editor) all() []message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// updates returns the updates that have come of a kind, or all without one.
func (e *editor) updates(kinds ...string) (all []update) {
	e.t.Helper()
	for _, m := range e.all() {
		if m.Method != "session/update" {
			continue
		}
		var n struct {
			Update update `json:"update"`
		}
		require.NoError(e.t, json.Unmarshal(m.Params, &n))
		if len(kinds) == 0 || slices.Contains(kinds, n.Update.Kind) {
			all = append(all, n.Update)
		}
	}
	return all
}

// leave closes the input of the agent and waits until it has ended.
func (e *editor) leave() error {
	_ = e.in.Close()
	return <-e.served
}

// A permission is what a test looks at in a request for permission.
type permission struct {
	Call    update `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"options"`
}

func permissionOf(t testing.TB, m message) (p permission) {
	t.Helper()
	require.Equal(t, "session/request_permission", m.Method)
	require.NoError(t, json.Unmarshal(m.Params, &p))
	return p
}

// selected is the answer that names an option.
func selected(option string) any {
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}
}

// selecting answers each request for permission with an option.
func selecting(option string) func(message) any {
	return func(message) any { return selected(option) }
}

// words joins the texts of a content.
func words(content any) string {
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if s, ok := v["text"].(string); ok {
				all = append(all, s)
			}
			walk(v["content"])
		}
	}
	walk(content)
	return strings.Join(all, "\n")
}

// simple returns a tool that takes no input, reads nothing, and does what f does.
func simple(name string, f func(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: name}, Description: "Does what a test wants.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) { return f(ctx, c) },
	})
}
