package rank

import (
	"slices"
	"strings"
)

// A query for a word also looks for related words: for the other words of its group of
// synonyms, and for the general words of its kind.

// findRelated computes the related terms of all words in the tables, as far as documents
// have them.
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

// addRelation makes queries for a word look for others too.
func (x *Index) addRelation(word uint32, others []uint32) {
	for _, key := range others {
		term, ok := x.table.find(key)
		if ok && key != word && !slices.Contains(x.related[word], term) {
			x.related[word] = append(x.related[word], term)
		}
	}
}
