package edit

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	// maxPartLength is the maximum length of an old text whose nearest part is searched
	// for, in bytes. A part is less than a line.
	maxPartLength = 2000
	// maxPartText is the maximum length of the text in which it is searched for.
	maxPartText = 8 << 20
	// gramLength is the number of bytes that a text and the old text must have in common.
	gramLength = 4
	// maxGramPlaces is the number of places in the old text that are kept for one gram.
	maxGramPlaces = 8
)

// nearestPart returns the part of a line of text that is most similar to old, a text
// without line ends, and its similarity in percent.
func nearestPart(text, old string) (best interval, similarity int, found bool) {
	if len(old) < 2*gramLength || len(old) > maxPartLength || len(text) > maxPartText {
		return interval{}, 0, false
	}
	at, ok := likelyStart(text, old)
	if !ok {
		return interval{}, 0, false
	}
	from, to := max(0, at-len(old)/2), min(len(text), at+2*len(old))
	distance, part := bestPart(text[from:to], old)
	best = interval{from + part.start, from + part.end}
	for best.start > 0 && best.start < len(text) && !utf8.RuneStart(text[best.start]) {
		best.start--
	}
	for best.end < len(text) && !utf8.RuneStart(text[best.end]) {
		best.end++
	}
	similarity = 100 - 100*distance/len(old)
	return best, similarity, similarity >= minNearestSimilarity
}

// likelyStart returns the offset of text where old would start if as many as possible of
// their grams are to coincide.
func likelyStart(text, old string) (start int, ok bool) {
	gram := func(s string, at int) uint32 { return binary.LittleEndian.Uint32([]byte(s[at : at+gramLength])) }
	places := map[uint32][]int{}
	for i := range len(old) - gramLength + 1 {
		if g := gram(old, i); len(places[g]) < maxGramPlaces {
			places[g] = append(places[g], i)
		}
	}
	const width = 16 // starts that are counted together, since text may be left out or added
	votes := map[int]int{}
	most := 0
	for i := range len(text) - gramLength + 1 {
		for _, place := range places[gram(text, i)] {
			bucket := (i - place) / width
			votes[bucket]++
			if votes[bucket] > most {
				most, start = votes[bucket], max(0, i-place)
			}
		}
	}
	return start, most > 0
}

// bestPart returns the part of text with the smallest edit distance from old, in bytes,
// by the algorithm of Sellers. The part has no line end.
func bestPart(text, old string) (distance int, best interval) {
	// For each prefix of old: the distance of the best part that ends here, and its start.
	costs, starts := make([]int, len(old)+1), make([]int, len(old)+1)
	for j := range costs {
		costs[j] = j
	}
	distance = len(old)
	for i := range len(text) {
		if text[i] == '\n' { // no part crosses it
			for j := range costs {
				costs[j], starts[j] = j, i+1
			}
			continue
		}
		diagonal, diagonalStart := costs[0], starts[0]
		starts[0] = i + 1
		for j := 1; j <= len(old); j++ {
			cost, start := diagonal, diagonalStart
			if text[i] != old[j-1] {
				cost++
			}
			if c := costs[j] + 1; c < cost {
				cost, start = c, starts[j]
			}
			if c := costs[j-1] + 1; c < cost {
				cost, start = c, starts[j-1]
			}
			diagonal, diagonalStart = costs[j], starts[j]
			costs[j], starts[j] = cost, start
		}
		if costs[len(old)] < distance {
			distance, best = costs[len(old)], interval{starts[len(old)], i + 1}
		}
	}
	return distance, best
}
