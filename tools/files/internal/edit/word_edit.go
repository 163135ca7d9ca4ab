package edit

import (
	"strings"
	"unicode"
)

// An exchange puts text in the place of a stretch of words.
type exchange struct {
	stretch
	text string
}

// exchanges lists what leads from a to b.
func exchanges(a, b []string) []exchange {
	var all []exchange
	for _, r := range regions(a, b) {
		if !r.same {
			all = append(all, exchange{stretch{r.a, r.aEnd}, strings.Join(b[r.b:r.bEnd], "")})
		}
	}
	return all
}

// carry makes in the file the change from old to wanted. It refuses if the model
// changes what the file has otherwise.
func carry(old, file, wanted string) (string, bool) {
	a := words(old)
	given, asked := exchanges(a, words(file)), exchanges(a, words(wanted))
	var out strings.Builder
	at := 0
	for len(given)+len(asked) > 0 {
		var next exchange
		switch {
		case len(given) == 0:
			next, asked = asked[0], asked[1:]
		case len(asked) == 0:
			next, given = given[0], given[1:]
		case given[0] == asked[0]:
			next, given, asked = given[0], given[1:], asked[1:]
		case given[0].stretch == asked[0].stretch:
			return "", false
		case given[0].end <= asked[0].first:
			next, given = given[0], given[1:]
		case asked[0].end <= given[0].first:
			next, asked = asked[0], asked[1:]
		default:
			return "", false
		}
		out.WriteString(strings.Join(a[at:next.first], "") + next.text)
		at = next.end
	}
	out.WriteString(strings.Join(a[at:], ""))
	return out.String(), true
}

// words divides text into words, white space, line ends and single other
// characters. Smaller parts would make a new word of two that have letters in common.
func words(text string) []string {
	var all []string
	from, last := 0, byWord
	for at, r := range text {
		kind := kindOf(r)
		if at > from && (kind == bySelf || kind != last) {
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
	bySelf = iota
	byWord
	bySpace
)

func kindOf(r rune) int {
	switch {
	case r == '\n':
		return bySelf
	case unicode.IsSpace(r):
		return bySpace
	case r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N):
		return byWord
	}
	return bySelf
}
