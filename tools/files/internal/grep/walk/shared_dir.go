package walk

import (
	"io"
	"sync/atomic"
)

// maxFolders is how many directories are open for those below them to be opened
// from. Beyond, a directory is opened from one further up, name by name.
const maxFolders = 256

// A folder is an open directory that items and workers hold together.
type folder struct {
	handle
	holders atomic.Int32
	among   *atomic.Int32 // how many are open
}

func (f *folder) retain() *folder {
	f.holders.Add(1)
	return f
}

func (f *folder) release() {
	if f.holders.Add(-1) == 0 {
		f.close()
		f.among.Add(-1)
	}
}

// text returns the text of the regular file that names lead to from f. A link is
// not followed.
func (f *folder) text(names []string) string {
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
	text, _ := io.ReadAll(io.LimitReader(file, maxRules)) // what came before an error will do
	return string(text)
}
