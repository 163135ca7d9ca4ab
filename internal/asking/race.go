package asking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Why a race has no winner.
var (
	ErrNoApprover = errors.New("nobody can be asked")
	ErrExpired    = errors.New("nobody answered in time")
)

var (
	errAnswered = errors.New("somebody else has answered") // ends those who were asked in vain
	errNoAnswer = errors.New("no answer was given")        // of a person who leaves without
)

// A Race puts one question to several deciders at once. The first decision wins,
// and the context of the others ends, with the reason as its cause; nobody waits
// for them to heed it, but the next in line does for the person. What comes while
// an answer is being accepted counts only if that answer does not; the end of the
// context always counts.
//
// It is run once. Without a Person it needs no Question, Put and Again.
type Race[Q, A any] struct {
	Line *Line[Q, A]
	// Deciders answer by themselves. They report whether they did.
	Deciders []func(ctx context.Context) (A, bool)
	// HeadStart is how long they have the question to themselves, unless all abstain
	// before.
	HeadStart time.Duration

	// Question is what stands in line for the person, under its id.
	Question func(id string) Q
	// Prompt shows it when it has the floor, and returns nil once there was an
	// answer by Line, or says why there is none. Either ends the race, without an
	// answer if there was none. Nil in its place means that there is nobody.
	Prompt func(ctx context.Context, id string) error
	// PromptTimeout is how long that may take; 0 means as long as it takes.
	PromptTimeout time.Duration
	// OnQueued is called once the question stands in line.
	OnQueued func(id string)
	// Recheck settles what the answer to another question has settled. It is called
	// when the question is put and after every Change of the line.
	Recheck func() (A, bool)

	ctx       context.Context //nolint:containedctx // a race is a scope, of those who are asked
	results   chan result[A]
	undecided int // deciders that have said nothing

	entry    *Entry[Q, A] // set once the question is in line
	turn     <-chan struct{}
	changed  <-chan struct{}
	timeout  <-chan time.Time
	prompted bool
}

// result is what a decider says, or the person why there is no answer.
type result[A any] struct {
	person bool
	answer A
	ok     bool
	err    error
}

// Run returns the decision that wins, or why there is none: ErrNobody, ErrExpired,
// the cause of ctx, or what Person returned.
func (r *Race[Q, A]) Run(ctx context.Context) (A, error) {
	var cancel context.CancelCauseFunc
	r.ctx, cancel = context.WithCancelCause(ctx)
	var won result[A]
	defer func() { cancel(cmp.Or(won.err, errAnswered)) }()
	defer r.withdraw()
	r.results = make(chan result[A], len(r.Deciders)+1)
	for _, d := range r.Deciders {
		r.undecided++
		r.Line.start(r.results, false, func(b *result[A]) { b.answer, b.ok = d(r.ctx) })
	}
	won = r.firstResult()
	return won.answer, won.err
}

// start has f fill in a bid on a goroutine of its own.
func (l *Line[Q, A]) start(bids chan<- result[A], person bool, f func(*result[A])) {
	l.addRunning(1)
	goroutine.Go(func() {
		b := result[A]{person: person}
		defer func() { // even if f ends the goroutine
			bids <- b
			l.addRunning(-1)
		}()
		if err := goroutine.Try(func() error { f(&b); return nil }); err != nil {
			b.err = err
		}
	})
}

func (r *Race[Q, A]) firstResult() result[A] {
	head := time.NewTimer(max(r.HeadStart, 0))
	defer head.Stop()
	alone := r.undecided > 0 && r.HeadStart > 0
	var won *result[A]
	for {
		if won == nil && !alone && r.entry == nil && r.ctx.Err() == nil {
			won = r.enqueue()
		}
		if won != nil && (r.entry == nil || r.entry.Withdraw()) {
			return *won
		}
		select {
		case b := <-r.results:
			if ends := r.record(&b); won == nil && ends {
				won = &b
			}
			alone = alone && r.undecided > 0
		case <-head.C:
			alone = false
		case <-r.turn:
			r.turn = nil
			if won == nil && r.ctx.Err() == nil && len(r.entry.answer) == 0 {
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

// record reports whether b ends the race. What the person answers comes through the
// line, where it stands by now, if there is such an answer.
func (r *Race[Q, A]) record(b *result[A]) bool {
	if b.person {
		b.err = cmp.Or(b.err, errNoAnswer)
		return true
	}
	r.undecided--
	return b.ok
}

func (r *Race[Q, A]) answered() <-chan A {
	if r.entry == nil {
		return nil
	}
	return r.entry.answer
}

func (r *Race[Q, A]) recheck() *result[A] {
	if a, ok := r.Recheck(); ok {
		return &result[A]{answer: a}
	}
	return nil
}

// enqueue takes a place in line for the person, if there is one.
func (r *Race[Q, A]) enqueue() *result[A] {
	if r.Prompt == nil {
		if r.undecided > 0 {
			return nil
		}
		return &result[A]{err: ErrNoApprover}
	}
	r.changed = r.Line.Changed() // before the look that follows
	r.entry = r.Line.Add(r.Question)
	r.turn = r.entry.turn
	r.OnQueued(r.entry.ID)
	return r.recheck()
}

// prompt lets the person see the question.
func (r *Race[Q, A]) prompt() {
	r.prompted = true
	if r.PromptTimeout > 0 {
		r.timeout = time.After(r.PromptTimeout)
	}
	entry := r.entry
	r.Line.start(r.results, true, func(b *result[A]) {
		defer entry.Remove()
		b.err = r.Prompt(r.ctx, entry.ID)
	})
}

// withdraw takes the question out of line.
func (r *Race[Q, A]) withdraw() {
	if r.entry == nil {
		return
	}
	r.entry.Withdraw()
	if !r.prompted {
		r.entry.Remove()
	}
}
