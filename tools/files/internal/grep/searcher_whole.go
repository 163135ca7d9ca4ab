package grep

import (
	"bytes"
	"context"
	"io"
)

// searchWhole reads and searches a file as a whole, because matches may cross lines.
func (s *Searcher) searchWhole(ctx context.Context, r io.Reader) error {
	b, err := s.readAll(ctx, r)
	if err != nil {
		return err
	}
	if bytes.IndexByte(b[:min(len(b), windowSize)], 0) >= 0 {
		s.result.Binary = true
		if !s.options.IncludeBinary {
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
		case start == end: // after the last line
		case run.started && start <= run.end:
			run.end = max(run.end, end)
			run.addSpan(from, to)
		default:
			s.addBlock(b, &run)
			run = block{started: true, start: start, end: end, spans: run.spans[:0]}
			run.addSpan(from, to)
		}
	}
	s.addBlock(b, &run)
	if s.trailing > 0 && !s.done {
		s.addContextAfter(b, len(b))
	}
	return nil
}

// addBlock adds a block to the result.
func (s *Searcher) addBlock(b []byte, k *block) {
	if !k.started || s.done || !s.acceptFile() {
		return
	}
	s.result.Binary = s.result.Binary || bytes.IndexByte(b[k.start:k.end], 0) >= 0
	s.result.Matches += len(k.spans)
	if s.program.query.Mode != Content {
		return
	}
	if !s.program.query.OnlyMatching {
		s.addContextBefore(b, k.start)
		for at := k.start; at < k.end && !s.done; {
			end := lineEnd(b, at)
			s.addRow(b, rowBounds{at, end, k.firstMatch(at, end)}, false)
			at = end + 1
		}
		s.trailing = s.program.query.After
		return
	}
	for _, span := range k.spans {
		for at, end := span[0], span[1]; at < end && !s.done; {
			stop := min(end, lineEnd(b, at))
			if stop > at {
				s.addRow(b, rowBounds{at, stop, at}, false)
			}
			at = stop + 1
		}
	}
}
