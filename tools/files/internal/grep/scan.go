package grep

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

// A scan is the search of one file.
type scan struct {
	want  Want
	found Found
	rows  int  // how many may be kept
	bytes int  // that rows take
	asked bool // what Accept says
	done  bool // there is no more to find

	line    int // how many lines end before counted
	counted int // in the window
	shown   int // likewise, where the last row ended; -1: before it
	after   int // how many lines are still due as context
}

// lineStart returns where the line begins that p is in, which is not before low.
func lineStart(b []byte, low, p int) int {
	return low + bytes.LastIndexByte(b[low:p], '\n') + 1
}

// lineEnd returns where the line ends that p is in.
func lineEnd(b []byte, p int) int {
	if i := bytes.IndexByte(b[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(b)
}

// begin reads the beginning of a file. It returns a reader of the rest and how
// much was read; a byte order mark is left out, and UTF-16 becomes UTF-8.
func (s *Searcher) begin(ctx context.Context, r io.Reader) (rest io.Reader, have int, err error) {
	for have < 3 && err == nil {
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	rest, mark, recoded := decoded(r, s.buf[:have])
	if recoded {
		return rest, 0, nil
	}
	return rest, copy(s.buf, s.buf[mark:have]), err
}

// read reads behind the have bytes that are there, for which it makes room.
func (s *Searcher) read(ctx context.Context, r io.Reader, have int) (int, error) {
	if have == len(s.buf) {
		if len(s.buf) >= maxWindow {
			return 0, ErrTooLong
		}
		buf := make([]byte, 2*len(s.buf))
		copy(buf, s.buf)
		s.buf = buf
	}
	n, err := r.Read(s.buf[have:])
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return n, err
}

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
