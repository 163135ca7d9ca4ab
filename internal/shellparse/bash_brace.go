package shellparse

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// maxBraceWords is how many words are made of one.
const maxBraceWords = 64

// expandBraces expands the braces of a word. It reports false for those whose meaning
// differs between shells, or that make too many words.
func expandBraces(s markedWord) ([]markedWord, bool) {
	if !bytes.ContainsRune(s.text, '{') {
		if s.text == nil {
			return nil, true
		}
		return []markedWord{s}, true
	}
	list, ok := expandBracesFrom(s, 0, maxBraceWords)
	if !ok {
		return nil, false
	}
	// A word that is empty without quotes is no word, with quotes it is one.
	return list, !slices.ContainsFunc(list, func(s markedWord) bool { return len(s.text) == 0 })
}

// expandBracesFrom expands the braces at or behind a byte.
func expandBracesFrom(s markedWord, from, limit int) ([]markedWord, bool) {
	for i := from; i < len(s.text); i++ {
		if !s.plainAt(i, '{') {
			continue
		}
		g, ok := s.braceGroup(i)
		if !ok || i > 0 && s.text[i-1] == '$' {
			return nil, false
		}
		if g.words == nil {
			continue // braces around nothing to choose from stand for themselves
		}
		var list []markedWord
		for _, word := range g.words {
			var t markedWord
			t.append(s.slice(0, i))
			t.append(word)
			t.append(s.slice(g.end+1, len(s.text)))
			more, ok := expandBracesFrom(t, i, limit-len(list))
			if !ok || len(list)+len(more) > limit {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	return []markedWord{s}, true
}

func (s *markedWord) append(t markedWord) {
	s.text = append(s.text, t.text...)
	s.marks = append(s.marks, t.marks...)
}

// A braceGroup is what stands between two braces.
type braceGroup struct {
	end   int          // where the right brace stands
	words []markedWord // what to choose from
}

// braceGroup reads the group whose left brace stands at i. It reports false for an
// open one that could be taken in more than one way.
func (s *markedWord) braceGroup(i int) (braceGroup, bool) {
	depth, start, dots, commas := 0, i+1, false, false
	var words []markedWord
	for j := i + 1; j < len(s.text); j++ {
		switch {
		case s.plainAt(j, '{'):
			depth++
		case s.plainAt(j, ',') && depth == 0:
			words = append(words, s.slice(start, j))
			start, commas = j+1, true
		case s.plainAt(j, ',') || s.plainAt(j, '.') && s.plainAt(j+1, '.'):
			dots = dots || s.plainAt(j, '.') && depth == 0
			commas = commas || s.plainAt(j, ',')
		case s.plainAt(j, '}') && depth > 0:
			depth--
		case s.plainAt(j, '}') && words != nil:
			return braceGroup{j, append(words, s.slice(start, j))}, true
		case s.plainAt(j, '}') && dots:
			words, ok := braceSequence(s.slice(i+1, j))
			return braceGroup{j, words}, ok
		case s.plainAt(j, '}'):
			return braceGroup{end: j}, true
		}
	}
	return braceGroup{}, !dots && !commas
}

// braceSequence is the words of 1..3, the only kind of series that all shells agree on.
func braceSequence(s markedWord) ([]markedWord, bool) {
	first, last, ok := strings.Cut(string(s.text), "..")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if !ok || err != nil || err2 != nil || strconv.Itoa(from) != first || strconv.Itoa(to) != last ||
		max(from, to)-min(from, to) >= maxBraceWords || slices.Contains(s.marks, markQuoted) {
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
