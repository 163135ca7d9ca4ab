package grep

import (
	"bytes"
	"unicode/utf8"
)

// accept asks, once, whether the file may be told of.
func (s *Searcher) accept() bool {
	if s.asked {
		return true
	}
	s.asked = true
	ok := true
	s.rows = int(^uint(0) >> 1)
	if s.want.Accept != nil {
		s.rows, ok = s.want.Accept()
	}
	s.found.Denied = !ok
	s.done = !ok
	switch {
	case !ok:
		return false
	case s.p.q.Mode == Files:
		s.found.Matches = 1
		s.done = true
		return false
	}
	return true
}

// context takes note of the lines of context that stand before a match at start.
func (s *Searcher) context(b []byte, start int) {
	s.trail(b, start)
	for from := s.above(b, start); from < start; {
		end := lineEnd(b, from)
		s.row(b, from, end, true)
		from = end + 1
	}
}

// above returns where the lines begin that may be shown as context before start.
func (s *Searcher) above(b []byte, start int) int {
	low := max(0, s.shown)
	for range s.p.q.Before {
		if start <= low {
			break
		}
		start = lineStart(b, low, start-1)
	}
	return start
}

// trail takes note of the lines of context that are due, up to an offset.
func (s *Searcher) trail(b []byte, upTo int) {
	for s.after > 0 && s.shown < upTo {
		end := lineEnd(b, s.shown)
		s.row(b, s.shown, end, true)
		s.after--
	}
}

// row takes note of a row: what stands between two offsets.
func (s *Searcher) row(b []byte, start, end int, beside bool) {
	if s.found.Binary {
		s.done = true // it is not to be shown
		return
	}
	s.found.NumRows++
	gap := start != s.shown && s.found.NumRows > 1 && s.p.q.Before+s.p.q.After > 0
	s.shown = end + 1
	if s.found.Full || len(s.found.Rows) >= s.rows {
		return
	}
	r := Row{Number: s.number(b, start), Context: beside, Gap: gap}
	text := b[start:end]
	if limit := s.p.q.MaxColumns; limit > 0 && len(text) > limit {
		text = wholeRunes(text[:limit])
	}
	r.Text, r.Cut = string(text), end-start-len(text)
	s.bytes += r.bytes()
	if s.found.Full = s.want.Bytes > 0 && s.bytes > s.want.Bytes && len(s.found.Rows) > 0; s.found.Full {
		return
	}
	s.found.Rows = append(s.found.Rows, r)
}

// wholeRunes leaves out the beginning of a character at the end of b.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// number returns the number of the line that begins at or before start.
func (s *Searcher) number(b []byte, start int) int {
	s.line += bytes.Count(b[s.counted:start], []byte{'\n'})
	s.counted = start
	return s.line + 1
}
