package background

import (
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A watch delivers lists in order. It has no goroutine of its own: of those that
// make changes, one delivers for all.
type watch struct {
	mu         sync.Mutex // taken after Tasks.mu, if both are
	watchers   []*watcher
	letters    []letter
	delivering bool
}

type watcher struct {
	f    func([]Task)
	gone bool // guarded by watch.mu
}

// A letter is one list for one watcher.
type letter struct {
	to   *watcher
	list []Task
}

// add begins a watch with the list of now.
func (w *watch) add(f func([]Task), now []Task) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := &watcher{f: f}
	w.watchers = append(w.watchers, one)
	w.letters = append(w.letters, letter{one, now})
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		one.gone = true
		w.watchers = slices.DeleteFunc(w.watchers, func(o *watcher) bool { return o == one })
	}
}

// queue writes a letter to each watcher, with a list of its own.
func (w *watch) queue(list func() []Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, to := range w.watchers {
		w.letters = append(w.letters, letter{to, list()})
	}
}

// deliver hands over what is queued, unless somebody else is about it.
func (w *watch) deliver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.delivering {
		return
	}
	w.delivering = true
	defer func() { w.delivering = false }() // even if a watcher ends the goroutine
	for len(w.letters) > 0 {
		next := w.letters[0]
		w.letters = w.letters[1:]
		if !next.to.gone {
			w.hand(next)
		}
	}
	w.letters = nil
}

// hand calls a watcher without the lock.
func (w *watch) hand(l letter) {
	w.mu.Unlock()
	defer w.mu.Lock()
	_ = goroutine.Try(func() error { l.to.f(l.list); return nil }) // whoever made the change is not to blame
}
