package grep

import "sort"

// A block is a run of adjacent lines with matches.
type block struct {
	started    bool // the block has lines
	start, end int
	spans      [][2]int // start and end of each match
}

// addSpan adds a match, unless it is empty and adjacent to the one before.
func (k *block) addSpan(from, to int) {
	if n := len(k.spans); from == to && n > 0 && k.spans[n-1][1] == from {
		return
	}
	k.spans = append(k.spans, [2]int{from, to})
}

// firstMatch returns the start of the first match in the line from start to end, or start
// if the line has none.
func (k *block) firstMatch(start, end int) int {
	i := sort.Search(len(k.spans), func(i int) bool { return k.spans[i][1] > start })
	if i == len(k.spans) || k.spans[i][0] > end {
		return start
	}
	return max(start, k.spans[i][0])
}
