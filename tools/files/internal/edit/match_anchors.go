package edit

import (
	"strings"
)

const (
	// minAnchoredLines is how many lines the old text needs on the rung Anchors.
	minAnchoredLines = 3
	// minMiddleSimilarity is how much the lines between the anchors must be alike, percent.
	minMiddleSimilarity = 70
	// maxAnchoredWork bounds the work of one search for anchors, in comparisons of
	// two characters.
	maxAnchoredWork = 40_000_000
)

// findAnchored finds stretches that begin and end with the first and last of the old
// lines, white space around them not counted. What is between must be alike to
// minMiddle and may have a fifth of the lines more or less, one at least. Of
// stretches that overlap, the closest counts.
func findAnchored(lines, old []string) []interval {
	if len(old) < minAnchoredLines {
		return nil
	}
	first, last := strings.TrimSpace(old[0]), strings.TrimSpace(old[len(old)-1])
	if first == "" || last == "" {
		return nil
	}
	middle := []rune(middleLines(old))
	own := weightOfRunes(middle)
	slack := max(1, len(old)/5)
	m := levenshtein{budget: maxAnchoredWork}
	var near []candidate
	for i, line := range lines {
		if strings.TrimSpace(line) != first {
			continue
		}
		shortest := i + max(len(old)-slack, 2)
		for end := shortest; end <= min(i+len(old)+slack, len(lines)); end++ {
			if strings.TrimSpace(lines[end-1]) != last {
				continue
			}
			other := middleLines(lines[i:end])
			has := weightOfText(other)
			most := max(own, has) * (100 - minMiddleSimilarity) / 100
			m.budget -= len(other) // taking it apart is work too
			d, ok := 0, abs(has-own) <= most
			if ok {
				d, ok = m.distance(middle, []rune(other), most)
			}
			if m.budget < 0 {
				return nil
			}
			if ok {
				near = append(near, candidate{interval{i, end}, d})
			}
		}
	}
	return closest(near)
}

// middleLines returns the lines between the first and the last.
func middleLines(lines []string) string {
	return strings.Join(lineKeys(lines[1:len(lines)-1], strings.TrimSpace), "\n")
}
