package rank

import (
	"iter"
	"unicode/utf8"
)

// Keys of 32 bits identify words and pieces of words. Two with the same key count as one;
// among 100,000 words and pieces that happens about once.

const gramLength = 4 // characters of a piece of a word; 3 and 5 cost .001

const (
	wordSeed = 2166136261
	gramSeed = 84696351
)

func wordKey(word []byte) uint32 { return mixed(hashed(wordSeed, word)) }

// hashed returns the FNV-1a hash that starts from seed.
func hashed(seed uint32, text []byte) uint32 {
	for _, c := range text {
		seed = (seed ^ uint32(c)) * 16777619
	}
	return seed
}

// mixed distributes a hash over its upper bits, which tables use as the index.
func mixed(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// grams yields the keys of the pieces of a word. A mark at each end of the word counts as
// a character, so that pieces at its beginning match only the beginnings of other words. A
// word of one character has no pieces.
func grams(word []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		var room [maxWord + utf8.UTFMax + 2]byte
		text := append(append(append(room[:0], '^'), word...), '$')
		var starts [gramLength]int // of the last characters, as a ring
		count := 0
		for at := 0; at < len(text); count++ {
			_, size := utf8.DecodeRune(text[at:])
			starts[count%gramLength] = at
			at += size
			if count+1 < gramLength {
				continue
			}
			if !yield(mixed(hashed(gramSeed, text[starts[(count+1)%gramLength]:at]))) {
				return
			}
		}
	}
}

// A termTable numbers the keys of terms in the order in which they are added.
type termTable struct {
	slots []slot // a power of two, at most half of them in use
	shift int
	used  uint32
}

type slot struct{ key, after uint32 } // after is the number of the key plus 1; 0 for an empty slot

func newTermTable(size int) termTable {
	shift := 32
	for 1<<(32-shift) < size {
		shift--
	}
	return termTable{slots: make([]slot, 1<<(32-shift)), shift: shift}
}

func (t *termTable) place(key uint32) *slot {
	for at := int(key >> t.shift); ; at++ {
		if s := &t.slots[at&(len(t.slots)-1)]; s.after == 0 || s.key == key {
			return s
		}
	}
}

func (t *termTable) find(key uint32) (term uint32, ok bool) {
	s := t.place(key)
	return s.after - 1, s.after > 0
}

func (t *termTable) add(key uint32) uint32 {
	s := t.place(key)
	if s.after > 0 {
		return s.after - 1
	}
	if 2*int(t.used+1) > len(t.slots) {
		t.grow()
		s = t.place(key)
	}
	t.used++
	*s = slot{key, t.used}
	return t.used - 1
}

func (t *termTable) grow() {
	wider := newTermTable(2 * len(t.slots))
	for _, s := range t.slots {
		if s.after > 0 {
			*wider.place(s.key) = s
		}
	}
	t.slots, t.shift = wider.slots, wider.shift
}
