package grep

// A block is lines one after the other in which there are matches.
type block struct {
	lines      bool // it is one
	start, end int
	spans      [][2]int
}

// add adds a match, unless it is empty and touches the one before.
func (k *block) add(from, to int) {
	if n := len(k.spans); from == to && n > 0 && k.spans[n-1][1] == from {
		return
	}
	k.spans = append(k.spans, [2]int{from, to})
}
