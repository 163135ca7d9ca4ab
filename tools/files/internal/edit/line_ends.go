package edit

import (
	"strings"
)

// lineEnds says how the lines of a text end.
type lineEnds struct {
	first string // the end of the first line; "\n" if there is one line only
	mixed bool   // not all lines end alike
	lone  bool   // a "\r" that stands alone ends a line
}

// endsOf looks at the line ends of a text. A lone "\r" ends a line only where
// there is no "\n" at all, as in files of the old Mac OS; elsewhere it is a
// character like any other.
func endsOf(plain string) lineEnds {
	if strings.IndexByte(plain, '\r') < 0 {
		return lineEnds{first: "\n"}
	}
	if strings.IndexByte(plain, '\n') < 0 {
		return lineEnds{first: "\r", lone: true}
	}
	pairs := strings.Count(plain, "\r\n")
	first := "\n"
	if at := strings.IndexByte(plain, '\n'); at > 0 && plain[at-1] == '\r' {
		first = "\r\n"
	}
	return lineEnds{first: first, mixed: pairs > 0 && pairs < strings.Count(plain, "\n")}
}

// view returns text with "\n" for each line end.
func (e lineEnds) view(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if e.lone {
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
	own := listEnds(plain)
	before, after := strings.Split(e.view(plain), "\n"), strings.Split(text, "\n")
	var out strings.Builder
	for i, from := range origins(before, after) {
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

// listEnds returns the line ends of a text where "\n" ends lines, in their order.
func listEnds(plain string) []string {
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

// origins tells for each line of after which line of before it was, or whose
// place it takes; -1 for added lines.
func origins(before, after []string) []int {
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
