package serve

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// maxNotes is how many reports of progress wait for a client that does not read them. The
// oldest are dropped.
const maxNotes = 64

// maxTries is how often a client is asked again at once that gives no possible answer.
const maxTries = 3

// modernProtocol is the first version in which a client is asked by the result of its
// request.
const modernProtocol = "2026-07-28"

// An openCall is a call of a client, from its first request until its result was sent. The
// call runs on a goroutine of its own. Requests of the client wait for it: the first one, and
// after a question the one that brings the answer.
type openCall struct {
	peer     *peer
	executor pegboard.Executor
	call     pegboard.Call
	turn     turn
	stop     context.CancelCauseFunc

	mu       lock.Mutex    // guards the fields below
	changed  chan struct{} // closed and replaced when they change
	requests int           // that wait for the call
	canAsk   asks
	notes    []note
	ask      *ask                 // that the client is to answer, or nil
	given    mcp.InputResponseMap // answers that came with the first request
	outcome  *pegboard.Outcome
	left     bool        // the client has not come back in time
	asked    bool        // a state was given for it
	expiry   *time.Timer // set while no request waits
}

type callKey struct{}

// openCallOf returns the call whose context ctx is, or comes from.
func openCallOf(ctx context.Context) (*openCall, bool) {
	c, ok := ctx.Value(callKey{}).(*openCall)
	return c, ok
}

func newOpenCall(p *peer, req *mcp.CallToolRequest) *openCall {
	c := &openCall{
		peer: p, executor: p.server.executor, changed: make(chan struct{}), given: req.Params.InputResponses,
		call: pegboard.Call{ID: "mcp_" + rand.Text(), Name: req.Params.Name, Input: slices.Clone(req.Params.Arguments)},
	}
	c.turn.lane = &p.turns
	hostEvent, hostInvoke := c.executor.OnEvent, c.executor.Invoke
	c.executor.OnEvent = func(e pegboard.Event) {
		c.event(e)
		if hostEvent != nil {
			hostEvent(e)
		}
	}
	c.executor.Invoke = func(ctx context.Context, t pegboard.Tool, call *pegboard.Call) (*pegboard.Result, error) {
		if call.Parent() == nil {
			if err := c.turn.begin(ctx, claimOf(t, call)); err != nil {
				return nil, err
			}
		}
		if hostInvoke != nil {
			return hostInvoke(ctx, t, call)
		}
		return t.Call(ctx, call)
	}
	if c.executor.TraceID == nil {
		c.executor.TraceID = func(context.Context) string { return traceOf(req.Params.Meta) }
	}
	return c
}

// run takes the call through the executor.
func (c *openCall) run(ctx context.Context, pool *pegboard.Pool) {
	defer c.stop(nil)
	defer c.turn.end()
	o := pegboard.Outcome{Result: &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: "The call has crashed."}}}}
	defer func() { c.end(&o) }()
	_ = c.turn.take(ctx, claimFor(pool, c.call)) // after an error the executor answers the call
	o = c.executor.Run(ctx, pool, c.call)[0]
}

// end sets the outcome. If the client was asked, the outcome stays for requests that bring
// a state, also one that was used before.
func (c *openCall) end(o *pegboard.Outcome) {
	c.mu.Lock()
	c.outcome = o
	asked := c.asked
	c.change()
	c.mu.Unlock()
	if !asked {
		c.peer.release()
		return
	}
	time.AfterFunc(c.peer.server.o.Answer, func() {
		c.peer.server.forget(c)
		c.peer.release()
	})
}

// change wakes everything that waits for a change. The caller holds mu.
func (c *openCall) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// event notes the progress of the call and of those that its tool makes.
func (c *openCall) event(e pegboard.Event) {
	switch e.Kind {
	case pegboard.EventAsked:
		if e.Call.Parent() == nil {
			c.turn.leave()
		}
	case pegboard.EventProgress:
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.notes) == maxNotes {
			c.notes = slices.Delete(c.notes, 0, 1)
		}
		c.notes = append(c.notes, newNote(e))
		c.change()
	}
}
