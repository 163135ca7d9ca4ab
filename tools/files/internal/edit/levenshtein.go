package edit

import (
	"math"
	"unicode"
)

// Weights of one character in a distance.
const (
	inkWeight   = 10
	spaceWeight = 1
)

// A meter measures distances and counts its work.
type meter struct {
	cells int // that may still be computed; below 0 if the work was used up
	// For the characters of b: their weights, the sums of the weights before each,
	// and two rows of the table of distances between beginnings of a and b.
	weights, sums, last, row []int32
	low, high                int // the columns of the last row that matter
}

// distance returns the weight of the characters that must be added, removed or
// replaced to make b of a. ok is false if that is more than most, or if the work
// was used up.
func (m *meter) distance(a, b []rune, most int) (weighed int, ok bool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	m.start(b, int32(most))
	total := int32(0) // the weight of a so far
	for _, r := range a {
		total += int32(weight(r))
		if m.next(r, b, total, int32(most)) > int32(most) || m.cells < 0 {
			return 0, false
		}
	}
	if m.high < len(b) {
		return 0, false
	}
	weighed = int(m.last[len(b)])
	return weighed, weighed <= most
}

// start prepares the row for the empty beginning of a.
func (m *meter) start(b []rune, most int32) {
	m.weights, m.sums = m.weights[:0], append(m.sums[:0], 0)
	m.last, m.row = append(m.last[:0], 0), append(m.row[:0], far)
	m.low, m.high = 0, 0
	sum := int32(0)
	for i, r := range b {
		w := int32(weight(r))
		sum += w
		m.weights, m.sums, m.row = append(m.weights, w), append(m.sums, sum), append(m.row, far)
		if sum > most {
			m.last = append(m.last, far)
			continue
		}
		m.last, m.high = append(m.last, sum), i+1
	}
}

// next computes the row behind r and returns its least value. A distance is no
// less than the difference of the weights, so only columns near total count.
func (m *meter) next(r rune, b []rune, total, most int32) int32 {
	cost := int32(weight(r))
	for m.low <= len(b) && m.sums[m.low] < total-most {
		m.low++
	}
	for m.high < len(b) && m.sums[m.high+1] <= total+most {
		m.high++
	}
	if m.low > m.high {
		return far
	}
	m.cells -= m.high - m.low + 1
	last, row := m.last, m.row
	left, least := int32(far), int32(far)
	from := m.low
	if from == 0 {
		left, least = total, total
		row[0] = left
		from = 1
	} else {
		row[from-1] = far
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
	m.last, m.row = row, last
	return least
}

// far stands for a distance that is too large to matter.
const far = math.MaxInt32 / 2

func weight(r rune) int {
	if unicode.IsSpace(r) {
		return spaceWeight
	}
	return inkWeight
}

func weightOf(text []rune) int {
	sum := 0
	for _, r := range text {
		sum += weight(r)
	}
	return sum
}

// weightIn is weightOf for text that is not taken apart.
func weightIn(text string) int {
	sum := 0
	for _, r := range text {
		sum += weight(r)
	}
	return sum
}
