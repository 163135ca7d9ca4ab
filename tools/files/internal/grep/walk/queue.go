package walk

import (
	"sync"
	"sync/atomic"
)

// A queue hands out items to workers. The item that was pushed last comes first, so
// that few directories are open at a time.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	items   []workItem
	busy    int // items handed out and not yet done
	waiting int // workers in next
	stopped atomic.Bool
}

func (q *queue) init() { q.changed.L = &q.mu }

func (q *queue) push(items ...workItem) {
	if len(items) == 0 {
		return
	}
	q.mu.Lock()
	q.items = append(q.items, items...)
	wake := min(q.waiting, len(items))
	q.mu.Unlock()
	for range wake {
		q.changed.Signal()
	}
}

// next waits for an item. It reports false when there will be no more items.
func (q *queue) next() (workItem, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.stopped.Load() {
			return workItem{}, false
		}
		if last := len(q.items) - 1; last >= 0 {
			it := q.items[last]
			q.items[last] = workItem{}
			q.items = q.items[:last]
			q.busy++
			return it, true
		}
		if q.busy == 0 {
			return workItem{}, false
		}
		q.waiting++
		q.changed.Wait()
		q.waiting--
	}
}

// done must be called when an item is processed and the items that it led to are
// pushed.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	if q.busy == 0 && len(q.items) == 0 {
		q.changed.Broadcast()
	}
}

// stop makes next report false from now on.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped.Store(true)
	q.changed.Broadcast()
}

// drain returns the items that no worker processed.
func (q *queue) drain() []workItem {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	return items
}

// A workItem is a directory to list or, if it has files, a batch of files to visit.
type workItem struct {
	base     *sharedDir   // retained by the item; an ancestor of the directory
	path     string       // from base to the directory; empty if base is the directory
	fullPath string       // path of the directory, see selection.prefix
	scope    *ignoreScope // ignore rules of the directories above
	depth    int          // number of names in the path
	files    []foundFile
}
