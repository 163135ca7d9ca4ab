package spool

import (
	"context"
	"os"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// A pendingEntry is an entry that has no name yet. Its temporary file is as long as the
// space that is reserved for it, so that a survey of the files counts the reservation.
type pendingEntry struct {
	dir      *Dir
	name     string
	file     *os.File
	reserved int64
	size     int64 // written bytes of the stream
	length   int64 // final length of the file
	cut      bool
	err      error // the first error; nothing is written after it
}

// maxAhead limits the space that is reserved ahead while the quotas permit it.
const maxAhead = 64 << 20

// write appends b, or the part of it that the limits permit.
func (p *pendingEntry) write(ctx context.Context, b []byte) {
	if p.err != nil || p.cut {
		return
	}
	if limit := p.dir.options.MaxFile; limit >= 0 && int64(len(b)) > limit-p.size {
		b, p.cut = b[:limit-p.size], true
	}
	want := p.size + int64(len(b))
	if p.err = p.reserve(ctx, want); p.err != nil {
		return
	}
	if want > p.reserved {
		b, p.cut = b[:max(0, p.reserved-p.size)], true
	}
	p.err = p.writeAt(b, p.size)
	p.size += int64(len(b))
}

func (p *pendingEntry) writeAt(b []byte, off int64) error {
	if fault := p.dir.writeFault; fault != nil {
		if err := fault(off); err != nil {
			return err
		}
	}
	_, err := p.file.WriteAt(b, off)
	return err
}

// reserve extends the file to want bytes, or as far as the quotas permit. It evicts older
// entries for the wanted bytes, but not for those that are reserved ahead.
func (p *pendingEntry) reserve(ctx context.Context, want int64) error {
	if p.file != nil && want <= p.reserved {
		return nil
	}
	d := p.dir
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if p.file == nil {
		if err := p.create(); err != nil {
			return err
		}
	}
	c, err := d.counts(ctx)
	if err != nil {
		return err
	}
	more := want - p.reserved
	if ahead := min(want, maxAhead); p.reserved > 0 && d.available(c) >= more+ahead {
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
	if err := p.file.Truncate(p.reserved + more); err != nil {
		d.addToCounts(-more)
		return err
	}
	p.reserved += more
	return nil
}

// create creates and locks the file, under the lock of the root, so that no sweep sees it
// unlocked.
func (p *pendingEntry) create() error {
	name := tempName()
	f, err := p.dir.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, _ = filelock.TryLock(f) // no other process knows the file yet
	p.name, p.file = name, f
	return nil
}

// discard removes the file if it has no name yet, even if ctx has ended.
func (p *pendingEntry) discard(ctx context.Context) {
	if p.file == nil {
		return
	}
	_ = p.file.Close()
	p.file = nil
	unlock, err := p.dir.lock(context.WithoutCancel(ctx))
	if err != nil {
		_ = p.dir.dir.Remove(p.name) // it stays counted until the next survey
		return
	}
	defer unlock()
	p.remove()
}

// remove removes the closed file. The caller holds the lock of the root.
func (p *pendingEntry) remove() {
	if p.dir.dir.Remove(p.name) == nil {
		p.dir.addToCounts(-p.reserved)
	}
}
