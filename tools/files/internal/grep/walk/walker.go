package walk

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A run is one walk that goes on.
type run struct {
	options   Options
	selection *selection
	visit     func(worker int, e *Entry) error
	queue     queue

	open       atomic.Int32 // folders
	leftOut    atomic.Int64
	unreadable atomic.Int64
}

// work runs the workers and returns the first error in their order.
func (r *run) work(workers int) error {
	errs := make([]error, workers)
	var ends []<-chan error
	for i := 1; i < workers; i++ {
		ends = append(ends, goroutine.Go(func() { errs[i] = r.worker(i) }))
	}
	errs[0] = goroutine.Try(func() error { return r.worker(0) })
	for i, end := range ends {
		if err := <-end; err != nil {
			errs[i+1] = err
		}
	}
	for _, it := range r.queue.rest() {
		it.from.release()
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// worker takes items until none will come any more.
func (r *run) worker(number int) error {
	defer r.queue.stop() // ends the others too if visit panics; no harm at the end
	w := worker{run: r, number: number}
	for {
		it, ok := r.queue.next()
		if !ok {
			return nil
		}
		if err := w.do(it); err != nil {
			return err
		}
		r.queue.done()
	}
}

// hold returns h as a folder with one holder.
func (r *run) hold(h handle) *folder {
	f := &folder{handle: h, among: &r.open}
	f.holders.Store(1)
	r.open.Add(1)
	return f
}

// reach opens the directory of it. The caller releases what it gets.
func (r *run) reach(it item) (*folder, error) {
	if it.steps == "" {
		return it.from.retain(), nil
	}
	at, owned := it.from.handle, false
	for name := range strings.SplitSeq(it.steps, "/") {
		next, err := at.enter(name)
		if owned {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at, owned = next, true
	}
	return r.hold(at), nil
}

// below returns from where and how to reach the directory name in f, which is
// that of it. The one it returns is held once more.
func (r *run) below(it item, f *folder, name string) (from *folder, steps string) {
	if r.open.Load() <= maxFolders {
		return f.retain(), name
	}
	if it.steps != "" {
		name = it.steps + "/" + name
	}
	return it.from.retain(), name
}
