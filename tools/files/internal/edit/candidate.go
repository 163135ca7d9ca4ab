package edit

import (
	"slices"
)

// A candidate is a stretch of as many lines as the old text has.
type candidate struct {
	interval
	distance int
}

// candidates returns all stretches with as many lines as old has. The distances are
// lower bounds: what the numbers of each character alone tell.
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

// closest leaves out windows that overlap a closer one. They are in the order of
// their first lines.
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
