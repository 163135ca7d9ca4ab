package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

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
