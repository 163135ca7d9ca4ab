package spool

import (
	"io/fs"
	"os"
)

// An Entry describes a stream and the file that holds it.
type Entry struct {
	Ref   string // name of the entry in its session; "" if it is not stored
	Path  string // path of the file, absolute and resolved
	Size  int64  // stored bytes of the stream; in the file of a cut stream, a note follows them
	Total int64  // bytes of the whole stream
	Lines int64  // line ends in the whole stream, plus one if there is text after the last
	Cut   bool   // whether the file holds less than the stream
}

// Open opens an entry for reading. It fails with fs.ErrNotExist if there is no such
// entry; old entries are removed, and evicted to make room for others. An open file can
// be read to its end even if it is removed. Links and other files that are not regular
// are refused.
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
