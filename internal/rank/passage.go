package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a passage, in bytes. In a script without spaces it may have no other end.
const (
	passageLead = 80  // before the first word that is looked for
	passageSize = 320 // in all
)

// A foundWord is a word of the query in a body.
type foundWord struct {
	key  uint32
	at   int // counts words
	from int // counts bytes
}

// A passageWindow holds the words of the query among the last passageWords words.
type passageWindow struct {
	words   []foundWord
	counts  map[uint32]int
	weights map[uint32]float64
	sum     float64 // the weights of the different words
}

func (w *passageWindow) add(key uint32, at, from int) {
	for len(w.words) > 0 && at-w.words[0].at >= passageWords {
		first := w.words[0].key
		if w.counts[first]--; w.counts[first] == 0 {
			w.sum -= w.weights[first]
		}
		w.words = w.words[1:]
	}
	w.words = append(w.words, foundWord{key: key, at: at, from: from})
	if w.counts[key]++; w.counts[key] == 1 {
		w.sum += w.weights[key]
	}
}

// passageStart returns where a passage begins that shows the word at from: at the beginning of
// its sentence or line if that is near, or else at a word before it.
func passageStart(text string, from int) int {
	from = runeStart(text, from)
	start := runeStart(text, max(from-passageLead, 0))
	lead := text[start:from]
	i := strings.LastIndexAny(lead, "\n.!?。！？")
	if i < 0 && start == 0 {
		return 0
	}
	if i < 0 {
		i = max(strings.IndexFunc(lead, unicode.IsSpace), 0)
	} else {
		_, size := utf8.DecodeRuneInString(lead[i:])
		i += size
	}
	return from - len(strings.TrimLeftFunc(lead[i:], unicode.IsSpace))
}

// passageEnd returns where the passage ends that begins at from: between two words, unless it
// has no space.
func passageEnd(text string, from int) int {
	if len(text)-from <= passageSize {
		return len(text)
	}
	end := runeStart(text, from+passageSize)
	if i := strings.LastIndexFunc(text[from:end], unicode.IsSpace); i > passageSize/2 {
		return from + i
	}
	return end
}

// runeStart returns the beginning of the character at i.
func runeStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
