package grep

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
