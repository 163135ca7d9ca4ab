package edit

import (
	"strings"
)

// lineEnds says how the lines of a text end.
type lineEnds struct {
	first  string // the end of the first line; "\n" if there is one line only
	mixed  bool   // not all lines end alike
	loneCR bool   // a "\r" that stands alone ends a line
}

// detectLineEnds looks at the line ends of a text. A lone "\r" ends a line only where
// there is no "\n" at all, as in files of the old Mac OS; elsewhere it is a
// character like any other.
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

// restore gives the lines of text, which takes the place of plain, their ends.
// Lines that were there before keep theirs, and so does a line that takes the
// place of another; added lines end like the first line of the file.
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
		case i == len(after)-1: // no line end follows
		case from >= 0 && from < len(own):
			out.WriteString(own[from])
		default:
			out.WriteString(e.first)
		}
	}
	return out.String()
}

// listLineEnds returns the line ends of a text where "\n" ends lines, in their order.
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

// lineOrigins tells for each line of after which line of before it was, or whose
// place it takes; -1 for added lines.
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
