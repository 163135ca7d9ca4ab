package edit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// minNearestSimilarity is the minimum similarity of lines that an error shows, in
	// percent.
	minNearestSimilarity = 50
	// maxNearestCandidates is the maximum number of candidates that are compared in
	// full.
	maxNearestCandidates = 8
	// maxNearestWork bounds these comparisons, in pairs of characters.
	maxNearestWork = 40_000_000
	// maxDiffLines is the maximum number of lines of the difference that an error
	// shows.
	maxDiffLines = 40
	// maxDiffLineBytes is the maximum number of bytes of each of these lines.
	maxDiffLineBytes = 500
	// minAppliedLength is the minimum length of a new text, in bytes, whose presence
	// suggests that the edit was made before.
	minAppliedLength = 10
)

// absentError returns the error for an old text that is not in the file, with the lines, or
// the part of a line, that are most similar to it.
func (t *Text) absentError(r Replacement) *AbsentError {
	e := t.absentLines(r)
	old, _ := linesWithoutEnds(strings.Trim(r.Old, "\n"))
	if len(old) != 1 {
		return e
	}
	text := t.String()
	at, similarity, ok := nearestPart(text, old[0])
	line := 1 + strings.Count(text[:at.start], "\n")
	if ok && similarity > e.Similarity && text[at.start:at.end] != newLineIndex(text).lines[line-1] {
		e.Nearest, e.Similarity = Range{line, line}, similarity
		e.Part, e.Byte = true, at.start-strings.LastIndexByte(text[:at.start], '\n')-1
		e.Diff = shortDiff(old, []string{text[at.start:at.end]}, line, e.Byte)
	}
	return e
}

// absentLines returns the error for whole lines that are not in the file, with the lines
// that are most similar to them.
func (t *Text) absentLines(r Replacement) *AbsentError {
	e := &AbsentError{Numbered: hasLineNumbers(r.Old)}
	if at := strings.Index(t.normalized, r.New); at >= 0 && len(strings.TrimSpace(r.New)) >= minAppliedLength {
		e.Applied = 1 + strings.Count(t.normalized[:at], "\n")
	}
	old, _ := linesWithoutEnds(strings.Trim(r.Old, "\n"))
	lines := newLineIndex(t.String()).lines
	if at, similarity, ok := nearest(lines, old); ok {
		e.Nearest, e.Similarity = Range{at.start + 1, at.end}, similarity
		e.Diff = shortDiff(old, lines[at.start:at.end], at.start+1, 0)
	}
	return e
}

// hasLineNumbers reports whether each line that is not blank begins with a number, as
// in the output of a tool that lists lines.
func hasLineNumbers(text string) bool {
	prefix := regexp.MustCompile(`^ *[0-9]+(\t|→)`)
	found := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if found = prefix.MatchString(line); !found {
			return false
		}
	}
	return found
}

// nearest returns the lines that are most similar to the old lines, and their
// similarity in percent.
func nearest(lines, old []string) (best interval, similarity int, found bool) {
	old = old[:min(len(old), len(lines))]
	text := []rune(strings.Join(old, "\n"))
	if strings.TrimSpace(string(text)) == "" {
		return interval{}, 0, false
	}
	all := candidates(lines, old)
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	lev := levenshtein{budget: maxNearestWork}
	similarity = minNearestSimilarity - 1
	for _, c := range all[:min(len(all), maxNearestCandidates)] {
		joined := strings.Join(lines[c.start:c.end], "\n")
		whole := max(weightOfRunes(text), weightOfText(joined))
		limit := whole * (100 - similarity) / 100
		if c.distance > limit { // before a huge line is converted to runes, which takes memory
			continue
		}
		d, ok := lev.distance(text, []rune(joined), limit)
		if s := 100 - 100*d/whole; ok && s > similarity {
			best, similarity, found = c.interval, s, true
		}
	}
	return best, similarity, found
}

// shortDiff returns the difference between the old lines and those of the file from the line
// first on, with one line of context and without line numbers. Of the first line only the
// text from the byte from on is given.
func shortDiff(old, file []string, first, from int) string {
	var shown []string
	for _, h := range Patch(strings.Join(old, "\n")+"\n", strings.Join(file, "\n")+"\n", 1) {
		if len(shown) > 0 {
			shown = append(shown, "...")
		}
		number, starts := first+h.NewStart-1, windowStarts(h.Lines)
		for i, line := range h.Lines {
			shown = append(shown, cutLine(line, starts[i], number, from))
			if line[0] != '-' {
				number++
			}
		}
	}
	if len(shown) > maxDiffLines {
		shown = append(shown[:maxDiffLines], "...")
	}
	return strings.Join(shown, "\n")
}

// windowStarts returns for each line of a difference the byte from which on it is shown if
// it is long: shortly before the place where a line and the one that it became differ.
func windowStarts(lines []string) []int {
	starts := make([]int, len(lines))
	var olds []int // indexes of removed lines whose new ones have not come yet
	for i, line := range lines {
		switch {
		case line[0] == '-':
			olds = append(olds, i)
		case line[0] == '+' && len(olds) > 0:
			old := olds[0]
			olds = olds[1:]
			at := max(0, commonPrefix(lines[old][1:], line[1:])-maxDiffLineBytes/4)
			starts[old], starts[i] = at, at
		default:
			olds = nil
		}
	}
	return starts
}

// commonPrefix returns the number of equal bytes at the start of a and b.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// cutLine returns a line of a difference. Of a long one it returns maxDiffLineBytes from the
// byte start on, and says what is left out. number and from say where the text of the line
// begins in the file.
func cutLine(line string, start, number, from int) string {
	mark, text := line[:1], line[1:]
	if len(text) <= maxDiffLineBytes {
		return line
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	kept := text[start:min(start+maxDiffLineBytes, len(text))]
	kept = strings.ToValidUTF8(kept, "")
	cut := mark + kept
	if mark == "-" {
		from = 0
	}
	if start > 0 {
		cut = fmt.Sprintf("%s[from byte %d] … %s", mark, from+start, kept)
	}
	switch more := len(text) - start - len(kept); {
	case more > 0 && mark == "-":
		cut += fmt.Sprintf(" … [%d more bytes, as given]", more)
	case more > 0:
		cut += fmt.Sprintf(" … [%d more bytes in this line; Read shows them with offset %d and byte_offset %d]", more, number, from+start+len(kept))
	}
	return cut
}
