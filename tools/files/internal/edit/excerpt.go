package edit

import (
	"strings"
)

// Excerpt shows the lines of text that spans name and around lines before and
// after each. number writes one line with its number; nil leaves numbers out.
// "..." stands for lines between parts. Each line ends with "\n".
//
// Spans must be in the order of the text. An empty one shows the lines around
// the place; lines that text does not have are left out.
func Excerpt(text string, spans []Range, around int, number func(n int, line string) string) string {
	lines := splitLines(text)
	var out strings.Builder
	next := 1 // the first line that is not written yet
	for _, s := range spans {
		from, to := max(s.First-around, next), min(s.Last+around, len(lines))
		if from > to {
			continue
		}
		if from > next && next > 1 {
			out.WriteString("...\n")
		}
		for n := from; n <= to; n++ {
			line := strings.TrimSuffix(lines[n-1], "\n")
			if number != nil {
				line = number(n, line)
			}
			out.WriteString(line)
			out.WriteByte('\n')
		}
		next = to + 1
	}
	return out.String()
}
