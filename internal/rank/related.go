package rank

import (
	"slices"
	"strings"
)

// A word calls for others beside itself: a synonym for its group, and a member of
// a kind for the general words of it.

// findRelated notes what the words of the tables call for, as far as documents
// have it. They are known by their keys.
func (x *Index) findRelated() {
	x.related = make(map[uint32][]uint32)
	var words, general []uint32
	for _, group := range synonyms {
		words = appendKeys(words[:0], group)
		for _, word := range words {
			x.addRelation(word, words)
		}
	}
	for _, k := range kinds {
		words, general = appendKeys(words[:0], k.members), appendKeys(general[:0], k.general)
		for _, word := range words {
			x.addRelation(word, general)
		}
	}
}

func appendKeys(keys []uint32, words string) []uint32 {
	for word := range strings.FieldsSeq(words) {
		keys = append(keys, wordKey(stem([]byte(word))))
	}
	return keys
}

// addRelation lets a word call for others.
func (x *Index) addRelation(word uint32, others []uint32) {
	for _, key := range others {
		term, ok := x.table.find(key)
		if ok && key != word && !slices.Contains(x.related[word], term) {
			x.related[word] = append(x.related[word], term)
		}
	}
}
