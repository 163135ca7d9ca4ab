package edit

// A interval is the lines from first up to and without end, counted from 0.
type interval struct {
	start, end int
}

// dropOverlapping leaves out stretches that overlap the one before.
func dropOverlapping(all []interval) []interval {
	var kept []interval
	for _, s := range all {
		if len(kept) == 0 || kept[len(kept)-1].end <= s.start {
			kept = append(kept, s)
		}
	}
	return kept
}
