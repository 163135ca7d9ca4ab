package workflow

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// An ongoingSet has the runs that a session has started and whose goroutines go on. Its
// methods may be called concurrently.
type ongoingSet struct {
	main bool // the session is the main one, which ends all runs

	mu   sync.Mutex
	runs map[*ongoing]bool
}

// ongoingOf returns the runs of s. Closing s names those of which a function or an agent
// does not return.
func (w *Workflows) ongoingOf(s *pegboard.Session) *ongoingSet {
	return w.ongoing.GetOrInit(s, func() *ongoingSet {
		set := &ongoingSet{runs: map[*ongoing]bool{}, main: s.AgentID() == ""}
		s.OnClose("workflows", set.close)
		return set
	})
}

func (set *ongoingSet) add(o *ongoing) {
	set.mu.Lock()
	defer set.mu.Unlock()
	o.set = set
	set.runs[o] = true
}

// prune forgets the runs that nothing is left of.
func (set *ongoingSet) prune() {
	set.mu.Lock()
	defer set.mu.Unlock()
	for o := range set.runs {
		if o.hasEnded() && o.isGone() {
			delete(set.runs, o)
		}
	}
}

func (o *ongoing) hasEnded() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// isGone reports whether no goroutine of the run is left but its own.
func (o *ongoing) isGone() bool {
	select {
	case <-o.conductor.goroutines.empty():
		return true
	default:
		return false
	}
}

// close ends the runs and waits for their goroutines. A fork's runs may have been given to
// the main session: only runs that have ended and are not gone are waited for.
func (set *ongoingSet) close(ctx context.Context) error {
	set.mu.Lock()
	var all []*ongoing
	for o := range set.runs {
		if set.main || o.hasEnded() {
			all = append(all, o)
		}
	}
	set.mu.Unlock()
	for _, o := range all {
		o.conductor.cancel(pegboard.ErrClosed)
	}
	var errs []error
	for _, o := range all {
		select {
		case <-o.done:
		case <-ctx.Done():
		}
		if !o.hasEnded() || !o.conductor.goroutines.waitUntil(ctx) {
			errs = append(errs, fmt.Errorf("run %s of workflow %s goes on: a function or an agent of it does not return", o.id, o.plan.name()))
		}
	}
	return errors.Join(errs...)
}
