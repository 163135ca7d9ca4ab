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
	ErrNobody  = errors.New("nobody can be asked")
	ErrExpired = errors.New("nobody answered in time")
)

var (
	errSettled  = errors.New("somebody else has answered") // ends those who were asked in vain
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
	// After is how long they have the question to themselves, unless all abstain
	// before.
	After time.Duration

	// Question is what stands in line for the person, under its id.
	Question func(id string) Q
	// Person shows it when it has the floor, and returns nil once there was an
	// answer by Line, or says why there is none. Either ends the race, without an
	// answer if there was none. Nil in its place means that there is nobody.
	Person func(ctx context.Context, id string) error
	// Timeout is how long that may take; 0 means as long as it takes.
	Timeout time.Duration
	// Put is called once the question stands in line.
	Put func(id string)
	// Again settles what the answer to another question has settled. It is called
	// when the question is put and after every Change of the line.
	Again func() (A, bool)

	ctx     context.Context //nolint:containedctx // a race is a scope, of those who are asked
	bids    chan bid[A]
	waiting int // deciders that have said nothing

	entry   *Entry[Q, A] // set once the question is in line
	turn    <-chan struct{}
	changed <-chan struct{}
	late    <-chan time.Time
	shown   bool
}

// bid is what a decider says, or the person why there is no answer.
type bid[A any] struct {
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
	var won bid[A]
	defer func() { cancel(cmp.Or(won.err, errSettled)) }()
	defer r.leave()
	r.bids = make(chan bid[A], len(r.Deciders)+1)
	for _, d := range r.Deciders {
		r.waiting++
		r.Line.hear(r.bids, false, func(b *bid[A]) { b.answer, b.ok = d(r.ctx) })
	}
	won = r.first()
	return won.answer, won.err
}

// hear has f fill in a bid on a goroutine of its own.
func (l *Line[Q, A]) hear(bids chan<- bid[A], person bool, f func(*bid[A])) {
	l.expect(1)
	goroutine.Go(func() {
		b := bid[A]{person: person}
		defer func() { // even if f ends the goroutine
			bids <- b
			l.expect(-1)
		}()
		if err := goroutine.Try(func() error { f(&b); return nil }); err != nil {
			b.err = err
		}
	})
}

func (r *Race[Q, A]) first() bid[A] {
	head := time.NewTimer(max(r.After, 0))
	defer head.Stop()
	alone := r.waiting > 0 && r.After > 0
	var won *bid[A]
	for {
		if won == nil && !alone && r.entry == nil && r.ctx.Err() == nil {
			won = r.put()
		}
		if won != nil && (r.entry == nil || r.entry.Withdraw()) {
			return *won
		}
		select {
		case b := <-r.bids:
			if ends := r.weigh(&b); won == nil && ends {
				won = &b
			}
			alone = alone && r.waiting > 0
		case <-head.C:
			alone = false
		case <-r.turn:
			r.turn = nil
			if won == nil && r.ctx.Err() == nil && len(r.entry.answer) == 0 {
				r.show()
			}
		case a, ok := <-r.answered():
			if ok {
				return bid[A]{answer: a}
			}
		case <-r.changed:
			r.changed = r.Line.Changed()
			if won == nil {
				won = r.again()
			}
		case <-r.late:
			if won == nil {
				won = &bid[A]{err: fmt.Errorf("%w: waited %v", ErrExpired, r.Timeout)}
			}
		case <-r.ctx.Done():
			return bid[A]{err: context.Cause(r.ctx)}
		}
	}
}

// weigh reports whether b ends the race. What the person answers comes through the
// line, where it stands by now, if there is such an answer.
func (r *Race[Q, A]) weigh(b *bid[A]) bool {
	if b.person {
		b.err = cmp.Or(b.err, errNoAnswer)
		return true
	}
	r.waiting--
	return b.ok
}

func (r *Race[Q, A]) answered() <-chan A {
	if r.entry == nil {
		return nil
	}
	return r.entry.answer
}

func (r *Race[Q, A]) again() *bid[A] {
	if a, ok := r.Again(); ok {
		return &bid[A]{answer: a}
	}
	return nil
}

// put takes a place in line for the person, if there is one.
func (r *Race[Q, A]) put() *bid[A] {
	if r.Person == nil {
		if r.waiting > 0 {
			return nil
		}
		return &bid[A]{err: ErrNobody}
	}
	r.changed = r.Line.Changed() // before the look that follows
	r.entry = r.Line.Put(r.Question)
	r.turn = r.entry.turn
	r.Put(r.entry.ID)
	return r.again()
}

// show lets the person see the question.
func (r *Race[Q, A]) show() {
	r.shown = true
	if r.Timeout > 0 {
		r.late = time.After(r.Timeout)
	}
	entry := r.entry
	r.Line.hear(r.bids, true, func(b *bid[A]) {
		defer entry.Yield()
		b.err = r.Person(r.ctx, entry.ID)
	})
}

// leave takes the question out of line.
func (r *Race[Q, A]) leave() {
	if r.entry == nil {
		return
	}
	r.entry.Withdraw()
	if !r.shown {
		r.entry.Yield()
	}
}
