// Package asking queues questions until each is answered or withdrawn. It knows nothing
// of their content: questions are shown one at a time, any open one may be answered by
// its id, and none is answered twice.
package asking

import (
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// ErrStale says that no open question has the id: it was answered or withdrawn, or never
// existed.
var ErrStale = errors.New("the question is no longer open")

// A Line holds the questions of one conversation in the order in which they were added.
// Make it with NewLine. All methods may be called from any goroutine.
type Line[Q, A any] struct {
	prefix string // random, so that an id of another line or another process is stale

	mu      lock.Mutex
	count   uint64
	entries []*Entry[Q, A] // entries that were not removed
	changed chan struct{}  // closed by the next NotifyChange
	running int            // deciders and prompts of races that have not returned
	idle    sync.Cond      // running became 0
}

// An Entry is a question in line. The goroutine that added it must call Withdraw and
// Remove.
type Entry[Q, A any] struct {
	ID       string
	Question Q

	line   *Line[Q, A]
	turn   chan struct{} // closed when the entry becomes the first in line
	answer chan A        // receives the one answer

	// Guarded by line.mu.
	state       state
	released    chan struct{} // closed when the last call of Answer that reserved the entry returns
	withdrawing bool          // whether Withdraw was called
}

type state int

const (
	open      state = iota
	accepting       // a call of Answer runs its accept function
	answered        // an answer was delivered
	withdrawn       // answers are refused
)

// NewLine returns an empty line.
func NewLine[Q, A any]() *Line[Q, A] {
	l := &Line[Q, A]{prefix: rand.Text()[:8], changed: make(chan struct{})}
	l.idle.L = &l.mu
	return l
}

// Add adds a question at the end of the line. ask makes the question for its id and must
// not use the line.
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

// Open returns the questions that can be answered, in the order of the line.
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

// Answer calls accept with the question that has the id and delivers the answer that it
// returns. If accept returns an error, Answer returns that error and the question stays
// open, unless Withdraw was called meanwhile. Answer returns ErrStale if no such
// question is open. While accept runs, other calls for the same question wait, so accept
// must not call Answer for it.
//
// If Answer returns nil, the question's race returns this answer, unless its context
// has ended.
func (l *Line[Q, A]) Answer(id string, accept func(Q) (A, error)) error {
	e := l.reserve(id)
	if e == nil {
		return ErrStale
	}
	next := open // stays if accept panics or calls Goexit
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

// reserve returns the question with the id in the state accepting, or nil if it is not
// open. It waits while another goroutine has the question reserved.
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

// NotifyChange tells all races of the line to call Recheck.
func (l *Line[Q, A]) NotifyChange() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
}

// Changed returns a channel that the next call of NotifyChange closes.
func (l *Line[Q, A]) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Wait waits until every decider and prompt that was started has returned. It may miss
// those that a race starts while Wait is called.
func (l *Line[Q, A]) Wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.running > 0 {
		l.idle.Wait()
	}
}

// Idle reports whether every decider and prompt that was started has returned.
func (l *Line[Q, A]) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running == 0
}

// addRunning adds n to the number of deciders and prompts that have not returned.
func (l *Line[Q, A]) addRunning(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running += n; l.running == 0 {
		l.idle.Broadcast()
	}
}

// Turn returns a channel that is closed once e is the first in line, and so may be shown.
func (e *Entry[Q, A]) Turn() <-chan struct{} { return e.turn }

// Answered returns a channel that receives the answer. It is closed instead if an
// answer was being accepted when Withdraw was called, and accept failed.
func (e *Entry[Q, A]) Answered() <-chan A { return e.answer }

// Withdraw closes e to further answers and reports whether there is no answer. It
// returns false if e was answered or an answer is being accepted; in the latter case
// Answered receives that answer or is closed.
func (e *Entry[Q, A]) Withdraw() bool {
	e.line.mu.Lock()
	defer e.line.mu.Unlock()
	e.withdrawing = true
	if e.state == open {
		e.state = withdrawn
	}
	return e.state == withdrawn
}

// Remove takes e out of the line, so that the next entry can be shown. It is called when
// e is no longer shown. Further calls do nothing.
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
