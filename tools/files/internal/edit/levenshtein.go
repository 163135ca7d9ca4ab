package edit

import (
	"math"
	"unicode"
)

// The weights of one character in a distance. White space weighs less than any other
// character.
const (
	charWeight  = 10
	spaceWeight = 1
)

// A levenshtein computes weighted edit distances within a budget of work.
type levenshtein struct {
	budget            int     // table cells that may still be computed; negative if the budget is used up
	weights           []int32 // of the characters of b
	prefixWeights     []int32 // sums of the weights before each character of b
	previous, current []int32 // rows of the table of distances between prefixes of a and b
	low, high         int     // columns of the previous row that can still matter
}

// distance returns the weight of the characters that must be added, removed or replaced
// to turn a into b. It reports false if the distance exceeds limit or the budget is
// used up.
func (m *levenshtein) distance(a, b []rune, limit int) (weighed int, ok bool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	m.init(b, int32(limit))
	total := int32(0) // weight of the prefix of a
	for _, r := range a {
		total += int32(weight(r))
		if m.nextRow(r, b, total, int32(limit)) > int32(limit) || m.budget < 0 {
			return 0, false
		}
	}
	if m.high < len(b) {
		return 0, false
	}
	weighed = int(m.previous[len(b)])
	return weighed, weighed <= limit
}

// init prepares the row for the empty prefix of a.
func (m *levenshtein) init(b []rune, limit int32) {
	m.weights, m.prefixWeights = m.weights[:0], append(m.prefixWeights[:0], 0)
	m.previous, m.current = append(m.previous[:0], 0), append(m.current[:0], unreachable)
	m.low, m.high = 0, 0
	sum := int32(0)
	for i, r := range b {
		w := int32(weight(r))
		sum += w
		m.weights, m.prefixWeights, m.current = append(m.weights, w), append(m.prefixWeights, sum), append(m.current, unreachable)
		if sum > limit {
			m.previous = append(m.previous, unreachable)
			continue
		}
		m.previous, m.high = append(m.previous, sum), i+1
	}
}

// nextRow computes the row for the prefix of a that ends with r, and returns its
// minimum. total is the weight of that prefix. A distance is at minimum the difference of
// the weights, so only columns whose weight is near total are computed.
func (m *levenshtein) nextRow(r rune, b []rune, total, limit int32) int32 {
	cost := int32(weight(r))
	for m.low <= len(b) && m.prefixWeights[m.low] < total-limit {
		m.low++
	}
	for m.high < len(b) && m.prefixWeights[m.high+1] <= total+limit {
		m.high++
	}
	if m.low > m.high {
		return unreachable
	}
	m.budget -= m.high - m.low + 1
	last, row := m.previous, m.current
	left, minimum := int32(unreachable), int32(unreachable)
	from := m.low
	if from == 0 {
		left, minimum = total, total
		row[0] = left
		from = 1
	} else {
		row[from-1] = unreachable
	}
	for j := from; j <= m.high; j++ {
		value := last[j-1]
		if own := m.weights[j-1]; r != b[j-1] {
			value = min(value+max(cost, own), last[j]+cost, left+own)
		}
		row[j] = value
		left = value
		minimum = min(minimum, value)
	}
	m.previous, m.current = row, last
	return minimum
}

// unreachable stands for a distance that exceeds every limit.
const unreachable = math.MaxInt32 / 2

func weight(r rune) int {
	if unicode.IsSpace(r) {
		return spaceWeight
	}
	return charWeight
}

func weightOfRunes(text []rune) int {
	sum := 0
	for _, r := range text {
		sum += weight(r)
	}
	return sum
}

// weightOfText is weightOfRunes for a string, without converting it.
func weightOfText(text string) int {
	sum := 0
	for _, r := range text {
		sum += weight(r)
	}
	return sum
}
