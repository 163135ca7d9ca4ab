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
func (l *levenshtein) distance(a, b []rune, limit int) (weighed int, ok bool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	l.init(b, int32(limit))
	total := int32(0) // weight of the prefix of a
	for _, r := range a {
		total += int32(weight(r))
		if l.nextRow(r, b, total, int32(limit)) > int32(limit) || l.budget < 0 {
			return 0, false
		}
	}
	if l.high < len(b) {
		return 0, false
	}
	weighed = int(l.previous[len(b)])
	return weighed, weighed <= limit
}

// init prepares the row for the empty prefix of a.
func (l *levenshtein) init(b []rune, limit int32) {
	l.weights, l.prefixWeights = l.weights[:0], append(l.prefixWeights[:0], 0)
	l.previous, l.current = append(l.previous[:0], 0), append(l.current[:0], unreachable)
	l.low, l.high = 0, 0
	sum := int32(0)
	for i, r := range b {
		w := int32(weight(r))
		sum += w
		l.weights, l.prefixWeights, l.current = append(l.weights, w), append(l.prefixWeights, sum), append(l.current, unreachable)
		if sum > limit {
			l.previous = append(l.previous, unreachable)
			continue
		}
		l.previous, l.high = append(l.previous, sum), i+1
	}
}

// nextRow computes the row for the prefix of a that ends with r, and returns its
// minimum. total is the weight of that prefix. A distance is at least the difference of
// the weights, so only columns whose weight is near total are computed.
func (l *levenshtein) nextRow(r rune, b []rune, total, limit int32) int32 {
	cost := int32(weight(r))
	for l.low <= len(b) && l.prefixWeights[l.low] < total-limit {
		l.low++
	}
	for l.high < len(b) && l.prefixWeights[l.high+1] <= total+limit {
		l.high++
	}
	if l.low > l.high {
		return unreachable
	}
	l.budget -= l.high - l.low + 1
	last, row := l.previous, l.current
	left, minimum := int32(unreachable), int32(unreachable)
	from := l.low
	if from == 0 {
		left, minimum = total, total
		row[0] = left
		from = 1
	} else {
		row[from-1] = unreachable
	}
	for j := from; j <= l.high; j++ {
		value := last[j-1]
		if own := l.weights[j-1]; r != b[j-1] {
			value = min(value+max(cost, own), last[j]+cost, left+own)
		}
		row[j] = value
		left = value
		minimum = min(minimum, value)
	}
	l.previous, l.current = row, last
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
