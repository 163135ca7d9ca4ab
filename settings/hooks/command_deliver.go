package hooks

import (
	"context"
	"errors"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// startAsync starts a command that is not waited for.
func (o *occasion) startAsync(h *Handler) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &command{occasion: o, handler: h, async: make(chan struct{}), settled: true}
	p, err := c.start(ctx)
	if err != nil {
		cancel(nil)
		o.runner.options.problem(h, startFailure(err))
		return
	}
	o.state.follow(c, p, cancel)
}

// deliver passes on what an asynchronous command gave: its context to the news of the session,
// and what it says to the person. It decides nothing.
func (c *command) deliver(out output) {
	o, ctx := *c.occasion, context.Background()
	o.emit, o.control.strict = nil, false // the call has ended, and the turn has gone on
	if errors.Is(out.failure, errClosed) {
		return
	}
	if c.handler.AsyncRewake && out.code == 2 && out.failure == nil {
		text := strings.TrimSpace(out.stderr)
		if text == "" {
			text = out.text()
		}
		o.runner.options.wake(o.session, o.words(c.handler, o.short(ctx, text)))
		return
	}
	r := o.read(c.handler, out)
	if r.Block || r.Stop || r.allow || r.ask || r.deferred || r.input != nil {
		o.runner.options.problem(c.handler, errors.New("it is asynchronous, so its decision has no effect"))
	}
	o.shorten(ctx, r)
	o.tell(r.message)
	o.sendToTerminal(r)
	for _, text := range r.Context {
		o.session.Tell(pegboard.Part{Text: text})
	}
}
