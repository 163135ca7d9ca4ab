package grep

import "math"

// A literal is a run of bytes with up to two choices for each.
type literal struct {
	text      []byte
	alternate []byte // second choice for each byte of text; the same byte if there is no choice
}

// startsIn reports whether b begins with l.
func (l *literal) startsIn(b []byte) bool {
	if len(b) < len(l.text) {
		return false
	}
	for i, c := range l.text {
		if b[i] != c && b[i] != l.alternate[i] {
			return false
		}
	}
	return true
}

// rarest returns the index of the byte of l that is rarest in source code, and its
// frequency.
func (l *literal) rarest() (at int, often float64) {
	often = math.Inf(1)
	for i := range l.text {
		if f := l.frequency(i); f < often {
			at, often = i, f
		}
	}
	return at, often
}

func (l *literal) frequency(i int) float64 {
	f := byteFrequency(l.text[i])
	if l.alternate[i] != l.text[i] {
		f += byteFrequency(l.alternate[i])
	}
	return f
}

// maxLiterals is the maximum number of literals of a needle.
const maxLiterals = 8

// searchCost estimates the cost of a search for ls in nanoseconds per byte of text,
// from the frequency of their bytes in source code.
func searchCost(ls []literal) float64 {
	const perStream, perByte, perCandidate = 0.04, 8, 150
	var sum float64
	for _, l := range ls {
		at, often := l.rarest()
		if len(l.text) == 0 {
			return math.Inf(1)
		}
		found := often
		for i := range l.text {
			if i != at {
				found *= math.Sqrt(l.frequency(i)) // the root, since adjacent bytes are not independent
			}
		}
		sum += perStream + often*perByte + found*perCandidate
		if l.alternate[at] != l.text[at] {
			sum += perStream
		}
	}
	return sum
}

func cheaper(a, b []literal) []literal {
	if len(b) == 0 || math.IsInf(searchCost(b), 1) || len(a) > 0 && searchCost(a) <= searchCost(b) {
		return a
	}
	return b
}

// unionLiterals returns the literals of a and b. It returns nil if these are too many,
// or if a or b is unknown.
func unionLiterals(a, b []literal) []literal {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	return append(a[:len(a):len(a)], b...)
}

// crossProduct returns each literal of a followed by each of b. It returns nil if these
// are too many, or if b is unknown.
func crossProduct(a, b []literal) []literal {
	if b == nil || len(a)*len(b) > maxLiterals {
		return nil
	}
	var all []literal
	for _, x := range a {
		for _, y := range b {
			all = append(all, literal{
				text:      append(x.text[:len(x.text):len(x.text)], y.text...),
				alternate: append(x.alternate[:len(x.alternate):len(x.alternate)], y.alternate...),
			})
		}
	}
	return all
}
