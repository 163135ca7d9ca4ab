package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
