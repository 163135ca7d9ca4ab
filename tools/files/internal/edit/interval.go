package edit

// An interval is the indexes from start up to but not including end: of lines, bytes or
// words, counted from 0.
type interval struct {
	start, end int
}

// dropOverlapping leaves out each interval that overlaps the one kept before it.
func dropOverlapping(all []interval) []interval {
	var kept []interval
	for _, s := range all {
		if len(kept) == 0 || kept[len(kept)-1].end <= s.start {
			kept = append(kept, s)
		}
	}
	return kept
}
