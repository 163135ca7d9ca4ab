package edit

// A region is an interval of a and the interval of b that replaced it.
type region struct {
	a, aEnd, b, bEnd int
	same             bool // the two intervals are equal
}

// regions divides a and b into regions that are equal and regions that differ.
func regions[T comparable](a, b []T) []region {
	var all []region
	x, y := 0, 0
	for _, r := range append(commonRuns(a, b), commonRun{a: len(a), b: len(b)}) {
		if x < r.a || y < r.b {
			all = append(all, region{a: x, aEnd: r.a, b: y, bEnd: r.b})
		}
		x, y = r.a+r.n, r.b+r.n
		if r.n > 0 {
			all = append(all, region{a: r.a, aEnd: x, b: r.b, bEnd: y, same: true})
		}
	}
	return all
}
