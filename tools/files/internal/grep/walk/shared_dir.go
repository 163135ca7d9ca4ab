package walk

import (
	"io"
	"sync/atomic"
)

// maxOpenDirs is how many directories are open for those below them to be opened
// from. Beyond, a directory is opened from one further up, name by name.
const maxOpenDirs = 256

// A sharedDir is an open directory that items and workers hold together.
type sharedDir struct {
	handle
	refs     atomic.Int32
	openDirs *atomic.Int32 // how many are open
}

func (f *sharedDir) retain() *sharedDir {
	f.refs.Add(1)
	return f
}

func (f *sharedDir) release() {
	if f.refs.Add(-1) == 0 {
		f.close()
		f.openDirs.Add(-1)
	}
}

// readText returns the text of the regular file that names lead to from f. A link is
// not followed.
func (f *sharedDir) readText(names []string) string {
	at := f.handle
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
	text, _ := io.ReadAll(io.LimitReader(file, maxIgnoreFileBytes)) // what came before an error will do
	return string(text)
}
