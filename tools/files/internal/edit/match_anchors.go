package edit

import (
	"strings"
)

const (
	// minAnchored is how many lines the old text needs on the rung Anchors.
	minAnchored = 3
	// minMiddle is how much the lines between the anchors must be alike, percent.
	minMiddle = 70
	// maxAnchored bounds the work of one search for anchors, in comparisons of
	// two characters.
	maxAnchored = 40_000_000
)

// anchored finds stretches that begin and end with the first and last of the old
// lines, white space around them not counted. What is between must be alike to
// minMiddle and may have a fifth of the lines more or less, one at least. Of
// stretches that overlap, the closest counts.
func anchored(lines, old []string) []stretch {
	if len(old) < minAnchored {
		return nil
	}
	first, last := strings.TrimSpace(old[0]), strings.TrimSpace(old[len(old)-1])
	if first == "" || last == "" {
		return nil
	}
	middle := []rune(middleOf(old))
	own := weightOf(middle)
	slack := max(1, len(old)/5)
	m := meter{cells: maxAnchored}
	var near []window
	for i, line := range lines {
		if strings.TrimSpace(line) != first {
			continue
		}
		shortest := i + max(len(old)-slack, 2)
		for end := shortest; end <= min(i+len(old)+slack, len(lines)); end++ {
			if strings.TrimSpace(lines[end-1]) != last {
				continue
			}
			other := middleOf(lines[i:end])
			has := weightIn(other)
			most := max(own, has) * (100 - minMiddle) / 100
			m.cells -= len(other) // taking it apart is work too
			d, ok := 0, abs(has-own) <= most
			if ok {
				d, ok = m.distance(middle, []rune(other), most)
			}
			if m.cells < 0 {
				return nil
			}
			if ok {
				near = append(near, window{stretch{i, end}, d})
			}
		}
	}
	return closest(near)
}

// middleOf returns the lines between the first and the last.
func middleOf(lines []string) string {
	return strings.Join(keys(lines[1:len(lines)-1], strings.TrimSpace), "\n")
}
