package walk

import (
	"errors"
	"time"
)

// An Entry is a regular file. It is valid until visit returns.
type Entry struct {
	// Rel is the path from the directory of the walk, with slashes. It may contain any
	// byte except NUL. It stays valid after visit.
	Rel  string
	name string
	dir  *sharedDir
}

// Info returns the size and the time of the file, without opening it.
func (e *Entry) Info() (Info, error) { return e.dir.info(e.name) }

// Open opens the file for reading. It returns an error if the name no longer refers to
// a regular file.
func (e *Entry) Open() (File, error) { return e.dir.open(e.name) }

// An Info is the metadata of a file.
type Info struct {
	Size    int64 // in bytes
	ModTime time.Time
}

// errNotRegular means that a file was replaced by something else after it was listed.
var errNotRegular = errors.New("no longer a regular file")
