package grep

import (
	"bytes"
	"strings"
)

// FastMatches returns the numbers of the lines of text that match. If matches
// may cross lines it returns where they begin and end instead.
func (p *Program) FastMatches(text string) []int {
	s := NewSearcher(p)
	b := []byte(text)
	if s.finder != nil {
		s.finder.reset()
	}
	if p.wholeFile {
		return matches(b, func(at int) (int, int, bool) { return s.nextMatch(b, at) })
	}
	var found []int
	for at := 0; ; {
		start, end, ok := s.nextLine(b, at)
		if !ok {
			return found
		}
		found = append(found, bytes.Count(b[:start], []byte("\n")))
		at = end + 1
	}
}

// SlowMatches is FastMatches by the machine alone.
func (p *Program) SlowMatches(text string) []int {
	s := NewSearcher(p)
	if p.wholeFile {
		b := []byte(text)
		return matches(b, func(at int) (int, int, bool) { return s.machine.find(b, at, false) })
	}
	var found []int
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		if _, _, ok := s.machine.find([]byte(line), 0, false); ok {
			found = append(found, i)
		}
	}
	return found
}

func matches(b []byte, next func(at int) (start, end int, found bool)) []int {
	var found []int
	for at := 0; at < len(b); {
		start, end, ok := next(at)
		if !ok {
			break
		}
		found = append(found, start, end)
		at = max(end, start+1)
	}
	return found
}
