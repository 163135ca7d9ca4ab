package rank

import (
	"iter"
	"unicode/utf8"
)

// Words and pieces of words are known by keys of 32 bits. Two of them sharing a
// key would be taken for each other; among 100,000 that happens about once.

const gramLength = 4 // characters of a piece of a word; 3 and 5 cost .001

const (
	wordSeed = 2166136261
	gramSeed = 84696351
)

func wordKey(word []byte) uint32 { return mixed(hashed(wordSeed, word)) }

// hashed is FNV-1a, begun with seed.
func hashed(seed uint32, text []byte) uint32 {
	for _, c := range text {
		seed = (seed ^ uint32(c)) * 16777619
	}
	return seed
}

// mixed spreads a hash over its upper bits, which tables are looked up by.
func mixed(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// grams yields the keys of the pieces of a word. The ends of the word are marked
// and count as characters, so pieces at its beginning match the beginnings of
// other words only, and a single character has none.
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
