package grep

import "math"

// A literal is a run of bytes, each of which may be one of two.
type literal struct {
	text      []byte
	alternate []byte // as long as text, and the same where there is no choice
}

// startsIn reports whether l stands at the beginning of b.
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

// rarest returns the place in l that is seldom met in a text, and how often.
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

// maxLiterals is how many alternatives are searched for at once.
const maxLiterals = 8

// searchCost estimates how many nanoseconds a byte of text costs if it is searched for
// ls, by how often their bytes are met in source code.
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
				found *= math.Sqrt(l.frequency(i)) // neighbours depend on each other
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

// unionLiterals returns what is in a or b, nil if it is too much or one is not known.
func unionLiterals(a, b []literal) []literal {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	return append(a[:len(a):len(a)], b...)
}

// crossProduct returns each of a followed by each of b, nil if it is too much.
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
