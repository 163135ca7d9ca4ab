package background

import (
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// watchers delivers lists to the functions that watch a table, in order. It has no
// goroutine: one of the goroutines that make changes delivers the updates of all.
type watchers struct {
	mu         sync.Mutex // acquired after Tasks.mu if a goroutine holds both
	list       []*watcher
	updates    []update
	delivering bool
}

// A watcher is one function given to [Tasks.Watch].
type watcher struct {
	f       func([]Task)
	stopped bool // guarded by watchers.mu
}

// An update is one list for one watcher.
type update struct {
	to   *watcher
	list []Task
}

// add adds a watcher and queues the current list for it.
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

// queue queues an update for each watcher, each with its own copy of the list.
func (w *watchers) queue(list func() []Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, to := range w.list {
		w.updates = append(w.updates, update{to, list()})
	}
}

// deliver calls the watchers until the queue is empty. It returns at once if another
// goroutine is delivering.
func (w *watchers) deliver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.delivering {
		return
	}
	w.delivering = true
	defer func() { w.delivering = false }() // even if a watcher calls runtime.Goexit
	for len(w.updates) > 0 {
		next := w.updates[0]
		w.updates = w.updates[1:]
		if !next.to.stopped {
			w.call(next)
		}
	}
	w.updates = nil
}

// call calls a watcher with the lock released.
func (w *watchers) call(l update) {
	w.mu.Unlock()
	defer w.mu.Lock()
	_ = goroutine.Try(func() error { l.to.f(l.list); return nil }) // the goroutine that made the change must not panic
}
