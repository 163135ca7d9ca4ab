package notebook

import (
	"slices"
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A Cell is one cell of a notebook.
type Cell struct {
	ID             string // id in the file if no other cell has it, or a made up name such as cell-3, see Names
	Index          int    // counted from 0
	Type           string // Code, Markdown or Raw, or another type that the file names
	Language       string // of a code cell; "markdown" for Markdown, otherwise ""
	Source         string // lone surrogates are replaced by U+FFFD
	ExecutionCount *int   // nil if the cell was not run
	Outputs        []Output
}

// The types of a cell.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// isType reports whether kind is a type that a cell can get.
func isType(kind string) bool { return kind == Code || kind == Markdown || kind == Raw }

// A cell is the location of a Cell in the file.
type cell struct {
	jsonedit.Span
	index   int
	members []jsonedit.Member
	name    string // by which callers name the cell
	ownID   string // id in the file; "" if the cell has no id
	kind    string
	source  jsonedit.Span
}

// numberedName returns the name that is made up with a number.
func numberedName(number int) string { return numberPrefix + strconv.Itoa(number) }

// cellKeys returns the keys of a cell in the order in which Jupyter writes them.
func cellKeys() []string {
	return []string{"cell_type", "execution_count", "id", "metadata", "outputs", "source"}
}

// orderKeys returns the keys of values in the order of an example. A key that the
// example does not have is inserted where Jupyter would write it.
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

// indexBefore returns the index in present of the key after which Jupyter would write
// key, or -1.
func indexBefore(present []string, key string) int {
	all := cellKeys()
	for i := slices.Index(all, key) - 1; i >= 0; i-- {
		if at := slices.Index(present, all[i]); at >= 0 {
			return at
		}
	}
	return -1
}
