package grep

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// searchLines reads window after window, each up to the end of a line.
func (s *Searcher) searchLines(ctx context.Context, r io.Reader) error {
	r, have, err := s.readStart(ctx, r)
	last, from := 0, 0 // where what was read last begins, and where the search goes on
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

// checkBinary reports whether the search goes on, given bytes that were read. A zero
// byte says that the file is not text.
func (s *Searcher) checkBinary(b []byte) bool {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return true
	}
	s.result.Binary = true
	for ; i < len(b); i++ {
		if b[i] == 0 {
			b[i] = '\n' // so that it holds no lines without end
		}
	}
	return s.options.IncludeBinary
}

// searchWindow searches the lines of b from an offset.
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

// addLine takes note of a line with a match.
func (s *Searcher) addLine(b []byte, start, end int) {
	if !s.acceptFile() {
		return
	}
	if !s.program.query.OnlyMatching {
		s.result.Matches++
		if s.program.query.Mode == Content {
			s.addContextBefore(b, start)
			s.addRow(b, start, end, false)
			s.trailing = s.program.query.After
		}
		return
	}
	line := b[start:end]
	s.eachMatch(line, func(from, to int) {
		s.result.Matches++
		if s.program.query.Mode == Content && (from < to || !s.program.query.Multiline) {
			s.addRow(b, start+from, start+to, false)
		}
	})
}

// eachMatch calls f with each match in b.
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
				continue // no empty match beside another one
			}
		}
		last = to
		f(from, to)
	}
}

// shiftWindow drops the lines before end but for what may be shown as context, and
// returns how many bytes are left and where the search goes on.
func (s *Searcher) shiftWindow(have, end int) (left, from int) {
	keep := end
	if s.program.query.Mode == Content {
		keep = s.contextStart(s.buf, end)
		s.linesBefore += bytes.Count(s.buf[s.countedTo:keep], []byte{'\n'})
	}
	s.countedTo, s.shownTo = 0, max(-1, s.shownTo-keep)
	return copy(s.buf, s.buf[keep:have]), end - keep
}
