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
func Of(s *pegboard.Session) *State { return stateKey.GetOrInit(s, func() *State { return &State{} }) }

var stateKey = pegboard.NewClonedKey("files read", (*State).Clone)

// maxViews is how many stretches of one file are remembered. The oldest goes
// first; then an edit asks for one more read.
const maxViews = 64

// Record records that v of the file at real was shown. It replaces earlier views
// of the same stretch; if that has the same bytes still, what was seen of them
// stays seen.
func (st *State) Record(real string, v View) {
	st.mu.Lock()
	defer st.mu.Unlock()
	views := slices.DeleteFunc(st.views[real], func(old View) bool {
		same := old.From == v.From && old.To == v.To
		if same && old.Sum == v.Sum {
			v.Truncated, v.Excerpt = v.Truncated && old.Truncated, v.Excerpt && old.Excerpt
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

// RecordWrite records that the session itself gave the file at real the content data,
// in the place of all it knew of it. Part says that it changed something of a file
// that it had not seen whole, and knows no more of the rest than before.
func (st *State) RecordWrite(real string, data []byte, part bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.views == nil {
		st.views = map[string][]View{}
	}
	st.views[real] = []View{{Size: int64(len(data)), To: int64(len(data)), Sum: sha256.Sum256(data), Excerpt: part}}
}

// InConversation reports whether v stands in the conversation already: the same stretch
// of the same file, unchanged since by size, time, identity and content.
func (st *State) InConversation(real string, v View) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.ContainsFunc(st.views[real], func(old View) bool {
		return old.InConversation && old.From == v.From && old.To == v.To && old.Sum == v.Sum && old.Truncated == v.Truncated &&
			old.Size == v.Size && old.Changed.Equal(v.Changed) && old.Info != nil && v.Info != nil && os.SameFile(old.Info, v.Info)
	})
}

// Knowledge compares what was seen of the file at real with its content now.
func (st *State) Knowledge(real string, data []byte) Knowledge {
	st.mu.Lock()
	views := slices.Clone(st.views[real])
	st.mu.Unlock()
	best := Unread
	for _, v := range views {
		switch {
		case v.Truncated:
			best = max(best, Truncated)
		case v.holdsFor(data):
			return Current
		default:
			best = max(best, Stale)
		}
	}
	return best
}

// SeenWhole reports whether every byte of data, the content of the file at real now,
// was seen as it stands.
func (st *State) SeenWhole(real string, data []byte) bool {
	return st.SeenPrefix(real, data) == len(data) && st.Knowledge(real, data) != Unread
}

// SeenPrefix returns how many bytes data, the content of the file at real now, begins
// with that were seen as they stand. Views that a limit cut add up; those of a
// part do not count.
func (st *State) SeenPrefix(real string, data []byte) int {
	st.mu.Lock()
	views := slices.Clone(st.views[real])
	st.mu.Unlock()
	slices.SortFunc(views, func(a, b View) int { return cmp.Compare(a.From, b.From) })
	var seen int64
	for _, v := range views {
		if !v.Excerpt && v.From <= seen && v.holdsFor(data) {
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
			views[i].InConversation = false
		}
		c.views[real] = views
	}
	return c
}
