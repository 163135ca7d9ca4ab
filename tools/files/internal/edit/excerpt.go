package edit

import "strings"

// Excerpt returns the lines of text in spans, with up to around lines before and after
// each span. number formats one line with its number; nil leaves numbers out. A line
// "..." separates parts that are not adjacent. Each line ends with "\n".
//
// Spans must be in the order of the text. For an empty span the result has the lines
// around its position. Line numbers outside the text are ignored.
func Excerpt(text string, spans []Range, around int, number func(n int, line string) string) string {
	lines := splitLines(text)
	var out strings.Builder
	next := 1 // first line that is not written yet
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
