package asking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// The reasons why a race has no decision.
var (
	ErrNoApprover = errors.New("nobody can be asked")
	ErrExpired    = errors.New("nobody answered in time")
)

var (
	errAnswered = errors.New("somebody else has answered") // cause of the contexts of deciders and prompt when another one won
	errNoAnswer = errors.New("no answer was given")        // for a prompt that returned nil without an answer
)

// A Race puts one question to several deciders and to the user. The first decision wins;
// then the context of the others is cancelled, with the reason as its cause. Run does
// not wait until they return, but the next question of the line is only shown when the
// prompt has returned. While an answer through Line is being accepted, other decisions
// count only if accepting it fails; the end of the context always counts.
//
// A Race runs once. Without a Prompt it needs no Question, OnQueued and Recheck.
type Race[Q, A any] struct {
	Line *Line[Q, A]
	// Deciders answer without the user. Each reports whether it decided; false abstains.
	Deciders []func(ctx context.Context) (A, bool)
	// HeadStart is how long the deciders run before the question is added to the line.
	// It ends early when all have abstained.
	HeadStart time.Duration

	// Hold returns nil if the question may be added to the line, or a channel that is
	// closed when Hold should be called again. A nil Hold means at once. Without a Prompt
	// it is not called.
	Hold func() <-chan struct{}
	// Question makes the question that is added to the line under id.
	Question func(id string) Q
	// Prompt shows the question to the user when it is the first in line. It returns nil
	// after the user answered through Line, or an error that says why there is no answer.
	// If it returns and there is no answer, the race ends without a decision. A nil
	// Prompt means that no user can be asked.
	Prompt func(ctx context.Context, id string) error
	// PromptTimeout limits the time from the call of Prompt to the answer; 0 means no
	// limit.
	PromptTimeout time.Duration
	// OnQueued is called once the question was added to the line.
	OnQueued func(id string)
	// Recheck reports whether the question needs no answer any more, and the decision
	// that applies then. It is called when the question was added and after every
	// NotifyChange of the line.
	Recheck func() (A, bool)

	ctx       context.Context //nolint:containedctx // the context of deciders and prompt, which end with the race
	results   chan result[A]
	undecided int // deciders that have not returned

	entry    *Entry[Q, A]    // nil until the question was added to the line
	held     <-chan struct{} // of Hold
	turn     <-chan struct{}
	changed  <-chan struct{}
	timeout  <-chan time.Time
	prompted bool // whether Prompt was called
}

// result is the return value of a decider or of the prompt. A prompt has no answer of
// its own: that comes through the line.
type result[A any] struct {
	isPrompt bool
	answer   A
	ok       bool
	err      error
}

// Run returns the first decision. Without one the error is ErrNoApprover, ErrExpired,
// the cause of ctx, or the error of Prompt.
func (r *Race[Q, A]) Run(ctx context.Context) (A, error) {
	var cancel context.CancelCauseFunc
	r.ctx, cancel = context.WithCancelCause(ctx)
	var won result[A]
	defer func() { cancel(cmp.Or(won.err, errAnswered)) }()
	defer r.withdraw()
	r.results = make(chan result[A], len(r.Deciders)+1)
	for _, d := range r.Deciders {
		r.undecided++
		r.Line.start(r.results, false, func(res *result[A]) { res.answer, res.ok = d(r.ctx) })
	}
	won = r.firstResult()
	return won.answer, won.err
}

// start calls f on a goroutine of its own and sends the result that f fills in.
func (l *Line[Q, A]) start(results chan<- result[A], isPrompt bool, f func(*result[A])) {
	l.addRunning(1)
	goroutine.Go(func() {
		res := result[A]{isPrompt: isPrompt}
		defer func() { // deferred, since f may call Goexit
			results <- res
			l.addRunning(-1)
		}()
		if err := goroutine.Try(func() error { f(&res); return nil }); err != nil {
			res.err = err
		}
	})
}

// firstResult handles events until one of them ends the race. If an answer is being
// accepted by then, it waits for that answer first.
func (r *Race[Q, A]) firstResult() result[A] {
	timer := time.NewTimer(max(r.HeadStart, 0))
	defer timer.Stop()
	headStart := r.undecided > 0 && r.HeadStart > 0
	var won *result[A]
	for {
		if won == nil && !headStart && r.entry == nil && r.ctx.Err() == nil && !r.hold() {
			won = r.enqueue()
		}
		if won != nil && (r.entry == nil || r.entry.Withdraw()) {
			return *won
		}
		select {
		case res := <-r.results:
			if ends := r.receive(&res); won == nil && ends {
				won = &res
			}
			headStart = headStart && r.undecided > 0
		case <-timer.C:
			headStart = false
		case <-r.held:
			r.held = nil
		case <-r.turn:
			r.turn = nil
			if won == nil && r.ctx.Err() == nil && len(r.answered()) == 0 {
				r.prompt()
			}
		case a, ok := <-r.answered():
			if ok {
				return result[A]{answer: a}
			}
		case <-r.changed:
			r.changed = r.Line.Changed()
			if won == nil {
				won = r.recheck()
			}
		case <-r.timeout:
			if won == nil {
				won = &result[A]{err: fmt.Errorf("%w: waited %v", ErrExpired, r.PromptTimeout)}
			}
		case <-r.ctx.Done():
			return result[A]{err: context.Cause(r.ctx)}
		}
	}
}

// hold reports whether Hold keeps the question out of the line for now.
func (r *Race[Q, A]) hold() bool {
	if r.Hold == nil || r.Prompt == nil {
		return false
	}
	r.held = r.Hold()
	return r.held != nil
}

// receive reports whether res ends the race. A prompt that has returned ends it in any
// case: if the user answered, the answer was delivered through the line before.
func (r *Race[Q, A]) receive(res *result[A]) bool {
	if res.isPrompt {
		res.err = cmp.Or(res.err, errNoAnswer)
		return true
	}
	r.undecided--
	return res.ok
}

// answered returns the channel of the answer through the line; nil before the question
// was added.
func (r *Race[Q, A]) answered() <-chan A {
	if r.entry == nil {
		return nil
	}
	return r.entry.Answered()
}

// recheck returns the decision of Recheck, or nil if the question still needs an answer.
func (r *Race[Q, A]) recheck() *result[A] {
	if a, ok := r.Recheck(); ok {
		return &result[A]{answer: a}
	}
	return nil
}

// enqueue adds the question to the line if there is a prompt. It returns a result if
// that ends the race: no decider is left, or Recheck decided.
func (r *Race[Q, A]) enqueue() *result[A] {
	if r.Prompt == nil {
		if r.undecided > 0 {
			return nil
		}
		return &result[A]{err: ErrNoApprover}
	}
	r.changed = r.Line.Changed() // before recheck, so that no change is missed
	r.entry = r.Line.Add(r.Question)
	r.turn = r.entry.Turn()
	r.OnQueued(r.entry.ID)
	return r.recheck()
}

// prompt starts Prompt and its time-out.
func (r *Race[Q, A]) prompt() {
	r.prompted = true
	if r.PromptTimeout > 0 {
		r.timeout = time.After(r.PromptTimeout)
	}
	entry := r.entry
	r.Line.start(r.results, true, func(res *result[A]) {
		defer entry.Remove()
		res.err = r.Prompt(r.ctx, entry.ID)
	})
}

// withdraw closes the question to further answers. It also removes the entry, unless
// the prompt does so when it returns.
func (r *Race[Q, A]) withdraw() {
	if r.entry == nil {
		return
	}
	r.entry.Withdraw()
	if !r.prompted {
		r.entry.Remove()
	}
}
