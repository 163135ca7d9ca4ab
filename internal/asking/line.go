// Package asking keeps questions in line until each was answered or withdrawn. It
// knows nothing of what is asked: one question at a time has the floor, any of
// them may be answered by its id, and none is answered twice.
package asking

import (
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"sync"
)

// ErrStale says that no open question has the id: it was answered, withdrawn, or
// never put.
var ErrStale = errors.New("the question is no longer open")

// A Line is the questions of one conversation, in the order in which they were
// put. Make it with New. All methods may be called at the same time.
type Line[Q, A any] struct {
	prefix string // so that an id of another line, or of a run before, is stale

	mu      sync.Mutex
	count   uint64
	entries []*Entry[Q, A] // that are open or have the floor; the first has it
	changed chan struct{}  // closed by the next Change
	running int            // those who were asked, and have not returned
	idle    sync.Cond      // asked became 0
}

// An Entry is a question in line. Whoever put it withdraws it and yields.
type Entry[Q, A any] struct {
	ID       string
	Question Q

	line   *Line[Q, A]
	turn   chan struct{} // closed when it has the floor
	answer chan A        // gets the one answer

	// Guarded by the lock of line.
	state       state
	released    chan struct{} // closed when the claim ends that was made last
	withdrawing bool          // whoever put it wants no answer that is not being accepted
}

type state int

const (
	open      state = iota
	accepting       // somebody's answer is being accepted
	answered        // the answer was delivered
	withdrawn       // nobody waits for an answer
)

// NewLine returns an empty line.
func NewLine[Q, A any]() *Line[Q, A] {
	l := &Line[Q, A]{prefix: rand.Text()[:8], changed: make(chan struct{})}
	l.idle.L = &l.mu
	return l
}

// Add adds the question that ask makes of its id, as the last in line. Ask must not
// use the line.
func (l *Line[Q, A]) Add(ask func(id string) Q) *Entry[Q, A] {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	id := l.prefix + "-" + strconv.FormatUint(l.count, 10)
	e := &Entry[Q, A]{ID: id, Question: ask(id), line: l, turn: make(chan struct{}), answer: make(chan A, 1)}
	l.entries = append(l.entries, e)
	if len(l.entries) == 1 {
		close(e.turn)
	}
	return e
}

// Open returns the questions that can be answered, in line.
func (l *Line[Q, A]) Open() (qs []Q) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.state == open {
			qs = append(qs, e.Question)
		}
	}
	return qs
}

// Answer delivers what accept makes of the question with the id. While accept
// runs, other answers to that question wait, so accept must not give one; if it
// returns an error, the question is as open as before, unless somebody wants to
// withdraw it, and Answer returns that error. Otherwise it is nil, or ErrStale.
//
// Nil means that a race returns this answer, unless its context has ended.
func (l *Line[Q, A]) Answer(id string, accept func(Q) (A, error)) error {
	e := l.reserve(id)
	if e == nil {
		return ErrStale
	}
	next := open // unless accept returns, which it may not
	var a A
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case next == answered:
			e.answer <- a
		case e.withdrawing:
			next = withdrawn
			close(e.answer)
		}
		e.state = next
		close(e.released)
	}()
	a, err := accept(e.Question)
	if err == nil {
		next = answered
	}
	return err
}

// reserve reserves an open question, once nobody else does.
func (l *Line[Q, A]) reserve(id string) *Entry[Q, A] {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		i := slices.IndexFunc(l.entries, func(e *Entry[Q, A]) bool { return e.ID == id && e.state <= accepting })
		if i < 0 {
			return nil
		}
		e := l.entries[i]
		if e.state == open {
			e.state, e.released = accepting, make(chan struct{})
			return e
		}
		freed := e.released
		l.mu.Unlock()
		<-freed
		l.mu.Lock()
	}
}

// NotifyChange tells those who wait that what they ask may be answered by now.
func (l *Line[Q, A]) NotifyChange() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
}

// Changed returns a channel that the next Change closes.
func (l *Line[Q, A]) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Wait returns when all who were asked have returned. Of a race that runs
// meanwhile it may miss those who are asked later.
func (l *Line[Q, A]) Wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.running > 0 {
		l.idle.Wait()
	}
}

// addRunning adds n to those who were asked, and have not returned.
func (l *Line[Q, A]) addRunning(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running += n; l.running == 0 {
		l.idle.Broadcast()
	}
}

// Turn returns a channel that is closed once e has the floor.
func (e *Entry[Q, A]) Turn() <-chan struct{} { return e.turn }

// Answered returns a channel that gets the answer. It is closed if Withdraw failed
// and there is none after all.
func (e *Entry[Q, A]) Answered() <-chan A { return e.answer }

// Withdraw takes e out of what can be answered. It fails if there is an answer, or
// one is being accepted: then Answered has news before long, and no other answer
// is accepted.
func (e *Entry[Q, A]) Withdraw() bool {
	e.line.mu.Lock()
	defer e.line.mu.Unlock()
	e.withdrawing = true
	if e.state == open {
		e.state = withdrawn
	}
	return e.state == withdrawn
}

// Remove gives the floor, or the place in line, to the next. Whoever does it has
// taken the question off the screen.
func (e *Entry[Q, A]) Remove() {
	l := e.line
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.entries, e)
	if i < 0 {
		return
	}
	l.entries = slices.Delete(l.entries, i, i+1)
	if i == 0 && len(l.entries) > 0 {
		close(l.entries[0].turn)
	}
}
