package edit

import (
	"strings"
	"unicode/utf8"
)

// An escapes value is one way to write characters by other characters.
type escapes struct {
	sequences map[string]string // values by sequence
	lead      byte              // first character of each sequence
	longest   int               // length of the longest sequence, in bytes
}

// knownEscapes returns the ways in which models write too many or too few escapes: the
// backslashes of strings, and the entities of HTML.
func knownEscapes() []escapes {
	return []escapes{
		{lead: '\\', longest: 2, sequences: map[string]string{
			`\n`: "\n", `\t`: "\t", `\r`: "\r", `\"`: `"`, `\'`: "'", "\\`": "`", `\\`: `\`,
		}},
		{lead: '&', longest: 6, sequences: map[string]string{
			"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": `"`, "&#39;": "'", "&apos;": "'",
		}},
	}
}

// next returns the first unit of text, which must not be empty: a sequence and its value,
// or a character that stands for itself.
func (e *escapes) next(text string) (unit, value string) {
	if text[0] == e.lead {
		for size := 2; size <= min(e.longest, len(text)); size++ {
			if value, ok := e.sequences[text[:size]]; ok {
				return text[:size], value
			}
		}
	}
	_, size := utf8.DecodeRuneInString(text)
	return text[:size], text[:size]
}

// split returns the units of text and their values.
func (e *escapes) split(text string) (units, values []string) {
	for len(text) > 0 {
		unit, value := e.next(text)
		units, values = append(units, unit), append(values, value)
		text = text[len(unit):]
	}
	return units, values
}

// isSpecial reports whether a character is the value of a sequence.
func (e *escapes) isSpecial(char string) bool {
	for _, value := range e.sequences {
		if value == char {
			return true
		}
	}
	return false
}

// decode returns text with the values of its sequences.
func (e *escapes) decode(text string) string {
	if strings.IndexByte(text, e.lead) < 0 {
		return text
	}
	_, values := e.split(text)
	return strings.Join(values, "")
}

// findEncoded returns the parts of text whose decoded form is want. A part has at least
// one sequence, and begins and ends with whole units.
func (e *escapes) findEncoded(text, want string) []interval {
	if strings.IndexByte(text, e.lead) < 0 {
		return nil
	}
	units, values := e.split(text)
	decoded := strings.Join(values, "")
	var found []interval
	unit, at, seen := 0, 0, 0 // index of a unit, and its offsets in text and decoded
	for from := 0; ; from++ {
		i := strings.Index(decoded[from:], want)
		if i < 0 {
			return found
		}
		from += i
		for seen < from {
			at, seen, unit = at+len(units[unit]), seen+len(values[unit]), unit+1
		}
		end, decodedEnd := at, seen
		for n := unit; decodedEnd < from+len(want); n++ {
			end, decodedEnd = end+len(units[n]), decodedEnd+len(values[n])
		}
		if seen == from && decodedEnd == from+len(want) && end-at > len(want) {
			found = append(found, interval{at, end})
		}
	}
}

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
