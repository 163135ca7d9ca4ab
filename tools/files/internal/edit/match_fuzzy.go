package edit

import (
	"strings"
)

const (
	// maxDifference is how much similar text may differ, percent of the weight
	// of the old text.
	maxDifference = 10
	// minFuzzyLength is how many characters the old text needs on the rung Fuzzy.
	minFuzzyLength = 10
	// maxFuzzyWork bounds the work of one search for similar text, in comparisons of
	// two characters. About a fifth of all comparisons can matter and is counted.
	maxFuzzyWork = 80_000_000
)

// findSimilar finds the lines that differ from the old lines by maxDifference or
// less. Of stretches that overlap, the closest counts. If the work does not
// suffice to look at all candidates, none is returned, since another might be
// closer.
func findSimilar(lines, old []string) []interval {
	text := []rune(strings.Join(old, "\n"))
	if len(text) < minFuzzyLength {
		return nil
	}
	most := weightOfRunes(text) * maxDifference / 100
	m := levenshtein{budget: maxFuzzyWork}
	var near []candidate
	for _, w := range candidates(lines, old) {
		if w.distance > most {
			continue
		}
		other := []rune(strings.Join(lines[w.start:w.end], "\n"))
		m.budget -= len(other) // taking it apart is work too
		d, ok := m.distance(text, other, most)
		if m.budget < 0 {
			return nil
		}
		if ok {
			near = append(near, candidate{w.interval, d})
		}
	}
	return closest(near)
}
