package edit

import (
	"math"
	"unicode"
)

// Weights of one character in a distance.
const (
	charWeight  = 10
	spaceWeight = 1
)

// A levenshtein measures distances and counts its work.
type levenshtein struct {
	budget int // that may still be computed; below 0 if the work was used up
	// For the characters of b: their weights, the sums of the weights before each,
	// and two rows of the table of distances between beginnings of a and b.
	weights, prefixWeights, previous, current []int32
	low, high                                 int // the columns of the last row that matter
}

// distance returns the weight of the characters that must be added, removed or
// replaced to make b of a. ok is false if that is more than most, or if the work
// was used up.
func (m *levenshtein) distance(a, b []rune, most int) (weighed int, ok bool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	m.init(b, int32(most))
	total := int32(0) // the weight of a so far
	for _, r := range a {
		total += int32(weight(r))
		if m.nextRow(r, b, total, int32(most)) > int32(most) || m.budget < 0 {
			return 0, false
		}
	}
	if m.high < len(b) {
		return 0, false
	}
	weighed = int(m.previous[len(b)])
	return weighed, weighed <= most
}

// init prepares the row for the empty beginning of a.
func (m *levenshtein) init(b []rune, most int32) {
	m.weights, m.prefixWeights = m.weights[:0], append(m.prefixWeights[:0], 0)
	m.previous, m.current = append(m.previous[:0], 0), append(m.current[:0], unreachable)
	m.low, m.high = 0, 0
	sum := int32(0)
	for i, r := range b {
		w := int32(weight(r))
		sum += w
		m.weights, m.prefixWeights, m.current = append(m.weights, w), append(m.prefixWeights, sum), append(m.current, unreachable)
		if sum > most {
			m.previous = append(m.previous, unreachable)
			continue
		}
		m.previous, m.high = append(m.previous, sum), i+1
	}
}

// nextRow computes the row behind r and returns its least value. A distance is no
// less than the difference of the weights, so only columns near total count.
func (m *levenshtein) nextRow(r rune, b []rune, total, most int32) int32 {
	cost := int32(weight(r))
	for m.low <= len(b) && m.prefixWeights[m.low] < total-most {
		m.low++
	}
	for m.high < len(b) && m.prefixWeights[m.high+1] <= total+most {
		m.high++
	}
	if m.low > m.high {
		return unreachable
	}
	m.budget -= m.high - m.low + 1
	last, row := m.previous, m.current
	left, least := int32(unreachable), int32(unreachable)
	from := m.low
	if from == 0 {
		left, least = total, total
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
		least = min(least, value)
	}
	m.previous, m.current = row, last
	return least
}

// unreachable stands for a distance that is too large to matter.
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

// weightOfText is weightOf for text that is not taken apart.
func weightOfText(text string) int {
	sum := 0
	for _, r := range text {
		sum += weight(r)
	}
	return sum
}
