package edit

import (
	"strings"
	"unicode"
)

// An wordEdit puts text in the place of a stretch of words.
type wordEdit struct {
	interval
	text string
}

// wordEdits lists what leads from a to b.
func wordEdits(a, b []string) []wordEdit {
	var all []wordEdit
	for _, r := range regions(a, b) {
		if !r.same {
			all = append(all, wordEdit{interval{r.a, r.aEnd}, strings.Join(b[r.b:r.bEnd], "")})
		}
	}
	return all
}

// mergeWords makes in the file the change from old to wanted. It refuses if the model
// changes what the file has otherwise.
func mergeWords(old, file, wanted string) (string, bool) {
	a := splitWords(old)
	given, asked := wordEdits(a, splitWords(file)), wordEdits(a, splitWords(wanted))
	var out strings.Builder
	at := 0
	for len(given)+len(asked) > 0 {
		var next wordEdit
		switch {
		case len(given) == 0:
			next, asked = asked[0], asked[1:]
		case len(asked) == 0:
			next, given = given[0], given[1:]
		case given[0] == asked[0]:
			next, given, asked = given[0], given[1:], asked[1:]
		case given[0].interval == asked[0].interval:
			return "", false
		case given[0].end <= asked[0].start:
			next, given = given[0], given[1:]
		case asked[0].end <= given[0].start:
			next, asked = asked[0], asked[1:]
		default:
			return "", false
		}
		out.WriteString(strings.Join(a[at:next.start], "") + next.text)
		at = next.end
	}
	out.WriteString(strings.Join(a[at:], ""))
	return out.String(), true
}

// splitWords divides text into words, white space, line ends and single other
// characters. Smaller parts would make a new word of two that have letters in common.
func splitWords(text string) []string {
	var all []string
	from, last := 0, wordClass
	for at, r := range text {
		kind := classOf(r)
		if at > from && (kind == singleClass || kind != last) {
			all = append(all, text[from:at])
			from = at
		}
		last = kind
	}
	if from < len(text) {
		all = append(all, text[from:])
	}
	return all
}

// What a character forms a unit with.
const (
	singleClass = iota
	wordClass
	spaceClass
)

func classOf(r rune) int {
	switch {
	case r == '\n':
		return singleClass
	case unicode.IsSpace(r):
		return spaceClass
	case r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N):
		return wordClass
	}
	return singleClass
}
