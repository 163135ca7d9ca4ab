package walk

import (
	"io"
	"sync/atomic"
)

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
