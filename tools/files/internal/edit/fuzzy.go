package edit

import (
	"slices"
	"strings"
	"unicode"
)

const (
	// maxDifference is how much similar text may differ, percent of the weight
	// of the old text.
	maxDifference = 10
	// minFuzzy is how many characters the old text needs on the rung Fuzzy.
	minFuzzy = 10
	// maxCells bounds the work of one search for similar text, in comparisons of
	// two characters. About a fifth of all comparisons can matter and is counted.
	maxCells = 80_000_000
)

// A window is a stretch of as many lines as the old text has.
type window struct {
	stretch
	distance int
}

// similar finds the lines that differ from the old lines by maxDifference or
// less. Of stretches that overlap, the closest counts. If the work does not
// suffice to look at all candidates, none is returned, since another might be
// closer.
func similar(lines, old []string) []stretch {
	text := []rune(strings.Join(old, "\n"))
	if len(text) < minFuzzy {
		return nil
	}
	most := weightOf(text) * maxDifference / 100
	m := meter{cells: maxCells}
	var near []window
	for _, w := range windows(lines, old) {
		if w.distance > most {
			continue
		}
		other := []rune(strings.Join(lines[w.first:w.end], "\n"))
		m.cells -= len(other) // taking it apart is work too
		d, ok := m.distance(text, other, most)
		if m.cells < 0 {
			return nil
		}
		if ok {
			near = append(near, window{w.stretch, d})
		}
	}
	return closest(near)
}

// closest leaves out windows that overlap a closer one. They are in the order of
// their first lines.
func closest(all []window) []stretch {
	var kept []stretch
	longest, from, to := 0, 0, 0
	for _, w := range all {
		longest = max(longest, w.end-w.first)
	}
	for _, w := range all {
		better := func(other window) bool {
			return other.first < w.end && w.first < other.end && other.distance < w.distance
		}
		for all[from].first <= w.first-longest {
			from++
		}
		for to < len(all) && all[to].first < w.first+longest {
			to++
		}
		if !slices.ContainsFunc(all[from:to], better) {
			kept = append(kept, w.stretch)
		}
	}
	return kept
}

// windows returns all stretches with as many lines as old has. The distances are
// lower bounds: what the numbers of each character alone tell.
func windows(lines, old []string) []window {
	if len(old) > len(lines) {
		return nil
	}
	b := newBalance(old)
	var all []window
	for i, line := range lines {
		b.add(line, 1)
		if i >= len(old) {
			b.add(lines[i-len(old)], -1)
		}
		if first := i - len(old) + 1; first >= 0 {
			all = append(all, window{stretch{first, i + 1}, b.bound()})
		}
	}
	return all
}

// A balance compares how often characters occur in two texts. White space, which
// weighs little, is not counted.
type balance struct {
	excess         [256]int // by a hash of the character
	surplus, short int      // sums of the positive and negative counts
}

func newBalance(old []string) *balance {
	b := &balance{}
	for _, line := range old {
		b.add(line, -1)
	}
	return b
}

func (b *balance) add(line string, sign int) {
	for _, r := range line {
		if unicode.IsSpace(r) {
			continue
		}
		n := &b.excess[uint8(r^r>>8)]
		b.surplus -= max(*n, 0)
		b.short -= max(-*n, 0)
		*n += sign
		b.surplus += max(*n, 0)
		b.short += max(-*n, 0)
	}
}

// bound returns a distance that the texts have at least.
func (b *balance) bound() int { return inkWeight * max(b.surplus, b.short) }
