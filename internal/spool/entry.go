package spool

import (
	"context"
	"io/fs"
	"os"
)

// An Entry is what Put knows of a stream and of the file that keeps it.
type Entry struct {
	Ref   string // the name of the entry in its session; "" if it is not kept
	Path  string // of the file, absolute and without links
	Size  int64  // bytes of the stream that are kept; the note of a cut one follows them in the file
	Total int64  // bytes of the whole stream
	Lines int64  // line ends in the whole stream, and one more if there is text after the last
	Cut   bool   // whether the file holds less than the stream
}

// Open opens an entry for reading, as long as there is one: entries that are old, or
// in the way of others, are removed. A file that is open can be read to its end,
// removed or not. The error is fs.ErrNotExist if there is no such entry. Links and
// whatever else is not a plain file are refused.
func (d *Dir) Open(ref string) (*os.File, error) {
	if !isEntryName(ref) {
		return nil, &fs.PathError{Op: "open", Path: ref, Err: fs.ErrNotExist}
	}
	return openRegular(d.dir, ref, os.O_RDONLY)
}

// Stat describes the file of an entry. Its errors are those of Open.
func (d *Dir) Stat(ref string) (fs.FileInfo, error) {
	if !isEntryName(ref) {
		return nil, &fs.PathError{Op: "stat", Path: ref, Err: fs.ErrNotExist}
	}
	info, err := d.dir.Lstat(ref)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "stat", Path: ref, Err: errNotRegular}
	}
	return info, err
}

// Remove removes an entry. Its errors are those of Open, and that of ctx.
func (d *Dir) Remove(ctx context.Context, ref string) error {
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	info, err := d.Stat(ref)
	if err != nil {
		return err
	}
	if err := d.dir.Remove(ref); err != nil {
		return err
	}
	d.addToCounts(-info.Size())
	return nil
}
