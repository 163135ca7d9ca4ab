package edit

import (
	"strings"
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
