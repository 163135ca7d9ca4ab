package edit

import "strings"

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
