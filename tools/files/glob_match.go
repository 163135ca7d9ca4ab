package files

import "path/filepath"

// A globMatch is a file that matches the pattern.
type globMatch struct {
	dir     string // absolute path of the directory that was searched
	name    string // relative to dir, with slashes
	changed int64  // modification time in microseconds since 1970
}

// path returns the absolute path of the file.
func (m *globMatch) path() string { return filepath.Join(m.dir, filepath.FromSlash(m.name)) }

// newestFirst is a heap of matches with the file changed last on top, then by name.
type newestFirst []globMatch

func (h newestFirst) Len() int { return len(h) }

func (h newestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h newestFirst) Less(i, j int) bool {
	if h[i].changed != h[j].changed {
		return h[i].changed > h[j].changed
	}
	if h[i].dir != h[j].dir {
		return h[i].path() < h[j].path()
	}
	return h[i].name < h[j].name
}

// Push is for heap.Interface.
func (h *newestFirst) Push(m any) {
	if m, ok := m.(globMatch); ok {
		*h = append(*h, m)
	}
}

// Pop is for heap.Interface.
func (h *newestFirst) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}
