package edit

import (
	"slices"
)

// A run is a stretch that two sequences have in common.
type run struct {
	a, b, n int
}

// maxEdits is how many additions and deletions are looked for. What differs more
// is taken as replaced as a whole. Memory grows with its square.
const maxEdits = 1000

// matches returns what a and b have in common, in order: a shortest script of
// additions and deletions leads over what is not listed (Myers, An O(ND)
// Difference Algorithm). Beyond maxEdits only the common beginning and end are
// found.
func matches[T comparable](a, b []T) []run {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var runs []run
	if head > 0 {
		runs = append(runs, run{n: head})
	}
	for _, r := range inner(a[head:len(a)-tail], b[head:len(b)-tail]) {
		runs = append(runs, run{a: r.a + head, b: r.b + head, n: r.n})
	}
	if tail > 0 {
		runs = append(runs, run{a: len(a) - tail, b: len(b) - tail, n: tail})
	}
	return runs
}

// inner is matches for sequences that differ at both ends.
func inner[T comparable](a, b []T) []run {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	limit := min(len(a)+len(b), maxEdits)
	mid := limit + 1
	reach := make([]int32, 2*limit+3) // how far in a, by diagonal
	var rounds [][]int32              // reach before each round, its middle part
	for d := 0; d <= limit; d++ {
		rounds = append(rounds, slices.Clone(reach[mid-d-1:mid+d+2]))
		for k := -d; k <= d; k += 2 {
			x := int(reach[mid+k-1]) + 1
			if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
				x = int(reach[mid+k+1])
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x++
				y++
			}
			reach[mid+k] = int32(x)
			if x >= len(a) && y >= len(b) {
				return retrace(rounds, len(a), len(b))
			}
		}
	}
	return nil
}

// retrace walks the rounds back and collects the common stretches.
func retrace(rounds [][]int32, x, y int) []run {
	var runs []run
	for d := len(rounds) - 1; d >= 0; d-- {
		reach, mid, k := rounds[d], d+1, x-y
		from, diagonal := 0, 0
		if d > 0 {
			diagonal = k - 1
			if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
				diagonal = k + 1
			}
			from = int(reach[mid+diagonal])
		}
		startX := from
		if d > 0 && diagonal == k-1 {
			startX++
		}
		if n := x - startX; n > 0 {
			runs = append(runs, run{a: startX, b: startX - k, n: n})
		}
		x, y = from, from-diagonal
	}
	slices.Reverse(runs)
	return runs
}
