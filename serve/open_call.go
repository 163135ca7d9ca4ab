package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
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

// answer settles the present question, if it is the one of the state. A state of an
// earlier question was answered before, and changes nothing.
func (c *openCall) answer(state string, given mcp.InputResponseMap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ask == nil || c.ask.state != state {
		return
	}
	response, ok := given[c.ask.key].(*mcp.ElicitResult)
	if !ok || response == nil {
		return // it is asked again
	}
	c.settle(response)
}

// settle settles the present question by a response, if it is an answer. The caller holds mu.
func (c *openCall) settle(response *mcp.ElicitResult) {
	if r, ok := c.ask.accepts(response); ok {
		c.ask.settle(r)
		c.ask = nil
	}
}

// put puts a question to the client and waits for the reply. The error is the cause of ctx.
func (c *openCall) put(ctx context.Context, a *ask) (reply, error) {
	if !c.show(ctx, a) {
		return reply{nobody: true}, nil
	}
	select {
	case r := <-a.reply:
		return r, nil
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ask == a {
		c.ask = nil
		c.change()
	}
	return reply{}, context.Cause(ctx)
}

// show makes a the present question. It reports false if the client cannot be asked.
func (c *openCall) show(ctx context.Context, a *ask) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outcome != nil || c.left || c.ask != nil || !c.canAsk.ask(a) {
		return false
	}
	c.ask, a.withdrawn = a, ctx.Done()
	if response, ok := c.given[a.key].(*mcp.ElicitResult); ok && a.form {
		delete(c.given, a.key)
		if c.settle(response); c.ask == nil {
			return true
		}
	}
	if !c.canAsk.inline {
		c.asked = true
		c.peer.server.setState(a.state, c)
	}
	c.change()
	return true
}

// expire withdraws the question that the client has not answered. Nothing else is asked for
// the call.
func (c *openCall) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == 0 {
		c.left = true
		if c.ask != nil {
			c.ask.settle(reply{expired: true})
			c.ask = nil
		}
	}
}

// join counts a request that waits for the call.
func (c *openCall) join(req *mcp.CallToolRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.canAsk, c.left = asksOf(req), false
	if c.expiry != nil {
		c.expiry.Stop()
		c.expiry = nil
	}
}

// leave ends the wait of a request. If it was the last one, cancelled stops the call;
// otherwise the client has some time to come back.
func (c *openCall) leave(cancelled bool) {
	c.mu.Lock()
	c.requests--
	last := c.requests == 0 && c.outcome == nil
	if last && !cancelled {
		c.expiry = time.AfterFunc(c.peer.server.o.Answer, c.expire)
	}
	c.mu.Unlock()
	if last && cancelled {
		c.stop(fmt.Errorf("%w: the client has cancelled the call", pegboard.ErrUserInterrupt))
	}
}

// wait sends progress to the client until the call has ended or asks something.
func (c *openCall) wait(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var sent progress
	for tries := 0; ; {
		notes, a, outcome, changed := c.look()
		for _, n := range notes {
			sent.send(ctx, req, n)
		}
		switch {
		case outcome != nil:
			c.leave(false)
			return c.peer.resultOf(outcome), nil
		case ctx.Err() != nil:
			c.leave(true)
			return nil, context.Cause(ctx)
		case a != nil && !asksInline(req):
			c.leave(false)
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{a.key: a.params()}, RequestState: a.state}, nil
		case a != nil:
			tries = c.askInline(ctx, req, a, tries)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// look returns the news of the call.
func (c *openCall) look() (notes []note, a *ask, outcome *pegboard.Outcome, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	notes, c.notes = c.notes, nil
	return notes, c.ask, c.outcome, c.changed
}

// askInline asks a client of an earlier protocol by a request of the server, while its own
// request waits. It returns how often the client was asked the same.
func (c *openCall) askInline(ctx context.Context, req *mcp.CallToolRequest, a *ask, tries int) int {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	goroutine.Go(func() {
		select {
		case <-a.withdrawn:
			cancel()
		case <-ended:
		}
	})
	response, err := req.Session.Elicit(asking, a.params())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ask != a { // it was withdrawn, or another request has brought the answer
		return 0
	}
	if ctx.Err() != nil {
		return 0 // the call is stopped
	}
	if err == nil {
		if c.settle(response); c.ask == nil {
			return 0
		}
		if tries++; tries < maxTries {
			return tries
		}
		err = errors.New("the client gave no possible answer")
	}
	a.settle(reply{nobody: true, err: err})
	c.ask = nil
	return 0
}
