package grep

// A block is lines one after the other in which there are matches.
type block struct {
	started    bool // it is one
	start, end int
	spans      [][2]int
}

// addSpan adds a match, unless it is empty and touches the one before.
func (k *block) addSpan(from, to int) {
	if n := len(k.spans); from == to && n > 0 && k.spans[n-1][1] == from {
		return
	}
	k.spans = append(k.spans, [2]int{from, to})
}
