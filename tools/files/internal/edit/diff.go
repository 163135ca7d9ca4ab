package edit

import "slices"

// A commonRun is a run of n elements that two sequences have in common, at index a of
// one and index b of the other.
type commonRun struct {
	a, b, n int
}

// maxEdits is the maximum number of additions and deletions that the algorithm looks
// for. Beyond, the differing part counts as replaced as a whole. Memory grows with the
// square of this number.
const maxEdits = 1000

// commonRuns returns the runs that a and b have in common, in order. The elements
// outside the runs are a shortest script of additions and deletions (Myers, An O(ND)
// Difference Algorithm). Beyond maxEdits only the common prefix and suffix are
// returned.
func commonRuns[T comparable](a, b []T) []commonRun {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var runs []commonRun
	if head > 0 {
		runs = append(runs, commonRun{n: head})
	}
	for _, r := range innerRuns(a[head:len(a)-tail], b[head:len(b)-tail]) {
		runs = append(runs, commonRun{a: r.a + head, b: r.b + head, n: r.n})
	}
	if tail > 0 {
		runs = append(runs, commonRun{a: len(a) - tail, b: len(b) - tail, n: tail})
	}
	return runs
}

// innerRuns is commonRuns for sequences that differ at both ends.
func innerRuns[T comparable](a, b []T) []commonRun {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	limit := min(len(a)+len(b), maxEdits)
	mid := limit + 1
	reach := make([]int32, 2*limit+3) // furthest index in a, by diagonal
	var rounds [][]int32              // the used part of reach before each round
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
				return traceBack(rounds, len(a), len(b))
			}
		}
	}
	return nil
}

// traceBack follows the rounds backwards and collects the common runs.
func traceBack(rounds [][]int32, x, y int) []commonRun {
	var runs []commonRun
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
			runs = append(runs, commonRun{a: startX, b: startX - k, n: n})
		}
		x, y = from, from-diagonal
	}
	slices.Reverse(runs)
	return runs
}
