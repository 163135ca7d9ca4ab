package edit

import (
	"slices"
	"unicode"
)

// A candidate is an interval of lines that may match the old lines.
type candidate struct {
	interval
	distance int // from the old lines
}

// candidates returns all intervals with as many lines as old. Their distances are lower
// bounds, computed from the number of occurrences of each character.
func candidates(lines, old []string) []candidate {
	if len(old) > len(lines) {
		return nil
	}
	b := newBalance(old)
	var all []candidate
	for i, line := range lines {
		b.add(line, 1)
		if i >= len(old) {
			b.add(lines[i-len(old)], -1)
		}
		if first := i - len(old) + 1; first >= 0 {
			all = append(all, candidate{interval{first, i + 1}, b.minDistance()})
		}
	}
	return all
}

// closest drops each candidate that overlaps a closer one. The candidates must be in
// the order of their first lines.
func closest(all []candidate) []interval {
	var kept []interval
	longest, from, to := 0, 0, 0
	for _, w := range all {
		longest = max(longest, w.end-w.start)
	}
	for _, w := range all {
		better := func(other candidate) bool {
			return other.start < w.end && w.start < other.end && other.distance < w.distance
		}
		for all[from].start <= w.start-longest {
			from++
		}
		for to < len(all) && all[to].start < w.start+longest {
			to++
		}
		if !slices.ContainsFunc(all[from:to], better) {
			kept = append(kept, w.interval)
		}
	}
	return kept
}

// A balance compares how often each character occurs in two texts. It ignores white
// space, whose weight is small.
type balance struct {
	excess           [256]int // occurrences in the file minus those in the old text, by a hash of the character
	surplus, deficit int      // sums of the positive and of the negative counts, both without sign
}

func newBalance(old []string) *balance {
	b := &balance{}
	for _, line := range old {
		b.add(line, -1)
	}
	return b
}

// add counts the characters of line: sign is 1 for a line of the file, -1 for one of
// the old text or to take a line out again.
func (b *balance) add(line string, sign int) {
	for _, r := range line {
		if unicode.IsSpace(r) {
			continue
		}
		n := &b.excess[uint8(r^r>>8)]
		b.surplus -= max(*n, 0)
		b.deficit -= max(-*n, 0)
		*n += sign
		b.surplus += max(*n, 0)
		b.deficit += max(-*n, 0)
	}
}

// minDistance returns a lower bound of the distance between the texts.
func (b *balance) minDistance() int { return charWeight * max(b.surplus, b.deficit) }
