package serve

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Ask puts a question about a call to the client that has made the call: a
// [pegboard.Asker] for the sessions of [Options].Open. The client is asked to allow the call
// once, to deny it, or to allow it and remember one of the question's suggestions for its
// session. Ask abstains, and the call is denied with the reason, if the client cannot be
// asked, makes no choice, or the question is about no call of a client. If the client does
// not come back within [Options].Answer, the error wraps [pegboard.ErrTimeout].
func (s *Server) Ask(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	c, ok := openCallOf(ctx)
	if !ok || c.peer.server != s {
		return pegboard.Decision{}, nil
	}
	answers := answersTo(q)
	a := newAsk("permission", wordingOf(q), answers.accepts)
	a.schema = answers.schema()
	r, err := c.put(ctx, a)
	switch {
	case err != nil:
		return pegboard.Decision{}, err
	case r.expired:
		return pegboard.Decision{}, fmt.Errorf("%w: the client has not come back with an answer", pegboard.ErrTimeout)
	case r.err != nil:
		s.logError("asking a client", r.err)
	}
	return r.decision, nil
}

// Fill shows a form to the client that has made the call in whose context [pegboard.Session].Fill
// was called: a [pegboard.SessionConfig].Fill for the sessions of [Options].Open. A form that
// the client cannot be shown is declined; one that the client does not answer within
// [Options].Answer is cancelled.
func (s *Server) Fill(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
	c, ok := openCallOf(ctx)
	if !ok || c.peer.server != s {
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	message := f.Message
	if f.Problem != "" {
		message = fmt.Sprintf("%s\n\nThe values that were given are refused: %s", message, f.Problem)
	}
	a := newAsk(formKey(f.From), message, acceptForm)
	a.form, a.schema, a.url = true, f.Schema, f.URL
	r, err := c.put(ctx, a)
	switch {
	case err != nil:
		return pegboard.Filled{}, err
	case r.expired:
		return pegboard.Filled{Action: pegboard.FillCancel}, nil
	case r.nobody:
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	return r.filled, nil
}
