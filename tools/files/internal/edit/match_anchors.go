package edit

import "strings"

const (
	// minAnchoredLines is the minimum number of lines of the old text at the level
	// Anchors.
	minAnchoredLines = 3
	// minMiddleSimilarity is the minimum similarity of the lines between the anchors,
	// in percent.
	minMiddleSimilarity = 70
	// maxAnchoredWork bounds the work of one search, in comparisons of two characters.
	maxAnchoredWork = 40_000_000
)

// findAnchored returns the intervals whose first and last lines equal those of old,
// apart from white space around them. The lines between must be similar to
// minMiddleSimilarity, and their number may differ by a fifth of the lines of old, or
// by one. Of overlapping intervals only the closest is returned. If the budget is used
// up, it returns nil.
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
	lev := levenshtein{budget: maxAnchoredWork}
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
			limit := max(own, has) * (100 - minMiddleSimilarity) / 100
			lev.budget -= len(other) // converting it to runes is work as well
			d, ok := 0, abs(has-own) <= limit
			if ok {
				d, ok = lev.distance(middle, []rune(other), limit)
			}
			if lev.budget < 0 {
				return nil
			}
			if ok {
				near = append(near, candidate{interval{i, end}, d})
			}
		}
	}
	return closest(near)
}

// middleLines joins the lines between the first and the last, without white space
// around them.
func middleLines(lines []string) string {
	return strings.Join(lineKeys(lines[1:len(lines)-1], strings.TrimSpace), "\n")
}
