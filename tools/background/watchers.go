package background

import (
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A watchers delivers lists in order. It has no goroutine of its own: of those that
// make changes, one delivers for all.
type watchers struct {
	mu         sync.Mutex // taken after Tasks.mu, if both are
	list       []*watcher
	updates    []update
	delivering bool
}

type watcher struct {
	f       func([]Task)
	stopped bool // guarded by watch.mu
}

// A update is one list for one watcher.
type update struct {
	to   *watcher
	list []Task
}

// add begins a watch with the list of now.
func (w *watchers) add(f func([]Task), now []Task) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := &watcher{f: f}
	w.list = append(w.list, one)
	w.updates = append(w.updates, update{one, now})
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		one.stopped = true
		w.list = slices.DeleteFunc(w.list, func(o *watcher) bool { return o == one })
	}
}

// queue writes a letter to each watcher, with a list of its own.
func (w *watchers) queue(list func() []Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, to := range w.list {
		w.updates = append(w.updates, update{to, list()})
	}
}

// deliver hands over what is queued, unless somebody else is about it.
func (w *watchers) deliver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.delivering {
		return
	}
	w.delivering = true
	defer func() { w.delivering = false }() // even if a watcher ends the goroutine
	for len(w.updates) > 0 {
		next := w.updates[0]
		w.updates = w.updates[1:]
		if !next.to.stopped {
			w.call(next)
		}
	}
	w.updates = nil
}

// call calls a watcher without the lock.
func (w *watchers) call(l update) {
	w.mu.Unlock()
	defer w.mu.Lock()
	_ = goroutine.Try(func() error { l.to.f(l.list); return nil }) // whoever made the change is not to blame
}
