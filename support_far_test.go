package pegboard_test

import (
	"context"
	"encoding/json"
	"flag"

	"github.com/seed49eaa51d/pegboard"
)

var sendFar = flag.Bool("invoke.far", false, "send the calls of all tests away as id, name and bytes")

// anywhere is an Executor whose calls run here, or on a far side when the suite
// runs with -invoke.far.
type anywhere struct{ pegboard.Executor }

func (a anywhere) Run(ctx context.Context, p *pegboard.Pool, calls ...pegboard.Call) []pegboard.Outcome {
	return a.serving(p).Run(ctx, p, calls...)
}

func (a anywhere) Stream(ctx context.Context, p *pegboard.Pool) *pegboard.Stream {
	return a.serving(p).Stream(ctx, p)
}

// serving returns the Executor for the calls of one pool, which is the far side's
// pool as well.
func (a anywhere) serving(p *pegboard.Pool) *pegboard.Executor {
	if *sendFar && a.Invoke == nil {
		a.Invoke = farInvoke(p)
	}
	return &a.Executor
}

// executor returns e for a test. Tests make their executors with it, so that the
// suite can run through farInvoke. Examples and benchmarks do not.
func executor(e pegboard.Executor) anywhere { return anywhere{e} }

// sent is all of a call that reaches the far side.
type sent struct {
	ID, Name string
	Input    []byte // byte for byte: a json.RawMessage would be compacted
}

// farInvoke returns an Invoke as an engine has it that runs calls elsewhere. Of a
// call it sends id, name and bytes, of the context its end with the cause. Only
// the result comes back in memory.
func farInvoke(far *pegboard.Pool) pegboard.Invoke {
	return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		message, err := json.Marshal(sent{c.ID, c.Name, c.Input})
		if err != nil {
			return nil, err
		}
		there, stop := context.WithCancelCause(pegboard.WithSession(context.Background(), far.Session()))
		defer stop(nil)
		defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
		return perform(there, far, message)
	}
}

// perform is the far side of farInvoke.
func perform(ctx context.Context, far *pegboard.Pool, message []byte) (*pegboard.Result, error) {
	var got sent
	if err := json.Unmarshal(message, &got); err != nil {
		return nil, err
	}
	tool, c, err := far.Rebuild(pegboard.Call{ID: got.ID, Name: got.Name, Input: got.Input})
	if err != nil {
		return nil, err
	}
	return tool.Call(ctx, c)
}
