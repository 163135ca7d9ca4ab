package rank

import (
	"bytes"
	"slices"
	"sync"
)

// A Library makes indexes and caches the segments of their sources, so that a source is
// analysed again only after a change. The zero Library is empty and ready to use. It may be
// used concurrently.
type Library struct {
	mu           sync.Mutex
	segments     map[string][]cachedSegment // by source, the most recently used last
	lastSegments []*Segment                 // the segments of last
	last         *Index
}

// A Source is a group of tools, such as those of one server.
type Source struct {
	Name, About string
	Tools       []Tool
}

// A Tool is one tool of a source.
type Tool struct {
	Name, Hint, Description string
	Schema                  []byte // of its input; must not change
}

type cachedSegment struct {
	source  Source
	segment *Segment
}

// maxStates is the maximum number of cached segments of one source. There may be several,
// since agents may see different tools of it.
const maxStates = 4

// Index returns the index of sources, in their order.
func (l *Library) Index(sources []Source) *Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	segments := make([]*Segment, len(sources))
	for i, s := range sources {
		segments[i] = l.segment(s)
	}
	if l.last == nil || !slices.Equal(l.lastSegments, segments) {
		l.lastSegments, l.last = segments, NewIndex(segments...)
		l.forgetStale(sources)
	}
	return l.last
}

func (l *Library) segment(s Source) *Segment {
	known := l.segments[s.Name]
	i := slices.IndexFunc(known, func(a cachedSegment) bool { return a.source.equal(s) })
	if i >= 0 {
		a := known[i]
		copy(known[i:], known[i+1:])
		known[len(known)-1] = a
		return a.segment
	}
	docs := make([]Document, len(s.Tools))
	for i, t := range s.Tools {
		docs[i] = Document{Name: t.Name, Hint: t.Hint, Description: t.Description, Parameters: Parameters(t.Schema)}
	}
	a := cachedSegment{s, NewSegment(s.Name, s.About, docs)}
	if l.segments == nil {
		l.segments = map[string][]cachedSegment{}
	}
	if len(known) == maxStates {
		known = slices.Delete(known, 0, 1)
	}
	l.segments[s.Name] = append(known, a)
	return a.segment
}

// Forget drops the cached segments of a source. A later Index with this source analyses
// it again.
func (l *Library) Forget(source string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.segments[source] {
		if slices.Contains(l.lastSegments, a.segment) {
			l.lastSegments, l.last = nil, nil
		}
	}
	delete(l.segments, source)
}

// forgetStale drops sources that are not in use any more once they are more than those in
// use.
func (l *Library) forgetStale(used []Source) {
	if len(l.segments) <= 2*len(used)+maxStates {
		return
	}
	kept := make(map[string][]cachedSegment, len(used))
	for _, s := range used {
		kept[s.Name] = l.segments[s.Name]
	}
	l.segments = kept
}

// equal reports whether s and other have the same content. It does not compare texts that
// share memory.
func (s Source) equal(other Source) bool {
	return s.Name == other.Name && s.About == other.About && slices.EqualFunc(s.Tools, other.Tools, func(a, b Tool) bool {
		return a.Name == b.Name && a.Hint == b.Hint && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
	})
}
