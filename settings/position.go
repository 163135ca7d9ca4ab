package settings

import (
	"fmt"
	"sort"
	"unicode/utf8"
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
}

// at returns the position of an offset.
func (t *text) at(offset int) Position {
	if t.lines == nil {
		t.lines = []int{}
		for i, c := range t.data {
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
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
	return Position{Path: t.path, Line: line + 1, Column: utf8.RuneCount(t.data[start:offset]) + 1}
}

// whole returns the position of the whole file.
func (t *text) whole() Position { return Position{Path: t.path} }
