package files

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// These limits apply to the changes that a tool shows after it changed a file; they are our
// choice. The model knows its own text, and needs to see that it stands in the right place.
const (
	echoedAround   = 3    // unchanged lines before and after a place
	maxEchoedLine  = 300  // characters of a line
	maxEchoedEnd   = 5    // lines at each end of a place with many
	maxEchoedBytes = 6000 // of all places
	maxEchoed      = 20   // places
)

// An echo shows the lines around changed places of a text.
type echo struct {
	before, after string
	spans         []edit.Span // in order
	number        func(n int, text string) string
}

// echoDifference shows the lines around the places where a file, whose text was before, has
// other text now.
func echoDifference(before string, data []byte, number func(n int, text string) string) string {
	now, err := edit.Parse(data)
	if err != nil {
		return ""
	}
	e := echo{before: before, after: now.String(), number: number}
	for _, h := range edit.Patch(e.before, e.after, 0) {
		e.spans = append(e.spans, edit.Span{
			Old: edit.Range{First: h.OldStart, Last: h.OldStart + h.OldLines - 1},
			New: edit.Range{First: h.NewStart, Last: h.NewStart + h.NewLines - 1},
		})
	}
	return e.text()
}

// text returns the lines with their numbers, and a note about places that are left out.
func (e echo) text() string {
	shown := min(len(e.spans), maxEchoed)
	text := e.excerpt(shown)
	for shown > 1 && len(text) > maxEchoedBytes {
		shown /= 2
		text = e.excerpt(shown)
	}
	if more := len(e.spans) - shown; more > 0 {
		text += fmt.Sprintf("[%s not shown]\n", plural(more, "further place"))
	}
	return strings.TrimSuffix(text, "\n")
}

// excerpt shows the first places.
func (e echo) excerpt(places int) string {
	var at []edit.Range
	changed := map[int]int{} // by line: the byte at which it changed
	for _, s := range e.spans[:places] {
		if s.New.Last-s.New.First >= 2*maxEchoedEnd {
			at = append(at, edit.Range{First: s.New.First, Last: s.New.First + maxEchoedEnd - 1}, edit.Range{First: s.New.Last - maxEchoedEnd + 1, Last: s.New.Last})
			continue
		}
		at = append(at, s.New)
		for n := s.New.First; n <= s.New.Last && s.New.Last-s.New.First == s.Old.Last-s.Old.First; n++ {
			changed[n] = commonPrefix(lineOf(e.before, s.Old.First+n-s.New.First), lineOf(e.after, n))
		}
	}
	return edit.Excerpt(e.after, at, echoedAround, func(n int, line string) string {
		return e.number(n, window(n, line, changed[n]))
	})
}

// window returns a line, or of a long line the part around the byte at.
func window(n int, line string, at int) string {
	if utf8.RuneCountInString(line) <= maxEchoedLine {
		return line
	}
	from, rest := 0, line
	if at > maxEchoedLine/2 {
		from = at - maxEchoedLine/3
		for !utf8.RuneStart(line[from]) {
			from--
		}
		rest = line[from:]
	}
	shown := string(firstRunes([]byte(rest[:min(len(rest), maxEchoedLine*utf8.UTFMax)]), maxEchoedLine))
	text := shown
	if from > 0 {
		text = fmt.Sprintf("[from byte %d] … ", from) + text
	}
	if more := len(rest) - len(shown); more > 0 {
		text += fmt.Sprintf(" … [%d more bytes in this line; Read shows them with offset %d and byte_offset %d]", more, n, from+len(shown))
	}
	return text
}

// lineOf returns line n of text, counted from 1, or "".
func lineOf(text string, n int) string {
	for ; n > 1; n-- {
		_, rest, found := strings.Cut(text, "\n")
		if !found {
			return ""
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// commonPrefix returns the number of equal bytes at the start of a and b.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
