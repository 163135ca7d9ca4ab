package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
)

// afterTurn runs a turn to its end and returns the updates.
func afterTurn(t testing.TB, s setup) []update {
	t.Helper()
	e := opened(t, s)
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("go"))
	return e.updates()
}

// TestOutcomes shows how calls end.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	tool := func(f func(c *pegboard.Call) (*pegboard.Result, error)) pegboard.Tool {
		return simple("T", func(_ context.Context, c *pegboard.Call) (*pegboard.Result, error) { return f(c) })
	}
	result := func(r pegboard.Result) pegboard.Tool {
		return tool(func(*pegboard.Call) (*pegboard.Result, error) { return &r, nil })
	}
	for _, tt := range []struct {
		name    string
		tool    pegboard.Tool
		call    pegboard.Call
		status  string
		content string // JSON
		output  any
	}{
		{name: "text", tool: result(pegboard.Result{Parts: []pegboard.Part{{Text: "a"}, {Text: "b"}}}), status: "completed",
			content: `[{"type":"content","content":{"type":"text","text":"a"}},{"type":"content","content":{"type":"text","text":"b"}}]`},
		{name: "nothing", tool: result(pegboard.Result{}), status: "completed", content: `[{"type":"content","content":{"type":"text","text":"(T ran and returned nothing)"}}]`},
		{name: "a line and data", tool: result(pegboard.Result{Line: "Found 2", Data: map[string]int{"found": 2}, Parts: []pegboard.Part{{Text: "x"}}}), status: "completed", output: map[string]any{"found": 2.0},
			content: `[{"type":"content","content":{"type":"text","text":"Found 2"}},{"type":"content","content":{"type":"text","text":"x"}}]`},
		{name: "data that is no JSON", tool: result(pegboard.Result{Data: make(chan int), Parts: []pegboard.Part{{Text: "x"}}}), status: "completed", content: `[{"type":"content","content":{"type":"text","text":"x"}}]`},
		{name: "data that is long", tool: result(pegboard.Result{Data: strings.Repeat("x", 300<<10), Parts: []pegboard.Part{{Text: "x"}}}), status: "completed", content: `[{"type":"content","content":{"type":"text","text":"x"}}]`},
		{name: "a failure", tool: result(pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: "no such page"}}}), status: "failed", content: `[{"type":"content","content":{"type":"text","text":"no such page"}}]`},
		{name: "an error", tool: tool(func(*pegboard.Call) (*pegboard.Result, error) { return nil, errors.New("broken") }), status: "failed", content: `[{"type":"content","content":{"type":"text","text":"Failed: broken"}}]`},
		{name: "a panic", tool: tool(func(*pegboard.Call) (*pegboard.Result, error) { panic("secret") }), status: "failed", content: `[{"type":"content","content":{"type":"text","text":"Failed inside, which is a fault of the program"}}]`},
		{name: "an unknown tool", call: call("c", "Teleport", "{}"), status: "failed", content: `[{"type":"content","content":{"type":"text","text":"There is no such tool"}}]`},
		{name: "input that is no JSON", tool: result(pegboard.Result{}), call: call("c", "T", "{"), status: "failed"},
		{name: "an image", tool: result(pegboard.Result{Parts: []pegboard.Part{{Text: "shot", MIME: "image/png", Data: tinyPNG}}}), status: "completed"},
		{name: "a sound", tool: result(pegboard.Result{Parts: []pegboard.Part{{MIME: "audio/wav", Data: []byte("RIFF")}}}), status: "completed", content: `[{"type":"content","content":{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}}]`},
		{name: "documents", tool: result(pegboard.Result{Parts: []pegboard.Part{{Title: "file:///a.md", MIME: "text/markdown", Text: "# A"}, {Title: "b c", MIME: "application/pdf", Data: []byte("%PDF")}}}), status: "completed",
			content: `[{"type":"content","content":{"type":"resource","resource":{"uri":"file:///a.md","mimeType":"text/markdown","text":"# A"}}},{"type":"content","content":{"type":"resource","resource":{"uri":"pegboard:document/b%20c","mimeType":"application/pdf","blob":"JVBERg=="}}}]`},
		{name: "a found passage", tool: result(pegboard.Result{Parts: []pegboard.Part{{Title: "A", Source: "https://a", Text: "text"}, {Tool: "Other"}}}), status: "completed",
			content: `[{"type":"content","content":{"type":"text","text":"A\nhttps://a\ntext"}},{"type":"content","content":{"type":"text","text":"The tool Other was found; it can be called."}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.call.Name == "" {
				tt.call = call("c", "T", "{}")
			}
			s := setup{turn: calling(tt.call)}
			if tt.tool != nil {
				s.tools = []pegboard.Tool{tt.tool}
			}
			all := afterTurn(t, s)
			require.Equal(t, "tool_call", all[0].Kind)
			require.NotEmpty(t, all[0].Title)
			last := all[len(all)-1]
			require.Equal(t, tt.status, last.Status)
			require.Equal(t, tt.output, last.Output)
			if tt.content != "" {
				content, err := json.Marshal(last.Content)
				require.NoError(t, err)
				require.JSONEq(t, tt.content, string(content))
			}
		})
	}
}

// tinyPNG is a picture of one pixel.
var tinyPNG = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa7\x35\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82")

// TestCallsKeepTheirIDs runs calls whose ids alone do not tell them apart.
func TestCallsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	echo := pegboard.Build(pegboard.Definition[struct{ N int }, int]{
		Info: pegboard.Info{Name: "Echo"}, Description: "Echoes.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in struct{ N int }, _ *pegboard.Call) (int, error) { return in.N, nil },
	})
	all := afterTurn(t, setup{tools: []pegboard.Tool{echo}, turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		h.run(ctx, call("a", "Echo", `{"N":1}`), call("a", "Echo", `{"N":2}`)) // the second is a duplicate
		h.run(ctx, call("a", "Echo", `{"N":3}`))                               // of another message
		h.run(ctx, call("", "Echo", `{"N":4}`), call("", "Echo", `{"N":5}`), call("", "Echo", `{"N":5}`))
		return "", nil
	}})
	begun, ended := map[string]any{}, map[string]string{}
	for _, u := range all {
		if u.Kind == "tool_call" {
			require.NotContains(t, begun, u.ID)
			begun[u.ID] = u.Input
		}
		if u.Status == "completed" || u.Status == "failed" {
			require.NotContains(t, ended, u.ID)
			ended[u.ID] = words(u.Content)
		}
	}
	require.Len(t, begun, len(ended))
	require.Equal(t, map[string]string{"a#1": "1", "a#2": "Not run: another call has the same id", "a#3": "3", "#4": "4", "#5": "5", "#6": "5"}, ended)
}

// TestInputIsShownAsItIs shows a number that a float64 cannot hold.
func TestInputIsShownAsItIs(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: calling(call("a", "Read", `{"file_path":"x","offset":9007199254740993}`))})
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("go"))
	require.Contains(t, string(e.awaitMethod("session/update").Params), "9007199254740993")
}

// TestInnerCallsAndAgents shows where a call comes from.
func TestInnerCallsAndAgents(t *testing.T) {
	t.Parallel()
	inner := simple("Inner", func(context.Context, *pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("in"), nil })
	outer := simple("Outer", func(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
		return c.Run(ctx, call("o", "Inner", "{}"))[0].Result, nil
	})
	all := afterTurn(t, setup{tools: []pegboard.Tool{inner, outer}, turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		h.run(ctx, call("o", "Outer", "{}"))
		child, err := h.session.Fork(pegboard.SessionConfig{AgentID: "scout"})
		if err != nil {
			return "", err
		}
		h.executor.Run(ctx, h.registry.AssemblePool(child, pegboard.PoolConfig{}), call("o", "Inner", "{}"))
		return "", nil
	}})
	meta := map[string]any{}
	for _, u := range all {
		if u.Kind == "tool_call" {
			meta[u.ID] = u.Meta
		}
	}
	require.Equal(t, map[string]any{"o#1": nil, "o#2": map[string]any{"pegboard/parent": "o#1"}, "o#3": map[string]any{"pegboard/agents": []any{"scout"}}}, meta)
}

// TestNotes shows what a call waits for, and its progress, and takes both back.
func TestNotes(t *testing.T) {
	t.Parallel()
	holding, went := make(chan struct{}), make(chan struct{})
	first := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Alone"}, Description: "Runs alone.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Exclusive},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Emit("half done")
			<-holding
			return "done", nil
		},
	})
	e := opened(t, setup{tools: []pegboard.Tool{first}, turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		h.run(ctx, call("a", "Alone", "{}"), call("b", "Read", `{"file_path":"x"}`))
		close(went)
		return "", nil
	}})
	id := e.prompt("go")
	seen := func(id, text string) func(message) bool {
		return func(m message) bool {
			var n struct {
				Update update `json:"update"`
			}
			return json.Unmarshal(m.Params, &n) == nil && n.Update.ID == id && strings.Contains(words(n.Update.Content), text)
		}
	}
	e.await(seen("a#1", "half done"))
	e.await(seen("b#2", "Alone runs alone"))
	close(holding)
	<-went
	require.Equal(t, sdk.StopReasonEndTurn, e.stopOf(id))
	var after []any
	for _, u := range e.updates("tool_call_update") {
		if u.ID == "b#2" && u.Status == "in_progress" {
			after = append(after, u.Content)
		}
	}
	require.Equal(t, []any{[]any{}}, after, "the note goes when the call starts")
}

// TestPlanFollowsTodoWrite shows the list of the main agent, once for each change.
func TestPlanFollowsTodoWrite(t *testing.T) {
	t.Parallel()
	write := func(id, status string) pegboard.Call {
		return call(id, "TodoWrite", fmt.Sprintf(`{"todos":[{"content":"Test","status":%q,"activeForm":"Testing"}]}`, status))
	}
	e := opened(t, setup{turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		h.Plan(sdk.PlanEntry{Content: "by hand"}, sdk.PlanEntry{Content: "then", Priority: sdk.PlanEntryPriorityHigh, Status: sdk.PlanEntryStatusCompleted})
		h.run(ctx, write("1", "in_progress"))
		h.run(ctx, write("2", "in_progress"))
		h.run(ctx, write("3", "completed"))
		h.Plan()
		return "", nil
	}})
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("plan"))
	var plans []any
	for _, u := range e.updates("plan") {
		plans = append(plans, u.Entries)
	}
	entry := func(content, priority, status string) any {
		return map[string]any{"content": content, "priority": priority, "status": status}
	}
	require.Equal(t, []any{
		[]any{entry("by hand", "medium", "pending"), entry("then", "high", "completed")},
		[]any{entry("Test", "medium", "in_progress")}, []any{entry("Test", "medium", "completed")}, []any{},
	}, plans)
}

// TestEditorThatDoesNotRead ends the connection when too much waits, and holds up no call
// before that.
func TestEditorThatDoesNotRead(t *testing.T) {
	t.Parallel()
	ready := make(chan *acp.Conversation, 1)
	agent, err := acp.New(acp.Options{Logger: quiet(), Open: func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir()})
		return session, func(ctx context.Context, _ []pegboard.Part) (sdk.StopReason, error) {
			ready <- c
			<-ctx.Done()
			return "", context.Cause(ctx)
		}, err
	}})
	require.NoError(t, err)
	in, out := newHalfPipe(), newHalfPipe()
	served := make(chan error, 1)
	go func() { served <- agent.Serve(t.Context(), in, out) }()
	in.write(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`)
	var r struct {
		Result struct {
			Session string `json:"sessionId"`
		} `json:"result"`
	}
	require.NoError(t, json.Unmarshal(<-out.lines, &r))
	in.write(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + r.Result.Session + `","prompt":[{"type":"text","text":"x"}]}}`)
	c := <-ready
	piece := strings.Repeat("x", 1<<20)
	for range 80 {
		c.Say(piece)
	}
	require.ErrorContains(t, <-served, "the editor does not read")
}

