package grep

import (
	"bytes"
	"context"
	"io"
)

// searchWhole reads a file as a whole, because matches may cross its lines.
func (s *Searcher) searchWhole(ctx context.Context, r io.Reader) error {
	b, err := s.readAll(ctx, r)
	if err != nil {
		return err
	}
	if bytes.IndexByte(b[:min(len(b), window)], 0) >= 0 {
		s.found.Binary = true
		if !s.want.Binary {
			return nil
		}
	}
	if s.finder != nil {
		s.finder.reset()
	}
	var run block
	for at := 0; at < len(b) && !s.done && !s.stopped(); {
		from, to, ok := s.nextMatch(b, at)
		if !ok {
			break
		}
		at = to
		if from == to {
			at++
		}
		start, end := linesAround(b, from, to)
		switch {
		case start == end: // behind the last line
		case run.lines && start <= run.end:
			run.end = max(run.end, end)
			run.add(from, to)
		default:
			s.blockFound(b, &run)
			run = block{lines: true, start: start, end: end, spans: run.spans[:0]}
			run.add(from, to)
		}
	}
	s.blockFound(b, &run)
	if s.after > 0 && !s.done {
		s.trail(b, len(b))
	}
	return nil
}

// blockFound takes note of a block.
func (s *Searcher) blockFound(b []byte, k *block) {
	if !k.lines || s.done || !s.accept() {
		return
	}
	s.found.Binary = s.found.Binary || bytes.IndexByte(b[k.start:k.end], 0) >= 0
	s.found.Matches += len(k.spans)
	if s.p.q.Mode != Content {
		return
	}
	if !s.p.q.OnlyMatching {
		s.context(b, k.start)
		for at := k.start; at < k.end && !s.done; {
			end := lineEnd(b, at)
			s.row(b, at, end, false)
			at = end + 1
		}
		s.after = s.p.q.After
		return
	}
	for _, span := range k.spans {
		for at, end := span[0], span[1]; at < end && !s.done; {
			stop := min(end, lineEnd(b, at))
			if stop > at {
				s.row(b, at, stop, false)
			}
			at = stop + 1
		}
	}
}
