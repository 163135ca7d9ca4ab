package edit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	// minNearest is how much lines must be alike to be worth showing, percent.
	minNearest = 50
	// maxCompared is how many places are compared in full to find the nearest.
	maxCompared = 8
	// maxNearest bounds that work, in comparisons of two characters.
	maxNearest = 40_000_000
	// maxDiffLines is how many lines of the difference an error shows.
	maxDiffLines = 40
	// maxDiffLine is how many bytes of each of these lines it shows.
	maxDiffLine = 2000
	// minApplied is how long a new text is that tells that an edit was made.
	minApplied = 10
)

// absent tells what is in the place of a text that is not there.
func (t *Text) absent(r Replacement) error {
	e := &AbsentError{Numbered: numbered(r.Old)}
	if at := strings.Index(t.view, r.New); at >= 0 && len(strings.TrimSpace(r.New)) >= minApplied {
		e.Applied = 1 + strings.Count(t.view[:at], "\n")
	}
	old, _ := bareLines(strings.Trim(r.Old, "\n"))
	lines := newPage(t.String()).lines
	if w, ok := nearest(lines, old); ok {
		e.Nearest, e.Similarity = Range{w.first + 1, w.end}, w.distance
		e.Diff = difference(old, lines[w.first:w.end])
	}
	return e
}

// numbered reports whether each line that is not blank begins with a number, as
// in a listing.
func numbered(text string) bool {
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
func nearest(lines, old []string) (window, bool) {
	old = old[:min(len(old), len(lines))]
	text := []rune(strings.Join(old, "\n"))
	if strings.TrimSpace(string(text)) == "" {
		return window{}, false
	}
	all := windows(lines, old)
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(a.distance, b.distance) })
	m := meter{cells: maxNearest}
	best, found := window{distance: minNearest - 1}, false
	for _, w := range all[:min(len(all), maxCompared)] {
		joined := strings.Join(lines[w.first:w.end], "\n")
		whole := max(weightOf(text), weightIn(joined))
		most := whole * (100 - best.distance) / 100
		if w.distance > most { // a huge line would take much memory
			continue
		}
		other := []rune(joined)
		d, ok := m.distance(text, other, most)
		if alike := 100 - 100*d/whole; ok && alike > best.distance {
			best, found = window{w.stretch, alike}, true
		}
	}
	return best, found
}

// difference shows what differs, with a line of context and no line numbers.
func difference(old, file []string) string {
	var shown []string
	for _, h := range Patch(strings.Join(old, "\n")+"\n", strings.Join(file, "\n")+"\n", 1) {
		if len(shown) > 0 {
			shown = append(shown, "...")
		}
		for _, line := range h.Lines {
			shown = append(shown, beginning(line))
		}
	}
	if len(shown) > maxDiffLines {
		shown = append(shown[:maxDiffLines], "...")
	}
	return strings.Join(shown, "\n")
}

// beginning returns a line, or what of a long one an error shows.
func beginning(line string) string {
	if len(line) <= maxDiffLine {
		return line
	}
	kept := strings.ToValidUTF8(line[:maxDiffLine], "")
	return fmt.Sprintf("%s … [%d more bytes in this line]", kept, len(line)-len(kept))
}
