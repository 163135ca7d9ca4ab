package files

import "cmp"

// A globMatch is a file that matches the pattern.
type globMatch struct {
	name    string // relative to the root of the search, with slashes
	changed int64  // modification time in microseconds since 1970
}

// newestFirst is a heap of matches with the file changed last on top, then by name.
type newestFirst []globMatch

func (h newestFirst) Len() int { return len(h) }

func (h newestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h newestFirst) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].changed, h[i].changed), cmp.Compare(h[i].name, h[j].name)) < 0
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
