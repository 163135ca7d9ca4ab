package walk

import (
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A walker runs one walk.
type walker struct {
	options   Options
	selection *selection
	visit     func(worker int, e *Entry) error
	queue     queue

	openDirs   atomic.Int32 // open sharedDirs
	filtered   atomic.Int64 // entries that Options.Filter refused
	unreadable atomic.Int64 // directories
}

// runWorkers runs the workers and returns the error of the first worker that has one,
// by number.
func (w *walker) runWorkers(workers int) error {
	errs := make([]error, workers)
	var ends []<-chan error
	for i := 1; i < workers; i++ {
		ends = append(ends, goroutine.Go(func() { errs[i] = w.runWorker(i) }))
	}
	errs[0] = goroutine.Try(func() error { return w.runWorker(0) })
	for i, end := range ends {
		if err := <-end; err != nil {
			errs[i+1] = err
		}
	}
	for _, it := range w.queue.drain() {
		it.base.release()
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// runWorker processes items until the queue ends.
func (w *walker) runWorker(number int) error {
	defer w.queue.stop() // ends the other workers if visit panics; harmless otherwise
	r := worker{walker: w, number: number}
	for {
		it, ok := w.queue.next()
		if !ok {
			return nil
		}
		if err := r.process(it); err != nil {
			return err
		}
		w.queue.done()
	}
}

// share returns a sharedDir for h with one reference.
func (w *walker) share(h handle) *sharedDir {
	d := &sharedDir{handle: h, openDirs: &w.openDirs}
	d.refs.Store(1)
	w.openDirs.Add(1)
	return d
}

// openDir opens the directory of an item. The caller must release it.
func (w *walker) openDir(it workItem) (*sharedDir, error) {
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
	return w.share(at), nil
}

// locate returns how to reach the directory name in d, which is the directory of the
// item it: the open directory base, and the path from there. It retains base.
func (w *walker) locate(it workItem, d *sharedDir, name string) (base *sharedDir, path string) {
	if w.openDirs.Load() <= maxOpenDirs {
		return d.retain(), name
	}
	if it.path != "" {
		name = it.path + "/" + name
	}
	return it.base.retain(), name
}

// maxOpenDirs is the maximum number of directories that stay open as base of the
// directories below them. With more, a directory is opened from one further up, name by
// name.
const maxOpenDirs = 256

// A sharedDir is an open directory with a reference count, shared by items and workers.
type sharedDir struct {
	handle
	refs     atomic.Int32
	openDirs *atomic.Int32 // counter of the walker
}

// retain adds a reference and returns d.
func (d *sharedDir) retain() *sharedDir {
	d.refs.Add(1)
	return d
}

// release drops a reference. The last one closes the directory.
func (d *sharedDir) release() {
	if d.refs.Add(-1) == 0 {
		d.close()
		d.openDirs.Add(-1)
	}
}

// readText returns the text of the regular file at the path names below d, or "" if it
// cannot be opened. It does not follow links.
func (d *sharedDir) readText(names []string) string {
	at := d.handle
	for i, name := range names[:len(names)-1] {
		next, err := at.enter(name)
		if i > 0 {
			at.close()
		}
		if err != nil {
			return ""
		}
		at = next
	}
	if len(names) > 1 {
		defer at.close()
	}
	file, err := at.open(names[len(names)-1])
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	text, _ := io.ReadAll(io.LimitReader(file, maxIgnoreFileBytes)) // a prefix is good enough
	return string(text)
}
