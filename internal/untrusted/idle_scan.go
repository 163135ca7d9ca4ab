package untrusted

import "strings"

const (
	idleBegin = "The teammate "
	idleEnd   = " is idle and waits"
)

// An idleScan finds the notices of idle teammates in a text. It looks at no part of the text
// twice.
type idleScan struct {
	text    string
	newline int // the first one at or behind the place that was asked for last, or len(text)
	end     int // likewise of idleEnd
	looked  bool
}

// at reports whether a notice begins at i, which is not less than in the call before.
func (s *idleScan) at(i int) bool {
	if !strings.HasPrefix(s.text[i:], idleBegin) {
		return false
	}
	i += len(idleBegin)
	s.newline = s.next(s.newline, i, "\n")
	s.end = s.next(s.end, i, idleEnd)
	s.looked = true
	return s.end < s.newline
}

// next returns the index of word at or behind i, or the length of the text. Last is its result
// for a smaller i.
func (s *idleScan) next(last, i int, word string) int {
	if s.looked && last >= i {
		return last
	}
	if at := strings.Index(s.text[i:], word); at >= 0 {
		return i + at
	}
	return len(s.text)
}
