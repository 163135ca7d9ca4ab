package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// The names of InvokeTools.
const (
	toolEcho  = "InvokeEcho"  // returns the id, the name and the input
	toolParts = "InvokeParts" // returns parts of every form, as an error if the input says so
	toolFail  = "InvokeFail"  // returns an error, and a part
	toolCrash = "InvokeCrash" // panics
	toolWait  = "InvokeWait"  // waits for the end of the context
	toolMeet  = "InvokeMeet"  // waits until two calls are in it
	toolRan   = "InvokeRan"   // returns the runs so far, as JSON
)

// InvokeTools returns the tools whose calls [CheckInvoke] runs. A process that performs
// calls for another registers them, once, in the pool of its side. They write nothing.
// They count their calls, so each CheckInvoke needs tools of its own.
func InvokeTools() []pegboard.Tool {
	r := &invokeRecord{ran: map[string]*invokeRun{}, met: make(chan struct{})}
	calls := map[string]func(context.Context, *pegboard.Call) (*pegboard.Result, error){
		toolEcho: r.echo, toolParts: partsOfEveryForm, toolFail: failWithPart,
		toolCrash: func(context.Context, *pegboard.Call) (*pegboard.Result, error) { panic("the tool panics") },
		toolWait:  r.wait, toolMeet: r.meet,
	}
	tools := []pegboard.Tool{invokeTool(toolRan, r.report)}
	for _, name := range []string{toolEcho, toolParts, toolFail, toolCrash, toolWait, toolMeet} {
		tools = append(tools, invokeTool(name, func(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
			r.begin(c.ID)
			return calls[name](ctx, c)
		}))
	}
	return tools
}

func invokeTool(name string, call func(context.Context, *pegboard.Call) (*pegboard.Result, error)) pegboard.Tool {
	t, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: name},
		Description: "For CheckInvoke.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(ctx context.Context, _ json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
			return call(ctx, c)
		},
	})
	if err != nil {
		panic("tooltest: " + err.Error()) // the schema and the name are constants
	}
	return t
}

// An invokeRecord counts the calls that one side has run.
type invokeRecord struct {
	mu  sync.Mutex
	ran map[string]*invokeRun // by the call's id
	met chan struct{}         // closed when two calls are in meet
	in  int                   // calls in meet
}

// An invokeRun says how often a call has run, and why its context ended.
type invokeRun struct {
	Runs  int    `json:"runs"`
	Ended string `json:"ended"`
}

func (r *invokeRecord) begin(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ran[id] == nil {
		r.ran[id] = &invokeRun{}
	}
	r.ran[id].Runs++
}

func (r *invokeRecord) report(context.Context, *pegboard.Call) (*pegboard.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := json.Marshal(r.ran)
	return pegboard.TextResult(string(text)), err
}

func (r *invokeRecord) echo(_ context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	return pegboard.TextResult(fmt.Sprintf("%s %s %s", c.ID, c.Name, string(c.Input))), nil
}

func (r *invokeRecord) wait(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	<-ctx.Done()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran[c.ID].Ended = context.Cause(ctx).Error()
	return nil, context.Cause(ctx)
}

func (r *invokeRecord) meet(ctx context.Context, _ *pegboard.Call) (*pegboard.Result, error) {
	r.mu.Lock()
	if r.in++; r.in == 2 {
		close(r.met)
	}
	r.mu.Unlock()
	select {
	case <-r.met:
		return pegboard.TextResult("met"), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func partsOfEveryForm(_ context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	var in struct {
		Error bool `json:"error"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	return &pegboard.Result{IsError: in.Error, Parts: []pegboard.Part{
		{Text: "a text with é, 漢 and <&>\n"},
		{Text: "another text"},
		{MIME: "application/pdf", Data: []byte("%PDF\x00\xff\xfe"), Title: "a document"},
		{Text: "found here", Title: "a page", Source: "https://example.com/page"},
		{Tool: toolEcho},
	}}, nil
}

func failWithPart(context.Context, *pegboard.Call) (*pegboard.Result, error) {
	return pegboard.TextResult("what was done before"), errors.New("the tool failed:\nsend a shorter text")
}

// A visitedTool is a tool whose calls are passed to a function and not run.
type visitedTool struct {
	pegboard.Tool
	visit func(context.Context, *pegboard.Call)
}

// Call passes the call to visit.
func (v visitedTool) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	v.visit(ctx, c)
	return &pegboard.Result{}, nil
}
