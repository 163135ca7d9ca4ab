package grep

import (
	"bytes"
	"unicode/utf8"
)

// acceptFile calls Accept at the first match, and reports whether rows and matches are
// to be added.
func (s *Searcher) acceptFile() bool {
	if s.acceptAsked {
		return true
	}
	s.acceptAsked = true
	ok := true
	s.maxRows = int(^uint(0) >> 1)
	if s.options.Accept != nil {
		s.maxRows, ok = s.options.Accept()
	}
	s.result.Denied = !ok
	s.done = !ok
	switch {
	case !ok:
		return false
	case s.program.query.Mode == Files:
		s.result.Matches = 1
		s.done = true
		return false
	}
	return true
}

// addContextBefore adds the lines of context before a match at start.
func (s *Searcher) addContextBefore(b []byte, start int) {
	s.addContextAfter(b, start)
	for from := s.contextStart(b, start); from < start; {
		end := lineEnd(b, from)
		s.addRow(b, rowBounds{from, end, from}, true)
		from = end + 1
	}
}

// contextStart returns the start of the lines that may be context before start.
func (s *Searcher) contextStart(b []byte, start int) int {
	low := max(0, s.shownTo)
	for range s.program.query.Before {
		if start <= low {
			break
		}
		start = lineStart(b, low, start-1)
	}
	return start
}

// addContextAfter adds the lines of context that are still due after the last match, up
// to an offset.
func (s *Searcher) addContextAfter(b []byte, upTo int) {
	for s.trailing > 0 && s.shownTo < upTo {
		end := lineEnd(b, s.shownTo)
		s.addRow(b, rowBounds{s.shownTo, end, s.shownTo}, true)
		s.trailing--
	}
}

// addRow adds a row. context marks a line without a match.
func (s *Searcher) addRow(b []byte, row rowBounds, context bool) {
	if s.result.Binary {
		s.done = true // a binary file has no rows
		return
	}
	s.result.NumRows++
	gap := row.start != s.shownTo && s.result.NumRows > 1 && s.program.query.Before+s.program.query.After > 0
	s.shownTo = row.end + 1
	if s.result.Truncated || len(s.result.Rows) >= s.maxRows {
		return
	}
	r := Row{Number: s.lineNumber(b, row.start), Context: context, Gap: gap}
	from := row.shownFrom(b, s.program.query.LongLine)
	text := b[from:row.end]
	if limit := s.program.query.MaxColumns; limit > 0 && len(text) > limit {
		text = wholeRunes(text[:limit])
	}
	r.Text, r.Skipped, r.Omitted = string(text), from-row.start, row.end-from-len(text)
	s.rowMemory += r.memory()
	if s.result.Truncated = s.options.MaxBytes > 0 && s.rowMemory > s.options.MaxBytes && len(s.result.Rows) > 0; s.result.Truncated {
		return
	}
	s.result.Rows = append(s.result.Rows, r)
}

// wholeRunes removes an incomplete character from the end of b.
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

// lineNumber returns the number of the line that contains start, counted from 1.
func (s *Searcher) lineNumber(b []byte, start int) int {
	s.linesBefore += bytes.Count(b[s.countedTo:start], []byte{'\n'})
	s.countedTo = start
	return s.linesBefore + 1
}
