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

// A Result is the result of a search of one file.
type Result struct {
	Rows    []Row // in the mode Content, up to the number that Accept returned
	NumRows int   // number of rows in the file, including those without an entry in Rows
	Matches int   // in the sense of the mode Count
	// Binary reports that the file is not text. The result is incomplete, and has no
	// rows from the first zero byte on.
	Binary bool
	// Truncated reports that rows are missing because the rows reached MaxBytes.
	Truncated bool
	// Denied reports that the file has a match and that Accept refused the file. All
	// other fields are zero.
	Denied bool
}

// Matched reports whether the file has a match.
func (f *Result) Matched() bool { return f.Matches > 0 }

// Limits limit the result of a search. The zero value limits only the memory.
type Limits struct {
	// The report leaves out the first Skip rows and has at most Limit of the rows after
	// them, in the byte order of paths. In the modes Files and Count each file is one
	// row. A Limit of 0 means no limit.
	Skip, Limit int
	// MaxBytes is the approximate memory that the rows may use, in bytes; 0 means
	// DefaultMaxBytes. The first row is kept in any case.
	MaxBytes int
	// Allow reports whether the caller may learn that a file has a match. It gets the path
	// of the file in the report. It is called once for each file with a match, not
	// concurrently, before anything of the file is kept. Nil allows all files.
	Allow func(path string) bool
	// Overlap says that a search may come upon a file several times, since one directory
	// is below another. The file counts once.
	Overlap bool
}

// DefaultMaxBytes is the default of Limits.MaxBytes; our choice.
const DefaultMaxBytes = 20 << 20

// A FileResult is the result for one file of a Report.
type FileResult struct {
	Path    string
	Rows    []Row // in the mode Content
	Matches int   // in the whole file, including those without a row
}

// rowCount returns the number of rows of f for the limits.
func (f *FileResult) rowCount(m Mode) int {
	if m == Content {
		return len(f.Rows)
	}
	return 1
}

// memory returns the approximate memory of f, in bytes.
func (f *FileResult) memory() int {
	n := 64 + len(f.Path)
	for i := range f.Rows {
		n += f.Rows[i].memory()
	}
	return n
}

// A fileSearch is the state of the search of one file.
type fileSearch struct {
	options     SearchOptions
	result      Result
	maxRows     int  // rows that may be kept
	rowMemory   int  // memory of the rows, in bytes
	acceptAsked bool // Accept was called
	done        bool // nothing more is needed of this file

	linesBefore int // lines that end before countedTo
	countedTo   int // offset in the window
	shownTo     int // offset in the window after the last row; -1 if it lies before the window
	trailing    int // lines of context that are still to be added after the last match
}
