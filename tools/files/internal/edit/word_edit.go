package edit

import (
	"strings"
	"unicode"
)

// A wordEdit replaces an interval of words by text.
type wordEdit struct {
	interval
	text string
}

// wordEdits returns the edits that turn a into b.
func wordEdits(a, b []string) []wordEdit {
	var all []wordEdit
	for _, r := range regions(a, b) {
		if !r.same {
			all = append(all, wordEdit{interval{r.a, r.aEnd}, strings.Join(b[r.b:r.bEnd], "")})
		}
	}
	return all
}

// mergeWords applies the change from old to wanted to the text of the file, word by
// word. It reports false if the change touches words that differ between old and the
// file.
func mergeWords(old, file, wanted string) (string, bool) {
	a := splitWords(old)
	fileEdits, modelEdits := wordEdits(a, splitWords(file)), wordEdits(a, splitWords(wanted))
	var out strings.Builder
	at := 0
	for len(fileEdits)+len(modelEdits) > 0 {
		var next wordEdit
		switch {
		case len(fileEdits) == 0:
			next, modelEdits = modelEdits[0], modelEdits[1:]
		case len(modelEdits) == 0:
			next, fileEdits = fileEdits[0], fileEdits[1:]
		case fileEdits[0] == modelEdits[0]:
			next, fileEdits, modelEdits = fileEdits[0], fileEdits[1:], modelEdits[1:]
		case fileEdits[0].interval == modelEdits[0].interval:
			return "", false
		case fileEdits[0].end <= modelEdits[0].start:
			next, fileEdits = fileEdits[0], fileEdits[1:]
		case modelEdits[0].end <= fileEdits[0].start:
			next, modelEdits = modelEdits[0], modelEdits[1:]
		default:
			return "", false
		}
		out.WriteString(strings.Join(a[at:next.start], "") + next.text)
		at = next.end
	}
	out.WriteString(strings.Join(a[at:], ""))
	return out.String(), true
}

// splitWords splits text into words, runs of white space, line ends and other single
// characters. With smaller units a merge could mix the letters of two words.
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

// The classes of characters. A run of wordClass or spaceClass is one unit.
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
