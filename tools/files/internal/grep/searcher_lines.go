package grep

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// searchLines reads window after window, each up to the end of a line.
func (s *Searcher) searchLines(ctx context.Context, r io.Reader) error {
	r, have, err := s.begin(ctx, r)
	last, from := 0, 0 // where what was read last begins, and where the search goes on
	for !s.done {
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if !s.text(s.buf[last:have]) {
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
			have, from = s.roll(have, end)
		}
		last = have
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	return nil
}

// text reports whether the search goes on, given bytes that were read. A zero
// byte says that the file is not text.
func (s *Searcher) text(b []byte) bool {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return true
	}
	s.found.Binary = true
	for ; i < len(b); i++ {
		if b[i] == 0 {
			b[i] = '\n' // so that it holds no lines without end
		}
	}
	return s.want.Binary
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
		s.lineFound(b, start, end)
		from = end + 1
	}
	if s.after > 0 && !s.done {
		s.trail(b, len(b))
	}
}

// lineFound takes note of a line with a match.
func (s *Searcher) lineFound(b []byte, start, end int) {
	if !s.accept() {
		return
	}
	if !s.p.q.OnlyMatching {
		s.found.Matches++
		if s.p.q.Mode == Content {
			s.context(b, start)
			s.row(b, start, end, false)
			s.after = s.p.q.After
		}
		return
	}
	line := b[start:end]
	s.each(line, func(from, to int) {
		s.found.Matches++
		if s.p.q.Mode == Content && (from < to || !s.p.q.Multiline) {
			s.row(b, start+from, start+to, false)
		}
	})
}

// each calls f with each match in b.
func (s *Searcher) each(b []byte, f func(from, to int)) {
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

// roll drops the lines before end but for what may be shown as context, and
// returns how many bytes are left and where the search goes on.
func (s *Searcher) roll(have, end int) (left, from int) {
	keep := end
	if s.p.q.Mode == Content {
		keep = s.above(s.buf, end)
		s.line += bytes.Count(s.buf[s.counted:keep], []byte{'\n'})
	}
	s.counted, s.shown = 0, max(-1, s.shown-keep)
	return copy(s.buf, s.buf[keep:have]), end - keep
}
