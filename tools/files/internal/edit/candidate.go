package edit

import "slices"

// A candidate is an interval of lines that may match the old lines.
type candidate struct {
	interval
	distance int // from the old lines
}

// candidates returns all intervals with as many lines as old. Their distances are lower
// bounds, computed from the number of occurrences of each character.
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

// closest drops each candidate that overlaps a closer one. The candidates must be in
// the order of their first lines.
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
