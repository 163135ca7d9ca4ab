package shellparse

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// maxBraces is how many words are made of one.
const maxBraces = 64

// braces expands the braces of a word. It reports false for those whose meaning
// differs between shells, or that make too many words.
func braces(s spelling) ([]spelling, bool) {
	if !bytes.ContainsRune(s.text, '{') {
		if s.text == nil {
			return nil, true
		}
		return []spelling{s}, true
	}
	list, ok := bracesFrom(s, 0, maxBraces)
	if !ok {
		return nil, false
	}
	// A word that is empty without quotes is no word, with quotes it is one.
	return list, !slices.ContainsFunc(list, func(s spelling) bool { return len(s.text) == 0 })
}

// bracesFrom expands the braces at or behind a byte.
func bracesFrom(s spelling, from, limit int) ([]spelling, bool) {
	for i := from; i < len(s.text); i++ {
		if !s.at(i, '{') {
			continue
		}
		g, ok := s.group(i)
		if !ok || i > 0 && s.text[i-1] == '$' {
			return nil, false
		}
		if g.words == nil {
			continue // braces around nothing to choose from stand for themselves
		}
		var list []spelling
		for _, word := range g.words {
			var t spelling
			t.append(s.cut(0, i))
			t.append(word)
			t.append(s.cut(g.end+1, len(s.text)))
			more, ok := bracesFrom(t, i, limit-len(list))
			if !ok || len(list)+len(more) > limit {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	return []spelling{s}, true
}

func (s *spelling) append(t spelling) {
	s.text = append(s.text, t.text...)
	s.marks = append(s.marks, t.marks...)
}

// A group is what stands between two braces.
type group struct {
	end   int        // where the right brace stands
	words []spelling // what to choose from
}

// group reads the group whose left brace stands at i. It reports false for an
// open one that could be taken in more than one way.
func (s *spelling) group(i int) (group, bool) {
	depth, start, dots, commas := 0, i+1, false, false
	var words []spelling
	for j := i + 1; j < len(s.text); j++ {
		switch {
		case s.at(j, '{'):
			depth++
		case s.at(j, ',') && depth == 0:
			words = append(words, s.cut(start, j))
			start, commas = j+1, true
		case s.at(j, ',') || s.at(j, '.') && s.at(j+1, '.'):
			dots = dots || s.at(j, '.') && depth == 0
			commas = commas || s.at(j, ',')
		case s.at(j, '}') && depth > 0:
			depth--
		case s.at(j, '}') && words != nil:
			return group{j, append(words, s.cut(start, j))}, true
		case s.at(j, '}') && dots:
			words, ok := series(s.cut(i+1, j))
			return group{j, words}, ok
		case s.at(j, '}'):
			return group{end: j}, true
		}
	}
	return group{}, !dots && !commas
}

// series is the words of 1..3, the only kind of series that all shells agree on.
func series(s spelling) ([]spelling, bool) {
	first, last, ok := strings.Cut(string(s.text), "..")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if !ok || err != nil || err2 != nil || strconv.Itoa(from) != first || strconv.Itoa(to) != last ||
		max(from, to)-min(from, to) >= maxBraces || slices.Contains(s.marks, quoted) {
		return nil, false
	}
	step := 1
	if to < from {
		step = -1
	}
	var words []spelling
	for n := from; ; n += step {
		var w spelling
		w.add(strconv.Itoa(n), plain)
		words = append(words, w)
		if n == to {
			return words, true
		}
	}
}
