package grep

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sync"
)

// A collector keeps the first rows in the order of paths, while results arrive in any
// order. The rows that it keeps do not depend on the order of arrival.
type collector struct {
	mode     Mode
	allow    func(path string) bool
	skipRows int // rows that the report leaves out at the start
	needRows int // rows to keep, including those
	maxBytes int // memory of the kept rows

	mu        sync.Mutex
	freeBytes int    // memory that further rows may use
	kept      byPath // the last path on top
	rows      int    // number of rows in kept
	cutoff    string // results from this path on are not kept, if hasCutoff is set
	hasCutoff bool
	report    Report
	seen      map[string]bool // paths of files with a match; nil if none can be found twice
}

func newCollector(m Mode, o Limits) *collector {
	c := &collector{mode: m, allow: o.Allow, skipRows: max(0, o.Skip), needRows: math.MaxInt, maxBytes: o.MaxBytes}
	if o.Limit > 0 && o.Limit < math.MaxInt-c.skipRows {
		c.needRows = c.skipRows + o.Limit
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxBytes
	}
	c.freeBytes = c.maxBytes
	if o.Overlap {
		c.seen = map[string]bool{}
	}
	return c
}

// accept is SearchOptions.Accept for the file rel. A file that was found before is not
// accepted again.
func (c *collector) accept(rel string) (rows int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen != nil {
		if c.seen[rel] {
			return 0, false
		}
		c.seen[rel] = true
	}
	if c.allow != nil && !c.allow(rel) {
		c.report.Hidden++
		return 0, false
	}
	if c.hasCutoff && rel >= c.cutoff {
		return 0, true
	}
	return c.needRows, true
}

// add adds the result for a file.
func (c *collector) add(rel string, found Result) {
	if !found.Matched() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.NumFiles++
	c.report.NumRows += found.NumRows
	c.report.NumMatches += found.Matches
	if found.Binary {
		c.report.Binary++
	}
	if c.hasCutoff && rel >= c.cutoff {
		return
	}
	f := FileResult{Path: rel, Rows: found.Rows, Matches: found.Matches}
	heap.Push(&c.kept, f)
	c.rows += f.rowCount(c.mode)
	c.freeBytes -= f.memory()
	if found.Truncated {
		c.report.Truncated = true
		c.cutOffAt(rel + "\x00")
	}
	for c.freeBytes < 0 && len(c.kept) > 1 {
		c.report.Truncated = true
		c.cutOffAt(c.kept[0].Path)
	}
	for c.rows-c.kept[0].rowCount(c.mode) >= c.needRows {
		c.cutOffAt(c.kept[0].Path)
	}
}

// cutOffAt drops the results from path on, including those that arrive later.
func (c *collector) cutOffAt(path string) {
	c.cutoff, c.hasCutoff = path, true
	for len(c.kept) > 0 && c.kept[0].Path >= path {
		f, _ := heap.Pop(&c.kept).(FileResult)
		c.rows -= f.rowCount(c.mode)
		c.freeBytes += f.memory()
	}
}

// result returns the report with the selected rows.
func (c *collector) result() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.report
	slices.SortFunc(c.kept, func(a, b FileResult) int { return cmp.Compare(a.Path, b.Path) })
	skip, left := c.skipRows, c.needRows-c.skipRows
	for _, f := range c.kept {
		n := f.rowCount(c.mode)
		from := min(skip, n)
		skip -= from
		to := min(n, from+min(left, n))
		left -= to - from
		if from == to && n > 0 {
			continue
		}
		if c.mode == Content {
			f.Rows = f.Rows[from:to]
		}
		r.Files = append(r.Files, f)
	}
	return r
}

// byPath is a heap of file results with the last path on top.
type byPath []FileResult

func (h byPath) Len() int { return len(h) }

func (h byPath) Less(i, j int) bool { return h[i].Path > h[j].Path }

func (h byPath) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is for heap.Interface.
func (h *byPath) Push(x any) {
	f, _ := x.(FileResult)
	*h = append(*h, f)
}

// Pop is for heap.Interface.
func (h *byPath) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = FileResult{}
	*h = (*h)[:last]
	return f
}
