package edit

import (
	"strings"
	"unicode"
)

// A lineCounter tracks the line number of a position that moves through a text.
type lineCounter struct {
	line    int  // number of the line, counted from 1
	started bool // the position is not at the start of the line
}

// advance moves past text.
func (c *lineCounter) advance(text string) {
	if text == "" {
		return
	}
	c.line += strings.Count(text, "\n")
	c.started = text[len(text)-1] != '\n'
}

// advanceOver moves past text and returns the lines of text. whole reports whether a
// line starts after text.
func (c *lineCounter) advanceOver(text string, whole bool) Range {
	first := *c
	c.advance(text)
	switch {
	case c.started:
		return Range{First: first.line, Last: c.line}
	case text == "" && whole:
		return Range{First: first.line, Last: first.line - 1}
	case text == "":
		return Range{First: first.line, Last: first.line}
	}
	return Range{First: first.line, Last: c.line - 1}
}

// A lineEdit is a replacement of whole lines.
type lineEdit struct {
	old, new             []string // without line ends
	oldHasEnd, newHasEnd bool     // the last line has a line end
}

// newLineEdit splits a replacement into lines. Blank lines at the start of both texts
// are left out, since they match almost anywhere.
func newLineEdit(r Replacement) lineEdit {
	for strings.HasPrefix(r.Old, "\n") && strings.HasPrefix(r.New, "\n") {
		r.Old, r.New = r.Old[1:], r.New[1:]
	}
	var e lineEdit
	e.old, e.oldHasEnd = linesWithoutEnds(r.Old)
	e.new, e.newHasEnd = linesWithoutEnds(r.New)
	if r.New == "" && !e.oldHasEnd {
		e.new = []string{""} // the line end of the last line stays
	}
	return e
}

// apply returns the byteEdit for the lines s of the file, which match the old lines. It
// reports false if the change cannot be merged into these lines.
func (e lineEdit) apply(index *lineIndex, s interval) (byteEdit, bool) {
	lines, ok := mergeLines(e.old, index.lines[s.start:s.end], e.new)
	if !ok {
		return byteEdit{}, false
	}
	c := byteEdit{start: index.starts[s.start], end: index.starts[s.end-1] + len(index.lines[s.end-1])}
	c.text = strings.Join(lines, "\n")
	// If the last line of the file has no line end, the line end of the old text counts
	// as matched, and the new text gets none.
	missing := c.end == len(index.text)
	if e.oldHasEnd && !missing {
		c.end++
	}
	if e.newHasEnd && (!e.oldHasEnd || !missing) {
		c.text += "\n"
	}
	return c, true
}

// A lineEnds value describes the line ends of a text.
type lineEnds struct {
	first  string // line end of the first line; "\n" if there is one line only
	mixed  bool   // some lines end with "\n" and others with "\r\n"
	loneCR bool   // a "\r" without "\n" ends a line
}

// detectLineEnds returns the line ends of a text. A lone "\r" ends a line only in a
// text without any "\n", as in files of the classic Mac OS; elsewhere it is an ordinary
// character.
func detectLineEnds(plain string) lineEnds {
	if strings.IndexByte(plain, '\r') < 0 {
		return lineEnds{first: "\n"}
	}
	if strings.IndexByte(plain, '\n') < 0 {
		return lineEnds{first: "\r", loneCR: true}
	}
	pairs := strings.Count(plain, "\r\n")
	first := "\n"
	if at := strings.IndexByte(plain, '\n'); at > 0 && plain[at-1] == '\r' {
		first = "\r\n"
	}
	return lineEnds{first: first, mixed: pairs > 0 && pairs < strings.Count(plain, "\n")}
}

