package notebook

import (
	"slices"
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A Cell is one cell of a notebook.
type Cell struct {
	ID             string // its own, or cell-<index> if it has none
	Index          int    // its place, counted from 0
	Type           string // Code, Markdown or Raw; another if the file says so
	Language       string // of a code cell; "markdown" for Markdown, else ""
	Source         string // half characters in it are U+FFFD
	ExecutionCount *int   // nil if the cell was not run
	Outputs        []Output
}

// The types a cell can have.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

func isType(kind string) bool { return kind == Code || kind == Markdown || kind == Raw }

// A cell is where a Cell lies in the file.
type cell struct {
	jsonedit.Span
	index   int
	members []jsonedit.Member
	ownID   string
	kind    string
	source  jsonedit.Span
}

// id returns the name by which callers know the cell.
func (c cell) id() string {
	if c.ownID != "" {
		return c.ownID
	}
	return positionalID(c.index)
}

// positionalID returns the id of a cell that has none of its own.
func positionalID(index int) string { return positionPrefix + strconv.Itoa(index) }

// cellKeys are the keys of a cell in the order in which Jupyter writes them.
func cellKeys() []string {
	return []string{"cell_type", "execution_count", "id", "metadata", "outputs", "source"}
}

// orderKeys returns the keys of values in the order of an example, those it has
// not where Jupyter would write them.
func orderKeys(example []jsonedit.Member, values map[string]string) []string {
	var keys []string
	for _, m := range example {
		if _, ok := values[m.Key]; ok && !slices.Contains(keys, m.Key) {
			keys = append(keys, m.Key)
		}
	}
	for _, key := range cellKeys() {
		if _, ok := values[key]; ok && !slices.Contains(keys, key) {
			keys = slices.Insert(keys, indexBefore(keys, key)+1, key)
		}
	}
	return keys
}

// indexBefore returns the index in present of the key after which Jupyter would
// write key, or -1.
func indexBefore(present []string, key string) int {
	all := cellKeys()
	for i := slices.Index(all, key) - 1; i >= 0; i-- {
		if at := slices.Index(present, all[i]); at >= 0 {
			return at
		}
	}
	return -1
}
