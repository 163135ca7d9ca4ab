package acp

import (
	"context"
	"fmt"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Turn is the loop of the host: it hands the prompt of the user to its model, runs the calls
// of the model until that is done, and says why it has ended. It is called for one prompt of a
// conversation at a time, after NewTurn of its session.
//
// Ctx ends with [pegboard.ErrUserInterrupt] when the user cancels the prompt, and with
// [ErrDisconnected] when the editor has left; it belongs into every batch and request of the
// turn. The editor is then told that the prompt was cancelled, whatever Turn returns. Any
// other error fails the prompt, and the editor shows its text. A panic fails it, too, and is
// logged.
//
// A text of the prompt is a part with Text. A link of the user is such a text, in Markdown. An
// image, a sound or a resource has the MIME type and its bytes or text, a resource also its
// address as Title.
//
// An empty reason counts as [sdk.StopReasonEndTurn].
type Turn func(ctx context.Context, prompt []pegboard.Part) (sdk.StopReason, error)

// known reports whether the editor knows the reason.
func known(s sdk.StopReason) bool {
	switch s {
	case sdk.StopReasonEndTurn, sdk.StopReasonMaxTokens, sdk.StopReasonMaxTurnRequests, sdk.StopReasonRefusal, sdk.StopReasonCancelled:
		return true
	}
	return false
}

// A turn is a prompt that runs.
type turn struct {
	ctx    context.Context //nolint:containedctx // a cancellation may come before the prompt is run
	cancel context.CancelCauseFunc
	prompt []pegboard.Part
	done   chan struct{}
}

func newTurn(here context.Context, prompt []pegboard.Part) *turn {
	t := &turn{prompt: prompt, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(here)
	return t
}

// run runs a prompt that was begun.
func (c *Conversation) run(t *turn) (any, error) {
	defer t.cancel(nil)
	defer c.end(t)
	var stop sdk.StopReason
	var err error
	crash := <-goroutine.Go(func() {
		c.session.NewTurn()
		stop, err = c.loop(t.ctx, t.prompt)
	})
	c.tellChanges()
	switch {
	case crash != nil:
		c.connection.agent.logError("a prompt", crash)
		err = fmt.Errorf("the agent failed inside")
	case stop == "":
		stop = sdk.StopReasonEndTurn
	}
	switch {
	case t.ctx.Err() != nil:
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	case err != nil:
		return nil, foreign(err)
	case !known(stop):
		return nil, fmt.Errorf("the turn has ended for a reason that the protocol does not know: %q", stop)
	}
	return sdk.PromptResponse{StopReason: stop}, nil
}
