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

// publish gives the file its name and returns it, or that of an entry that holds the
// same. It uses buf.
func (w *pendingEntry) publish(ctx context.Context, stem, ext string, buf []byte) (name string, err error) {
	name = stem + ext
	if settled, err := w.takeName(ctx, name, buf); settled || err != nil {
		return name, err
	}
	hash, err := w.hash(buf)
	if err != nil {
		return "", err
	}
	name = stem + "-" + hash + ext
	if settled, err := w.takeName(ctx, name, buf); settled || err != nil {
		return name, err
	}
	// The name says what should be there: what is there is broken.
	_, err = w.rename(ctx, name, true)
	return name, err
}

// takeName reports whether there is an entry of that name now that holds what the file
// does.
func (w *pendingEntry) takeName(ctx context.Context, name string, buf []byte) (bool, error) {
	if done, err := w.rename(ctx, name, false); done || err != nil {
		return done, err
	}
	same, err := w.sameContent(name, buf)
	if same { // and wanted again: it is young
		now := time.Now()
		_ = w.dir.dir.Chtimes(name, now, now)
	}
	return same, err
}

// rename gives the file its name, unless there is something of that name that is not
// to be replaced.
func (w *pendingEntry) rename(ctx context.Context, name string, replace bool) (done bool, err error) {
	d := w.dir
	unlock, err := d.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	freed := w.reserved - w.length
	old, err := d.dir.Lstat(name)
	switch {
	case err == nil && !replace:
		return false, nil
	case err == nil && old.Mode().IsRegular():
		freed += old.Size()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	// The clock of many file systems is too slow to tell which of two is older.
	now := time.Now()
	_ = d.dir.Chtimes(w.name, now, now)
	_ = w.file.Close() // nothing is buffered; an open file cannot be renamed everywhere
	w.file = nil
	if err := d.dir.Rename(w.name, name); err != nil {
		w.remove()
		return false, err
	}
	d.addToCounts(-freed)
	return true, nil
}

// sameContent reports whether the entry of that name is the same as the file. One that
// cannot be read is not.
func (w *pendingEntry) sameContent(name string, buf []byte) (bool, error) {
	f, err := openRegular(w.dir.dir, name, os.O_RDONLY)
	if err != nil {
		return false, nil
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() != w.length {
		return false, err
	}
	mine := io.NewSectionReader(w.file, 0, w.length)
	for left := w.length; left > 0; {
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

// hash is the name of what the file holds.
func (w *pendingEntry) hash(buf []byte) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{io.NewSectionReader(w.file, 0, w.length)}, buf); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:textHash], nil
}
