package walk

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A walker is one walk that goes on.
type walker struct {
	options   Options
	selection *selection
	visit     func(worker int, e *Entry) error
	queue     queue

	openDirs   atomic.Int32 // folders
	filtered   atomic.Int64
	unreadable atomic.Int64
}

// runWorkers runs the workers and returns the first error in their order.
func (r *walker) runWorkers(workers int) error {
	errs := make([]error, workers)
	var ends []<-chan error
	for i := 1; i < workers; i++ {
		ends = append(ends, goroutine.Go(func() { errs[i] = r.runWorker(i) }))
	}
	errs[0] = goroutine.Try(func() error { return r.runWorker(0) })
	for i, end := range ends {
		if err := <-end; err != nil {
			errs[i+1] = err
		}
	}
	for _, it := range r.queue.drain() {
		it.base.release()
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// runWorker takes items until none will come any more.
func (r *walker) runWorker(number int) error {
	defer r.queue.stop() // ends the others too if visit panics; no harm at the end
	w := worker{walker: r, number: number}
	for {
		it, ok := r.queue.next()
		if !ok {
			return nil
		}
		if err := w.process(it); err != nil {
			return err
		}
		r.queue.done()
	}
}

// share returns h as a folder with one holder.
func (r *walker) share(h handle) *sharedDir {
	f := &sharedDir{handle: h, openDirs: &r.openDirs}
	f.refs.Store(1)
	r.openDirs.Add(1)
	return f
}

// openDir opens the directory of it. The caller releases what it gets.
func (r *walker) openDir(it workItem) (*sharedDir, error) {
	if it.path == "" {
		return it.base.retain(), nil
	}
	at, owned := it.base.handle, false
	for name := range strings.SplitSeq(it.path, "/") {
		next, err := at.enter(name)
		if owned {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at, owned = next, true
	}
	return r.share(at), nil
}

// locate returns from where and how to reach the directory name in f, which is
// that of it. The one it returns is held once more.
func (r *walker) locate(it workItem, f *sharedDir, name string) (from *sharedDir, steps string) {
	if r.openDirs.Load() <= maxOpenDirs {
		return f.retain(), name
	}
	if it.path != "" {
		name = it.path + "/" + name
	}
	return it.base.retain(), name
}