// normalize returns text with "\n" for each line end.
func (e lineEnds) normalize(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if e.loneCR {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return text
}

// restore returns text, which replaces plain, with the line ends of the file. An
// unchanged line keeps its line end, and so does a line that replaces another; added
// lines get the line end of the file's first line.
func (e lineEnds) restore(plain, text string) string {
	if e.first == "\n" && !e.mixed {
		return text
	}
	if !e.mixed {
		return strings.ReplaceAll(text, "\n", e.first)
	}
	own := listLineEnds(plain)
	before, after := strings.Split(e.normalize(plain), "\n"), strings.Split(text, "\n")
	var out strings.Builder
	for i, from := range lineOrigins(before, after) {
		out.WriteString(after[i])
		switch {
		case i == len(after)-1: // the last line has no line end
		case from >= 0 && from < len(own):
			out.WriteString(own[from])
		default:
			out.WriteString(e.first)
		}
	}
	return out.String()
}

// listLineEnds returns the line ends of a text in order. A lone "\r" is not one of
// them.
func listLineEnds(plain string) []string {
	var ends []string
	for i := range len(plain) {
		switch {
		case plain[i] == '\n' && i > 0 && plain[i-1] == '\r':
			ends = append(ends, "\r\n")
		case plain[i] == '\n':
			ends = append(ends, "\n")
		}
	}
	return ends
}

// lineOrigins returns, for each line of after, the index of the line of before that it
// equals or replaces, or -1 for an added line.
func lineOrigins(before, after []string) []int {
	from := make([]int, len(after))
	for _, g := range regions(before, after) {
		for j := g.b; j < g.bEnd; j++ {
			from[j] = -1
			if i := g.a + j - g.b; i < g.aEnd {
				from[j] = i
			}
		}
	}
	return from
}

// A lineIndex is a text with its lines and their offsets.
type lineIndex struct {
	text   string
	lines  []string // without line ends
	starts []int    // offset of each line, and then the length of the text
}

func newLineIndex(text string) *lineIndex {
	x := &lineIndex{text: text}
	at := 0
	for _, line := range splitLines(text) {
		x.starts = append(x.starts, at)
		x.lines = append(x.lines, strings.TrimSuffix(line, "\n"))
		at += len(line)
	}
	x.starts = append(x.starts, at)
	return x
}

// splitLines returns the lines of text with their line ends. An empty text has no
// lines.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// linesWithoutEnds returns the lines of text without their line ends. ended reports
// whether the last line has one.
func linesWithoutEnds(text string) (lines []string, ended bool) {
	if text == "" {
		return nil, false
	}
	text, ended = strings.CutSuffix(text, "\n")
	return strings.Split(text, "\n"), ended
}

// lineKeys returns key of each line.
func lineKeys(lines []string, key func(string) string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = key(line)
	}
	return all
}

// foldedLine returns a line without the differences that the levels up to Punctuation
// ignore.
func foldedLine(line string) string { return strings.TrimSpace(fold(line)) }

// rightTrimmed returns a line without the white space at its end.
func rightTrimmed(line string) string { return strings.TrimRightFunc(line, unicode.IsSpace) }

// indentOf returns the white space at the beginning of a line.
func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsSpace))]
}

// trailingSpace returns the white space at the end of a line.
func trailingSpace(line string) string { return line[len(rightTrimmed(line)):] }

// findLines returns each place in have where the lines equal want, which must not be
// empty. It is the algorithm of Knuth, Morris and Pratt: a file of many equal lines
// takes no longer than any other.
func findLines(have, want []string) []interval {
	var found []interval
	border := borders(want)
	n := 0
	for i, key := range have {
		for n > 0 && (n == len(want) || key != want[n]) {
			n = border[n-1]
		}
		if key == want[n] {
			n++
		}
		if n == len(want) {
			found = append(found, interval{i + 1 - n, i + 1})
		}
	}
	return found
}

// borders returns, for each prefix of want, the length of the longest shorter prefix
// that is also its suffix.
func borders(want []string) []int {
	all := make([]int, len(want))
	n := 0
	for i := 1; i < len(want); i++ {
		for n > 0 && want[i] != want[n] {
			n = all[n-1]
		}
		if want[i] == want[n] {
			n++
		}
		all[i] = n
	}
	return all
}
