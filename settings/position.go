package settings

import (
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A Position is a place in a settings file or on the command line.
type Position struct {
	// Path is that of the file, or the name of the flag, such as --allowedTools.
	Path string `json:"path"`
	// Line and Column are counted from 1, columns in characters. Both are 0 if the whole file
	// is meant.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// String returns path:line:column, or the path alone.
func (p Position) String() string {
	if p.Line == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Column)
}

// A text is a file whose offsets become positions.
type text struct {
	path  string
	data  []byte
	lines []int // offsets of the starts of all lines but the first; nil until it is needed
	marks []mark
}

// A mark says how many characters stand before an offset. A long line has many, so that its
// positions take no longer than those of short ones.
type mark struct{ offset, characters int }

const markDistance = 1 << 6 // bytes

// index finds the lines and the marks.
func (t *text) index() {
	t.lines, t.marks = []int{}, []mark{{}}
	characters := 0
	for i, c := range string(t.data) {
		if i-t.marks[len(t.marks)-1].offset >= markDistance {
			t.marks = append(t.marks, mark{i, characters})
		}
		characters++
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
}

// before returns how many characters stand before an offset.
func (t *text) before(offset int) int {
	m := t.marks[sort.Search(len(t.marks), func(i int) bool { return t.marks[i].offset > offset })-1]
	return m.characters + utf8.RuneCount(t.data[m.offset:offset])
}

// at returns the position of an offset.
func (t *text) at(offset int) Position {
	if t.lines == nil {
		t.index()
	}
	offset = min(max(offset, 0), len(t.data))
	line, start := sort.SearchInts(t.lines, offset+1), 0
	if line > 0 {
		start = t.lines[line-1]
	}
	const bom = "\xef\xbb\xbf"
	if start == 0 && offset >= len(bom) && string(t.data[:len(bom)]) == bom {
		start = len(bom)
	}
	return Position{Path: t.path, Line: line + 1, Column: t.before(offset) - t.before(start) + 1}
}

// whole returns the position of the whole file.
func (t *text) whole() Position { return Position{Path: t.path} }

// parse parses a settings file. A missing or empty file is an empty object. The error is a
// *CorruptError, or wraps ErrComments.
func parse(path string, data []byte) (*jsonedit.Document, error) {
	doc, err := jsonedit.Parse(data)
	if errors.Is(err, jsonedit.ErrEmpty) {
		doc, err = jsonedit.Parse([]byte("{}\n"))
	}
	if err != nil {
		if jsonedit.Commented(data) {
			at := newCorrupt(path, data, err)
			return nil, fmt.Errorf("%v: %w", Position{Path: path, Line: at.Line, Column: at.Column}, ErrComments)
		}
		return nil, newCorrupt(path, data, err)
	}
	doc.Indent = "  "
	if !doc.Opens(doc.Root(), '{') {
		at := (&text{path: path, data: data}).at(doc.Root().Start)
		return nil, &CorruptError{Path: path, Line: at.Line, Column: at.Column, Err: &jsonedit.ShapeError{Want: "an object"}}
	}
	members := doc.Top()
	key, twice := jsonedit.Repeated(members, permissionsKey)
	if !twice {
		members = doc.Members(jsonedit.Find(members, permissionsKey))
		key, twice = jsonedit.Repeated(members, permissionKeys()...)
	}
	if twice {
		at := (&text{path: path, data: data}).at(members[jsonedit.IndexOf(members, key)].Start)
		return nil, &CorruptError{Path: path, Line: at.Line, Column: at.Column, Err: fmt.Errorf("the key %q is there twice; write it once", key)}
	}
	return doc, nil
}
