package spool

import (
	"context"
	"os"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// A pendingEntry is an entry that has no name yet. Its temporary file is as long as the
// room that is reserved for it, so that whoever counts the files counts that.
type pendingEntry struct {
	dir      *Dir
	name     string
	file     *os.File
	reserved int64
	size     int64 // bytes of the stream that are written
	length   int64 // of the file in the end
	cut      bool
	err      error // the first; nothing is written after it
}

// Room is reserved ahead, while there is plenty: at most so much.
const maxAhead = 64 << 20

// write appends as much of b as there may be.
func (w *pendingEntry) write(ctx context.Context, b []byte) {
	if w.err != nil || w.cut {
		return
	}
	if limit := w.dir.options.MaxFile; limit >= 0 && int64(len(b)) > limit-w.size {
		b, w.cut = b[:limit-w.size], true
	}
	want := w.size + int64(len(b))
	if w.err = w.reserve(ctx, want); w.err != nil {
		return
	}
	if want > w.reserved {
		b, w.cut = b[:max(0, w.reserved-w.size)], true
	}
	w.err = w.writeAt(b, w.size)
	w.size += int64(len(b))
}

func (w *pendingEntry) writeAt(b []byte, off int64) error {
	if fault := w.dir.writeFault; fault != nil {
		if err := fault(off); err != nil {
			return err
		}
	}
	_, err := w.file.WriteAt(b, off)
	return err
}

// reserve makes the file so long, or as long as it may be. What is older is evicted
// for what is wanted, not for what is reserved ahead.
func (w *pendingEntry) reserve(ctx context.Context, want int64) error {
	if w.file != nil && want <= w.reserved {
		return nil
	}
	d := w.dir
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if w.file == nil {
		if err := w.create(); err != nil {
			return err
		}
	}
	c, err := d.counts(ctx)
	if err != nil {
		return err
	}
	more := want - w.reserved
	if ahead := min(want, maxAhead); w.reserved > 0 && d.available(c) >= more+ahead {
		more += ahead
	}
	if err := d.evict(ctx, &c, more); err != nil {
		return err
	}
	more = max(0, min(more, d.available(c)))
	c.own, c.all = c.own+more, c.all+more
	if err := d.writeCounts(c); err != nil {
		return err
	}
	if err := w.file.Truncate(w.reserved + more); err != nil {
		d.addToCounts(-more)
		return err
	}
	w.reserved += more
	return nil
}

// create makes the file, under the lock of the root: a sweep sees no file that is not
// yet locked.
func (w *pendingEntry) create() error {
	name := tempName()
	f, err := w.dir.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, _ = filelock.TryLock(f) // nobody knows the file
	w.name, w.file = name, f
	return nil
}

// discard removes the file, unless it has its name. It does so also when ctx is done.
func (w *pendingEntry) discard(ctx context.Context) {
	if w.file == nil {
		return
	}
	_ = w.file.Close()
	w.file = nil
	unlock, err := w.dir.lock(context.WithoutCancel(ctx))
	if err != nil {
		_ = w.dir.dir.Remove(w.name) // which stays counted for a while
		return
	}
	defer unlock()
	w.remove()
}

// remove removes the closed file under the lock of the root.
func (w *pendingEntry) remove() {
	if w.dir.dir.Remove(w.name) == nil {
		w.dir.addToCounts(-w.reserved)
	}
}
