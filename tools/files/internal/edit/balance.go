package edit

import "unicode"

// A balance compares how often each character occurs in two texts. It ignores white
// space, whose weight is small.
type balance struct {
	excess           [256]int // occurrences in the file minus those in the old text, by a hash of the character
	surplus, deficit int      // sums of the positive and of the negative counts, both without sign
}

func newBalance(old []string) *balance {
	b := &balance{}
	for _, line := range old {
		b.add(line, -1)
	}
	return b
}

// add counts the characters of line: sign is 1 for a line of the file, -1 for one of
// the old text or to take a line out again.
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

// minDistance returns a lower bound of the distance between the texts.
func (b *balance) minDistance() int { return charWeight * max(b.surplus, b.deficit) }
