package spool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

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
