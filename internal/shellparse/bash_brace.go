package shellparse

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// maxBraceWords limits the words that one word expands to.
const maxBraceWords = 64

// expandBraces expands the braces of a word. It reports false if shells disagree about
// the word or if it expands to too many words.
func expandBraces(m markedWord) ([]markedWord, bool) {
	if !bytes.ContainsRune(m.text, '{') {
		if m.text == nil {
			return nil, true
		}
		return []markedWord{m}, true
	}
	list, ok := expandBracesFrom(m, 0, maxBraceWords)
	if !ok {
		return nil, false
	}
	// An empty word without quotes disappears, with quotes it stays.
	return list, !slices.ContainsFunc(list, func(m markedWord) bool { return len(m.text) == 0 })
}

// expandBracesFrom expands the braces at or after index from.
func expandBracesFrom(m markedWord, from, limit int) ([]markedWord, bool) {
	for i := from; i < len(m.text); i++ {
		if !m.plainAt(i, '{') {
			continue
		}
		g, ok := m.braceGroup(i)
		if !ok || i > 0 && m.text[i-1] == '$' {
			return nil, false
		}
		if g.words == nil {
			continue // braces without alternatives are plain text
		}
		var list []markedWord
		for _, word := range g.words {
			var n markedWord
			n.append(m.slice(0, i))
			n.append(word)
			n.append(m.slice(g.end+1, len(m.text)))
			more, ok := expandBracesFrom(n, i, limit-len(list))
			if !ok || len(list)+len(more) > limit {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	return []markedWord{m}, true
}

func (m *markedWord) append(n markedWord) {
	m.text = append(m.text, n.text...)
	m.marks = append(m.marks, n.marks...)
}

// A braceGroup is the content of a pair of braces.
type braceGroup struct {
	end   int          // index of the right brace
	words []markedWord // the alternatives
}

// braceGroup reads the group whose left brace is at index i. It reports false for an
// unclosed group that shells may read differently.
func (m *markedWord) braceGroup(i int) (braceGroup, bool) {
	depth, start, dots, commas := 0, i+1, false, false
	var words []markedWord
	for j := i + 1; j < len(m.text); j++ {
		switch {
		case m.plainAt(j, '{'):
			depth++
		case m.plainAt(j, ',') && depth == 0:
			words = append(words, m.slice(start, j))
			start, commas = j+1, true
		case m.plainAt(j, ',') || m.plainAt(j, '.') && m.plainAt(j+1, '.'):
			dots = dots || m.plainAt(j, '.') && depth == 0
			commas = commas || m.plainAt(j, ',')
		case m.plainAt(j, '}') && depth > 0:
			depth--
		case m.plainAt(j, '}') && words != nil:
			return braceGroup{j, append(words, m.slice(start, j))}, true
		case m.plainAt(j, '}') && dots:
			words, ok := braceSequence(m.slice(i+1, j))
			return braceGroup{j, words}, ok
		case m.plainAt(j, '}'):
			return braceGroup{end: j}, true
		}
	}
	return braceGroup{}, !dots && !commas
}

// braceSequence returns the words of a sequence such as 1..3, the only kind that all
// shells agree on.
func braceSequence(m markedWord) ([]markedWord, bool) {
	first, last, ok := strings.Cut(string(m.text), "..")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if !ok || err != nil || err2 != nil || strconv.Itoa(from) != first || strconv.Itoa(to) != last ||
		max(from, to)-min(from, to) >= maxBraceWords || slices.Contains(m.marks, markQuoted) {
		return nil, false
	}
	step := 1
	if to < from {
		step = -1
	}
	var words []markedWord
	for n := from; ; n += step {
		var w markedWord
		w.add(strconv.Itoa(n), markPlain)
		words = append(words, w)
		if n == to {
			return words, true
		}
	}
}
