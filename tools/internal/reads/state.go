// Package reads remembers what each session has seen of each file, so that an
// edit can tell whether the model knows what it changes. It goes by content, not
// by times: what rewrites a file with the same bytes changes nothing here.
package reads

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// State is what one session has seen. Its zero value has seen nothing; its
// methods may be called concurrently.
type State struct {
	mu    sync.Mutex
	views map[string][]View // by resolved path, the newest last
}

// Of returns the state of s, empty at first. A fork begins with a copy of its
// parent's, in which nothing counts as shown: it may not have the parent's
// conversation.
func Of(s *pegboard.Session) *State { return key.GetOrInit(s, func() *State { return &State{} }) }

var key = pegboard.NewClonedKey("files read", (*State).Clone)

// maxViews is how many stretches of one file are remembered. The oldest goes
// first; then an edit asks for one more read.
const maxViews = 64

// Note records that v of the file at real was shown. It replaces earlier views
// of the same stretch; if that has the same bytes still, what was seen of them
// stays seen.
func (st *State) Note(real string, v View) {
	st.mu.Lock()
	defer st.mu.Unlock()
	views := slices.DeleteFunc(st.views[real], func(old View) bool {
		same := old.From == v.From && old.To == v.To
		if same && old.Sum == v.Sum {
			v.Cut, v.Part = v.Cut && old.Cut, v.Part && old.Part
		}
		return same
	})
	if len(views) == maxViews {
		views = slices.Delete(views, 0, 1)
	}
	if st.views == nil {
		st.views = map[string][]View{}
	}
	st.views[real] = append(views, v)
}

// Wrote records that the session itself gave the file at real the content data,
// in the place of all it knew of it. Part says that it changed something of a file
// that it had not seen whole, and knows no more of the rest than before.
func (st *State) Wrote(real string, data []byte, part bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.views == nil {
		st.views = map[string][]View{}
	}
	st.views[real] = []View{{Size: int64(len(data)), To: int64(len(data)), Sum: sha256.Sum256(data), Part: part}}
}

// Shown reports whether v stands in the conversation already: the same stretch
// of the same file, unchanged since by size, time, identity and content.
func (st *State) Shown(real string, v View) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.ContainsFunc(st.views[real], func(old View) bool {
		return old.Shown && old.From == v.From && old.To == v.To && old.Sum == v.Sum && old.Cut == v.Cut &&
			old.Size == v.Size && old.Changed.Equal(v.Changed) && old.Info != nil && v.Info != nil && os.SameFile(old.Info, v.Info)
	})
}

// Standing compares what was seen of the file at real with its content now.
func (st *State) Standing(real string, data []byte) Standing {
	st.mu.Lock()
	views := slices.Clone(st.views[real])
	st.mu.Unlock()
	best := Unread
	for _, v := range views {
		switch {
		case v.Cut:
			best = max(best, Partial)
		case v.stands(data):
			return Current
		default:
			best = max(best, Stale)
		}
	}
	return best
}

// Whole reports whether every byte of data, the content of the file at real now,
// was seen as it stands.
func (st *State) Whole(real string, data []byte) bool {
	return st.SeenTo(real, data) == len(data) && st.Standing(real, data) != Unread
}

// SeenTo returns how many bytes data, the content of the file at real now, begins
// with that were seen as they stand. Views that a limit cut add up; those of a
// part do not count.
func (st *State) SeenTo(real string, data []byte) int {
	st.mu.Lock()
	views := slices.Clone(st.views[real])
	st.mu.Unlock()
	slices.SortFunc(views, func(a, b View) int { return cmp.Compare(a.From, b.From) })
	var seen int64
	for _, v := range views {
		if !v.Part && v.From <= seen && v.stands(data) {
			seen = max(seen, v.To)
		}
	}
	return int(seen)
}

// Forget drops all that was seen, for a conversation that lost its beginning:
// files have to be read again before they are edited.
func (st *State) Forget() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.views = nil
}

// Clone returns the state that a fork begins with.
func (st *State) Clone() *State {
	st.mu.Lock()
	defer st.mu.Unlock()
	c := &State{views: maps.Clone(st.views)}
	for real, views := range c.views {
		views = slices.Clone(views)
		for i := range views {
			views[i].Shown = false
		}
		c.views[real] = views
	}
	return c
}