// TestTurnThatGoesOn ignores its context. Serve gives it up after ten seconds.
func TestTurnThatGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn, begun := make(chan struct{}), make(chan struct{})
		e := opened(t, setup{dir: "/", turn: func(context.Context, *host) (sdk.StopReason, error) {
			close(begun)
			<-goOn
			return "", nil
		}})
		e.prompt("go on")
		<-begun
		left := time.Now()
		require.ErrorContains(t, e.leave(), "a prompt goes on")
		require.GreaterOrEqual(t, time.Since(left), 10*time.Second)
		close(goOn)
	})
}

// A halfPipe is an input or an output of an agent. Of an output only the first line is read.
type halfPipe struct {
	lines  chan []byte
	rest   []byte
	closed chan struct{}
	once   sync.Once
}

func newHalfPipe() *halfPipe { return &halfPipe{lines: make(chan []byte), closed: make(chan struct{})} }

func (p *halfPipe) write(line string) { p.lines <- []byte(line + "\n") }

func (p *halfPipe) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		select {
		case p.rest = <-p.lines:
		case <-p.closed:
			return 0, io.EOF
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *halfPipe) Write(b []byte) (int, error) {
	select {
	case p.lines <- b:
		return len(b), nil
	case <-p.closed:
		return 0, io.ErrClosedPipe
	}
}

func (p *halfPipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
