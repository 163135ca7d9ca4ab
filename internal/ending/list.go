// Package ending ends what somebody owns, and names what does not end in time.
package ending

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A List is what an owner has to end. Make one with New.
//
// # Concurrency
//
//  1. Add, Remove, Interrupt and Begin may be called from any goroutine.
//  2. End belongs to who called Begin, until it calls Done.
type List struct {
	turn chan struct{} // holds a token from Begin to Done
	due  []*Item       // of End
	left []started     // what an earlier End gave up

	mu     sync.Mutex // guards all below
	items  []*Item
	sealed bool
}

// An Item is one thing to end. It must not be changed once it is in a list.
type Item struct {
	Name string // for the error if it does not end
	// End ends it. It should heed the context. A panic is its error.
	End func(context.Context) error
	// Interrupt stops what it does at present. It must not use the list. It may be
	// nil.
	Interrupt func(cause error)
}

// New returns an empty list.
func New() *List { return &List{turn: make(chan struct{}, 1)} }

// Add puts an item on the list. It reports false, and does nothing, once anybody
// has begun to end the list.
func (l *List) Add(i *Item) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return false
	}
	l.items = append(l.items, i)
	return true
}

// Remove forgets an item that was ended on its own.
func (l *List) Remove(i *Item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = slices.DeleteFunc(l.items, func(other *Item) bool { return other == i })
}

// Interrupt interrupts the items on the list that can be. It reaches none once
// anybody has begun to end the list.
func (l *List) Interrupt(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range l.items {
		if i.Interrupt != nil {
			i.Interrupt(cause)
		}
	}
}

// Begin begins to end the list, which takes no more items. It first waits for
// whoever else has begun; if ctx ends before that, it returns the cause. Without
// an error the caller owes a Done.
func (l *List) Begin(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
	l.due = append(l.due, l.items...)
	l.items = nil
	return nil
}

// Done lets the next one begin.
func (l *List) Done() { <-l.turn }

// started is an item that was told to end.
type started struct {
	name   string
	result <-chan error // how its goroutine ended
	err    *error       // what it returned, once it has
}

// End ends the items one after the other, the newest first, and gives up what does
// not heed ctx. It returns an error for each item that failed or was given up,
// which begins with its name. What an earlier End gave up is waited for first.
func (l *List) End(ctx context.Context) (errs []error) {
	var left []started
	wait := func(s started) {
		select {
		case crash := <-s.result:
			if err := errors.Join(*s.err, crash); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
			}
		case <-ctx.Done():
			left = append(left, s)
			errs = append(errs, fmt.Errorf("%s: %w", s.name, context.Cause(ctx)))
		}
	}
	for _, s := range l.left {
		wait(s)
	}
	for _, i := range slices.Backward(l.due) {
		var err error
		result := goroutine.Go(func() { err = i.End(ctx) })
		wait(started{i.Name, result, &err})
	}
	l.due, l.left = nil, left
	return errs
}
