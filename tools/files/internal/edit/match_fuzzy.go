package edit

import "strings"

const (
	// maxDifference is the maximum difference of similar text, in percent of the weight
	// of the old text.
	maxDifference = 10
	// minFuzzyLength is the minimum number of characters of the old text at the level
	// Fuzzy.
	minFuzzyLength = 10
	// maxFuzzyWork bounds the work of one search, in comparisons of two characters.
	// Only comparisons that can matter are made and counted, about a fifth.
	maxFuzzyWork = 80_000_000
)

// findSimilar returns the intervals of lines that differ from the old lines by at most
// maxDifference. Of overlapping intervals only the closest is returned. If the budget
// is used up, it returns nil, since an interval that was not compared may be closer.
func findSimilar(lines, old []string) []interval {
	text := []rune(strings.Join(old, "\n"))
	if len(text) < minFuzzyLength {
		return nil
	}
	limit := weightOfRunes(text) * maxDifference / 100
	lev := levenshtein{budget: maxFuzzyWork}
	var near []candidate
	for _, w := range candidates(lines, old) {
		if w.distance > limit {
			continue
		}
		other := []rune(strings.Join(lines[w.start:w.end], "\n"))
		lev.budget -= len(other) // converting it to runes is work as well
		d, ok := lev.distance(text, other, limit)
		if lev.budget < 0 {
			return nil
		}
		if ok {
			near = append(near, candidate{w.interval, d})
		}
	}
	return closest(near)
}
