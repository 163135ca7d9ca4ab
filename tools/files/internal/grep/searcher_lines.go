package grep

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// searchLines reads and searches one window after another. A window ends at a line end.
func (s *Searcher) searchLines(ctx context.Context, r io.Reader) error {
	r, have, err := s.readStart(ctx, r)
	last, from := 0, 0 // start of the bytes read last, and of the bytes not yet searched
	for !s.done {
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if !s.checkBinary(s.buf[last:have]) {
			return nil
		}
		end := have
		if !ended {
			end = last + bytes.LastIndexByte(s.buf[last:have], '\n') + 1
		}
		if end > last || ended && end > from {
			s.searchWindow(s.buf[:end], from)
		}
		if ended || s.done {
			break
		}
		if end > last {
			have, from = s.shiftWindow(have, end)
		}
		last = have
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	return nil
}

// checkBinary reports whether the search may go on after the bytes b. A zero byte means
// that the file is not text.
func (s *Searcher) checkBinary(b []byte) bool {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return true
	}
	s.result.Binary = true
	for ; i < len(b); i++ {
		if b[i] == 0 {
			b[i] = '\n' // otherwise a binary file could be one huge line
		}
	}
	return s.options.IncludeBinary
}

// searchWindow searches the lines of b from an offset on.
func (s *Searcher) searchWindow(b []byte, from int) {
	if s.finder != nil {
		s.finder.reset()
	}
	for !s.done && !s.stopped() {
		start, end, ok := s.nextLine(b, from)
		if !ok {
			break
		}
		s.addLine(b, start, end)
		from = end + 1
	}
	if s.trailing > 0 && !s.done {
		s.addContextAfter(b, len(b))
	}
}

// addLine adds a matching line to the result.
func (s *Searcher) addLine(b []byte, start, end int) {
	if !s.acceptFile() {
		return
	}
	if !s.program.query.OnlyMatching {
		s.result.Matches++
		if s.program.query.Mode == Content {
			s.addContextBefore(b, start)
			s.addRow(b, rowBounds{start, end, s.firstMatch(b, start, end)}, false)
			s.trailing = s.program.query.After
		}
		return
	}
	line := b[start:end]
	s.eachMatch(line, func(from, to int) {
		s.result.Matches++
		if s.program.query.Mode == Content && (from < to || !s.program.query.Multiline) {
			s.addRow(b, rowBounds{start + from, start + to, start + from}, false)
		}
	})
}

// firstMatch returns the start of the first match in a line, or start if a row shows the
// whole line in any case.
func (s *Searcher) firstMatch(b []byte, start, end int) int {
	longLine := s.program.query.LongLine
	if longLine <= 0 || end-start <= longLine {
		return start
	}
	from, _, ok := s.machine.find(b[start:end], 0, false)
	if !ok {
		return start
	}
	return start + from
}

// eachMatch calls f for each match in b.
func (s *Searcher) eachMatch(b []byte, f func(from, to int)) {
	last := -1
	for at := 0; at <= len(b) && !s.stopped(); {
		from, to, ok := s.machine.find(b, at, false)
		if !ok {
			break
		}
		at = to
		if from == to {
			at++
			if from == last {
				continue // an empty match adjacent to another match does not count
			}
		}
		last = to
		f(from, to)
	}
}

// shiftWindow removes the lines before end from the buffer, except for those that may
// become context. It returns the number of bytes left and the offset at which the
// search continues.
func (s *Searcher) shiftWindow(have, end int) (left, from int) {
	keep := end
	if s.program.query.Mode == Content {
		keep = s.contextStart(s.buf, end)
		s.linesBefore += bytes.Count(s.buf[s.countedTo:keep], []byte{'\n'})
	}
	s.countedTo, s.shownTo = 0, max(-1, s.shownTo-keep)
	return copy(s.buf, s.buf[keep:have]), end - keep
}
