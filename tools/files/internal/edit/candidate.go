package edit

import (
	"slices"
)

// A window is a stretch of as many lines as the old text has.
type window struct {
	stretch
	distance int
}

// windows returns all stretches with as many lines as old has. The distances are
// lower bounds: what the numbers of each character alone tell.
func windows(lines, old []string) []window {
	if len(old) > len(lines) {
		return nil
	}
	b := newBalance(old)
	var all []window
	for i, line := range lines {
		b.add(line, 1)
		if i >= len(old) {
			b.add(lines[i-len(old)], -1)
		}
		if first := i - len(old) + 1; first >= 0 {
			all = append(all, window{stretch{first, i + 1}, b.bound()})
		}
	}
	return all
}

// closest leaves out windows that overlap a closer one. They are in the order of
// their first lines.
func closest(all []window) []stretch {
	var kept []stretch
	longest, from, to := 0, 0, 0
	for _, w := range all {
		longest = max(longest, w.end-w.first)
	}
	for _, w := range all {
		better := func(other window) bool {
			return other.first < w.end && w.first < other.end && other.distance < w.distance
		}
		for all[from].first <= w.first-longest {
			from++
		}
		for to < len(all) && all[to].first < w.first+longest {
			to++
		}
		if !slices.ContainsFunc(all[from:to], better) {
			kept = append(kept, w.stretch)
		}
	}
	return kept
}
