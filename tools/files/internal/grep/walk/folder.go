package walk

import (
	"strings"
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

// hold returns h as a folder with one holder.
func (r *run) hold(h handle) *folder {
	f := &folder{handle: h, among: &r.open}
	f.holders.Store(1)
	r.open.Add(1)
	return f
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

// reach opens the directory of it. The caller releases what it gets.
func (r *run) reach(it item) (*folder, error) {
	if it.steps == "" {
		return it.from.retain(), nil
	}
	at, owned := it.from.handle, false
	for name := range strings.SplitSeq(it.steps, "/") {
		next, err := at.enter(name)
		if owned {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at, owned = next, true
	}
	return r.hold(at), nil
}

// below returns from where and how to reach the directory name in f, which is
// that of it. The one it returns is held once more.
func (r *run) below(it item, f *folder, name string) (from *folder, steps string) {
	if r.open.Load() <= maxFolders {
		return f.retain(), name
	}
	if it.steps != "" {
		name = it.steps + "/" + name
	}
	return it.from.retain(), name
}
