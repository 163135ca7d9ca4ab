package edit

import (
	"unicode"
)

// A balance compares how often characters occur in two texts. White space, which
// weighs little, is not counted.
type balance struct {
	excess           [256]int // by a hash of the character
	surplus, deficit int      // sums of the positive and negative counts
}

func newBalance(old []string) *balance {
	b := &balance{}
	for _, line := range old {
		b.add(line, -1)
	}
	return b
}

func (b *balance) add(line string, sign int) {
	for _, r := range line {
		if unicode.IsSpace(r) {
			continue
		}
		n := &b.excess[uint8(r^r>>8)]
		b.surplus -= max(*n, 0)
		b.deficit -= max(-*n, 0)
		*n += sign
		b.surplus += max(*n, 0)
		b.deficit += max(-*n, 0)
	}
}

// minDistance returns a distance that the texts have at least.
func (b *balance) minDistance() int { return charWeight * max(b.surplus, b.deficit) }
