package pegboard

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
)

// BreakerLimits say how many calls in a row are a sign that the model goes round
// in circles. For each, 0 means 3 and a negative number turns it off. Every agent
// counts for itself, from [Session.NewTurn] on.
type BreakerLimits struct {
	Errors  int // of one tool: its next call is asked about
	Repeats int // of the same call with the same result: it is asked about
	Denials int // of any calls: the turn should end, see Outcome.StopTurn
}

// NewTurn tells the session that the user has spoken: calls before that are in a
// row with none after it.
func (s *Session) NewTurn() { s.loops.NewTurn() }

// count tells the session's breaker what became of the call. When that ends the
// turn, the model is told why.
func (j *job) count(o *Outcome) {
	if j.duplicate {
		return
	}
	said := o.Result.Text()
	for i := range o.Result.Parts { // two previews are the same, whatever they are stored as
		if ref := o.Result.Parts[i].Ref; ref != "" {
			said = strings.ReplaceAll(said, ref, "")
		}
	}
	if stop := j.batch.pool.session.loops.After(j.identity, fate(o), said); stop != "" {
		o.StopTurn = true
		r := *o.Result
		r.Parts = append(slices.Clip(r.Parts), Part{Text: stop})
		o.Result = &r
	}
}

// fate is what an outcome means to a breaker.
func fate(o *Outcome) breaker.Outcome {
	is := func(err error) bool { return errors.Is(o.Err, err) }
	switch {
	case is(ErrDenied):
		return breaker.Denied
	case is(ErrInvalidInput), is(ErrUnknownTool):
		return breaker.Invalid
	case is(ErrCancelled), is(ErrDeferred), is(ErrDuplicate):
		return breaker.NotRun
	case o.Result.IsError:
		return breaker.Failed
	}
	return breaker.Succeeded
}

// countCall tells the session's breaker of a call, in the order of its message,
// and returns why somebody should be asked before it runs, or "".
func (p *Pool) countCall(c *Call) (id breaker.Call, ask string) {
	name := c.Name
	if e, ok := p.lookup(c.Name); ok {
		name = e.info.Name
		if e.info.Polls {
			p.session.loops.Exempt(name)
		}
	}
	id = breaker.CallOf(name, c.Input)
	return id, p.session.loops.Before(id)
}
