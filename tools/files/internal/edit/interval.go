package edit

// A stretch is the lines from first up to and without end, counted from 0.
type stretch struct {
	first, end int
}

// apart leaves out stretches that overlap the one before.
func apart(all []stretch) []stretch {
	var kept []stretch
	for _, s := range all {
		if len(kept) == 0 || kept[len(kept)-1].end <= s.first {
			kept = append(kept, s)
		}
	}
	return kept
}
