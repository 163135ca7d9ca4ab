// Package reads records which parts of which files each session has seen, so that the
// tools that edit can tell whether the model knows the text that it changes. It
// compares content and not times: a program that rewrites a file with the same bytes
// changes nothing here.
package reads

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A State is the record of one session. The zero value is empty. Its methods may be
// called concurrently.
type State struct {
	mu    sync.Mutex
	views map[string][]View // by resolved path, the newest last
}

// Of returns the state of s, which is empty at first. A fork starts with a copy of its
// parent's state, without the ids of calls, since the fork may not have the parent's
// conversation.
func Of(s *pegboard.Session) *State { return stateKey.GetOrInit(s, func() *State { return &State{} }) }

var stateKey = pegboard.NewClonedKey("files read", (*State).Clone)

// maxViews is the maximum number of views that are kept for one file. The oldest is
// dropped first; an edit then requires one more read.
const maxViews = 64

// Record adds the view v of the file at the path real. It replaces earlier views of the
// same bytes; if the content of these bytes is the same, a field Truncated or Excerpt
// that was false stays false, and if it is the same file, unchanged, Call stays.
func (st *State) Record(real string, v View) {
	st.mu.Lock()
	defer st.mu.Unlock()
	views := slices.DeleteFunc(st.views[real], func(old View) bool {
		same := old.From == v.From && old.To == v.To
		if same && old.Sum == v.Sum {
			if old.isOf(v) && v.Call == "" {
				v.Call = old.Call
			}
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

// RecordWrite records that the session itself wrote data to the file at the path real.
// It replaces all views of the file. excerpt means that the session changed a part of a
// file that it had not seen completely, and has not seen the rest now.
func (st *State) RecordWrite(real string, data []byte, excerpt bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.views == nil {
		st.views = map[string][]View{}
	}
	st.views[real] = []View{{Size: int64(len(data)), To: int64(len(data)), Sum: sha256.Sum256(data), Excerpt: excerpt}}
}

// ShownBy returns the id of the call whose result showed the model v: the same bytes of the same
// file, unchanged in size, time, identity and content. It returns "" if no result did.
func (st *State) ShownBy(real string, v View) (call string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if i := st.find(real, v); i >= 0 {
		return st.views[real][i].Call
	}
	return ""
}

// SetShown records that the result of a call showed the model the view v. An empty call records
// that no result did. SetShown does nothing if v is not recorded any more.
func (st *State) SetShown(real string, v View, call string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if i := st.find(real, v); i >= 0 {
		st.views[real][i].Call = call
	}
}

// find returns the index of the record of v, or -1.
func (st *State) find(real string, v View) int {
	return slices.IndexFunc(st.views[real], func(old View) bool {
		return old.From == v.From && old.To == v.To && old.Sum == v.Sum && old.Truncated == v.Truncated && old.isOf(v)
	})
}

// Knowledge compares the views of the file at the path real with data, its current
// content.
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

// SeenWhole reports whether the session has seen every byte of data, the current
// content of the file at the path real.
func (st *State) SeenWhole(real string, data []byte) bool {
	return st.SeenPrefix(real, data) == len(data) && st.Knowledge(real, data) != Unread
}

// Outdated reports whether the file at the path real changed since the session saw it last,
// as far as its views tell. data is the current content.
func (st *State) Outdated(real string, data []byte) bool {
	st.mu.Lock()
	views := slices.Clone(st.views[real])
	st.mu.Unlock()
	if len(views) == 0 {
		return false
	}
	last := views[len(views)-1]
	return slices.ContainsFunc(views, func(v View) bool {
		if v.Size != last.Size || !v.Changed.Equal(last.Changed) {
			return false // of an earlier state, or of one that is not known
		}
		return v.Size >= 0 && v.Size != int64(len(data)) || v.From < v.To && !v.holdsFor(data)
	})
}

// SeenPrefix returns the length of the longest prefix of data that the session has
// seen. data is the current content of the file at the path real. Views that a limit
// truncated count; excerpts do not.
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

// Forget drops all views, for a conversation that loses its start: the model has to
// read files again before it edits them.
func (st *State) Forget() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.views = nil
}

// Clone returns the state with which a fork starts.
func (st *State) Clone() *State {
	st.mu.Lock()
	defer st.mu.Unlock()
	c := &State{views: maps.Clone(st.views)}
	for real, views := range c.views {
		views = slices.Clone(views)
		for i := range views {
			views[i].Call = ""
		}
		c.views[real] = views
	}
	return c
}
