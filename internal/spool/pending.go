package spool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"
	"unicode/utf8"

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

// maxNote is more than the length of any note.
const maxNote = 256

// finish completes the content, with a note if the stream was cut. The file stays as long
// as its reservation.
func (p *pendingEntry) finish(ctx context.Context, total int64) {
	if p.err != nil {
		return
	}
	var note string
	if p.cut {
		if note, p.err = p.fitNote(ctx, total); p.err != nil {
			return
		}
		if p.err = p.writeAt([]byte(note), p.size); p.err != nil {
			return
		}
	}
	p.length = p.size + int64(len(note))
}

// fitNote moves the end of the content to a boundary, and further back if the quota has no
// room for the note. It returns the note, or "" if it does not fit at all.
func (p *pendingEntry) fitNote(ctx context.Context, total int64) (note string, err error) {
	if p.size, err = p.boundary(p.size); err != nil {
		return "", err
	}
	if err := p.reserve(ctx, p.size+maxNote); err != nil {
		return "", err
	}
	if p.size+maxNote > p.reserved && p.reserved >= maxNote {
		if p.size, err = p.boundary(p.reserved - maxNote); err != nil {
			return "", err
		}
	}
	note, err = p.note(total)
	if p.size+int64(len(note)) > p.reserved {
		note = ""
	}
	return note, err
}

func (p *pendingEntry) note(total int64) (string, error) {
	last := []byte{'\n'}
	if p.size > 0 {
		if _, err := p.file.ReadAt(last, p.size-1); err != nil {
			return "", err
		}
	}
	lineEnd := ""
	if last[0] != '\n' {
		lineEnd = "\n"
	}
	return fmt.Sprintf("%s[cut here: only the first %d of %d bytes were kept. "+
		"If you need the rest, run the tool again with a narrower request.]\n", lineEnd, p.size, total), nil
}

// boundary returns the last offset up to limit that is after a line, if one is near, or
// else after a whole character.
func (p *pendingEntry) boundary(limit int64) (int64, error) {
	const near = 64 << 10
	buf := make([]byte, min(limit, near))
	from := limit - int64(len(buf))
	if _, err := p.file.ReadAt(buf, from); err != nil {
		return 0, err
	}
	if at := bytes.LastIndexByte(buf, '\n'); at >= 0 {
		return from + int64(at) + 1, nil
	}
	for at := len(buf) - 1; at >= max(0, len(buf)-utf8.UTFMax); at-- {
		if utf8.RuneStart(buf[at]) {
			if !utf8.FullRune(buf[at:]) {
				return from + int64(at), nil
			}
			break
		}
	}
	return limit, nil
}

// publish gives the file its name and returns it. If an entry with the same content
// exists, it returns the name of that. buf is a scratch buffer.
func (p *pendingEntry) publish(ctx context.Context, stem, ext string, buf []byte) (name string, err error) {
	name = stem + ext
	if settled, err := p.takeName(ctx, name, buf); settled || err != nil {
		return name, err
	}
	hash, err := p.hash(buf)
	if err != nil {
		return "", err
	}
	name = stem + "-" + hash + ext
	if settled, err := p.takeName(ctx, name, buf); settled || err != nil {
		return name, err
	}
	// The name contains the hash of the content, so an entry with other content is damaged
	// and can be replaced.
	_, err = p.rename(ctx, name, true)
	return name, err
}

// takeName gives the file its name, if that is free. It reports whether an entry of that
// name has the content of the file now.
func (p *pendingEntry) takeName(ctx context.Context, name string, buf []byte) (bool, error) {
	if done, err := p.rename(ctx, name, false); done || err != nil {
		return done, err
	}
	same, err := p.sameContent(name, buf)
	if same { // it was stored again, so it counts as new
		now := time.Now()
		_ = p.dir.dir.Chtimes(name, now, now)
	}
	return same, err
}

// rename gives the file its name. If the name is taken, it returns false, or replaces the
// file of that name if replace is set.
func (p *pendingEntry) rename(ctx context.Context, name string, replace bool) (done bool, err error) {
	d := p.dir
	unlock, err := d.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	freed := p.reserved - p.length
	old, err := d.dir.Lstat(name)
	switch {
	case err == nil && !replace:
		return false, nil
	case err == nil && old.Mode().IsRegular():
		freed += old.Size()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	// The file is cut under the lock. A survey between the cut and the subtraction would
	// have subtracted the rest already.
	if err := p.file.Truncate(p.length); err != nil {
		return false, err
	}
	// The file system's own clock is often too coarse to order two entries by age.
	now := time.Now()
	_ = d.dir.Chtimes(p.name, now, now)
	_ = p.file.Close() // nothing is buffered; an open file cannot be renamed everywhere
	p.file = nil
	if err := d.dir.Rename(p.name, name); err != nil {
		p.remove()
		return false, err
	}
	d.addToCounts(-freed)
	return true, nil
}

// sameContent reports whether the entry of that name has the content of the file. It
// returns false for an entry that cannot be read.
func (p *pendingEntry) sameContent(name string, buf []byte) (bool, error) {
	f, err := openRegular(p.dir.dir, name, os.O_RDONLY)
	if err != nil {
		return false, nil
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() != p.length {
		return false, err
	}
	mine := io.NewSectionReader(p.file, 0, p.length)
	for left := p.length; left > 0; {
		n := min(left, int64(len(buf)/2))
		ours, theirs := buf[:n], buf[n:2*n]
		if _, err := io.ReadFull(mine, ours); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(f, theirs); err != nil || !bytes.Equal(ours, theirs) {
			return false, nil
		}
		left -= n
	}
	return true, nil
}

// hash returns the hash of the file's content for its name.
func (p *pendingEntry) hash(buf []byte) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{io.NewSectionReader(p.file, 0, p.length)}, buf); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:textHash], nil
}

// counts are the numbers of bytes in the folder and under the root. They change under
// the lock of the root.
type counts struct {
	own, all int64
}

// counts reads both ledgers. If one of them has no count, it counts the files for both.
func (d *Dir) counts(ctx context.Context) (counts, error) {
	own, ownKnown := d.own.read()
	all, allKnown := d.total.read()
	c := counts{own: own, all: all}
	if !ownKnown || !allKnown {
		d.own.invalidate()
		d.total.invalidate()
		return c, d.surveyAll(ctx, &c)
	}
	return c, nil
}

// writeCounts writes both counts. If that fails, it invalidates both.
func (d *Dir) writeCounts(c counts) error {
	err := d.own.write(c.own)
	if err == nil {
		err = d.total.write(c.all)
	}
	if err != nil {
		d.own.invalidate()
		d.total.invalidate()
	}
	return err
}

// addToCounts adds to both counts. An invalid one stays invalid.
func (d *Dir) addToCounts(by int64) {
	for _, l := range []ledger{d.own, d.total} {
		l.add(by)
	}
}

// available returns how many bytes may be added. It is negative if the quotas are
// exceeded.
func (d *Dir) available(c counts) int64 {
	room := int64(math.MaxInt64)
	if limit := d.options.MaxSession; limit >= 0 {
		room = min(room, limit-c.own)
	}
	if limit := d.options.MaxTotal; limit >= 0 {
		room = min(room, limit-c.all)
	}
	return room
}
