package walk

import (
	"errors"
	"time"
)

// An Entry is a regular file that was found. It is usable until visit returns.
type Entry struct {
	// Rel is the path from the directory of the walk, divided by slashes. It may
	// hold any byte but NUL. It stays valid.
	Rel  string
	name string
	dir  *sharedDir
}

// Info looks the file up. It does not open it.
func (e *Entry) Info() (Info, error) { return e.dir.info(e.name) }

// Open opens the file for reading. It fails if the name no longer stands for a
// regular file.
func (e *Entry) Open() (File, error) { return e.dir.open(e.name) }

// Info is what is known of a file without reading it.
type Info struct {
	Size    int64 // bytes
	ModTime time.Time
}

// errNotRegular is why a file is not opened that was one when it was listed.
var errNotRegular = errors.New("no longer a regular file")
