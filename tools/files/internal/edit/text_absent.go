package edit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	// minNearestSimilarity is how much lines must be alike to be worth showing, percent.
	minNearestSimilarity = 50
	// maxNearestCandidates is how many places are compared in full to find the nearest.
	maxNearestCandidates = 8
	// maxNearestWork bounds that work, in comparisons of two characters.
	maxNearestWork = 40_000_000
	// maxDiffLines is how many lines of the difference an error shows.
	maxDiffLines = 40
	// maxDiffLineBytes is how many bytes of each of these lines it shows.
	maxDiffLineBytes = 2000
	// minAppliedLength is how long a new text is that tells that an edit was made.
	minAppliedLength = 10
)

// absentError tells what is in the place of a text that is not there.
func (t *Text) absentError(r Replacement) error {
	e := &AbsentError{Numbered: hasLineNumbers(r.Old)}
	if at := strings.Index(t.normalized, r.New); at >= 0 && len(strings.TrimSpace(r.New)) >= minAppliedLength {
		e.Applied = 1 + strings.Count(t.normalized[:at], "\n")
	}
	old, _ := linesWithoutEnds(strings.Trim(r.Old, "\n"))
	lines := newLineIndex(t.String()).lines
	if w, ok := nearest(lines, old); ok {
		e.Nearest, e.Similarity = Range{w.start + 1, w.end}, w.distance
		e.Diff = shortDiff(old, lines[w.start:w.end])
	}
	return e
}

// hasLineNumbers reports whether each line that is not blank begins with a number, as
// in a listing.
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

// nearest returns the lines most like the old lines. Instead of the distance the
// window has the similarity, percent.
func nearest(lines, old []string) (candidate, bool) {
	old = old[:min(len(old), len(lines))]
	text := []rune(strings.Join(old, "\n"))
	if strings.TrimSpace(string(text)) == "" {
		return candidate{}, false
	}
	all := candidates(lines, old)
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	m := levenshtein{budget: maxNearestWork}
	best, found := candidate{distance: minNearestSimilarity - 1}, false
	for _, w := range all[:min(len(all), maxNearestCandidates)] {
		joined := strings.Join(lines[w.start:w.end], "\n")
		whole := max(weightOfRunes(text), weightOfText(joined))
		most := whole * (100 - best.distance) / 100
		if w.distance > most { // a huge line would take much memory
			continue
		}
		other := []rune(joined)
		d, ok := m.distance(text, other, most)
		if alike := 100 - 100*d/whole; ok && alike > best.distance {
			best, found = candidate{w.interval, alike}, true
		}
	}
	return best, found
}

// shortDiff shows what differs, with a line of context and no line numbers.
func shortDiff(old, file []string) string {
	var shown []string
	for _, h := range Patch(strings.Join(old, "\n")+"\n", strings.Join(file, "\n")+"\n", 1) {
		if len(shown) > 0 {
			shown = append(shown, "...")
		}
		for _, line := range h.Lines {
			shown = append(shown, shortenLine(line))
		}
	}
	if len(shown) > maxDiffLines {
		shown = append(shown[:maxDiffLines], "...")
	}
	return strings.Join(shown, "\n")
}

// shortenLine returns a line, or what of a long one an error shows.
func shortenLine(line string) string {
	if len(line) <= maxDiffLineBytes {
		return line
	}
	kept := strings.ToValidUTF8(line[:maxDiffLineBytes], "")
	return fmt.Sprintf("%s … [%d more bytes in this line]", kept, len(line)-len(kept))
}
