package files

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math"
)

// lineReader takes a text apart, line by line, and never holds more of it than the
// part of a line that is asked for. A line ends with a line feed, which a
// carriage return may precede; the last one may lack its end.
type lineReader struct {
	r      *bufio.Reader // UTF-8, without a byte order mark
	source *sourceBuffer // what r is decoded from; nil if the file is UTF-8
	bom    []byte        // before the text
	offset int64         // where in the file the text that r gives next begins
	line   []byte

	shown       fileRange // what next returned since begin
	shownBefore fileRange // the same without the last line
	cutOff      bool      // the last line was left in its middle, for its length
}

// newLineReader returns the lines of r, from the beginning of a file on.
func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, chunkSize)} }

// startRange makes shown an empty stretch at the next line. The byte order mark
// belongs to the first one.
func (l *lineReader) startRange() {
	l.shown = fileRange{from: l.offset, to: l.offset, hash: sha256.New()}
	if l.offset == int64(len(l.bom)) {
		l.shown.from = 0
		_, _ = l.shown.hash.Write(l.bom) // never fails
	}
	l.shownBefore = l.shown
}

// dropLastLine takes the last line out of shown.
func (l *lineReader) dropLastLine() { l.shown = l.shownBefore }

// next returns the next line without its end, at most keep bytes of it, and how
// long it is. The bytes are good until the next call. After the last line the
// error is io.EOF. A line that goes on for too long behind what is kept is left
// there, and broken set.
func (l *lineReader) next(ctx context.Context, keep int) (line []byte, size int64, err error) {
	l.line = l.line[:0]
	if l.shown.hash != nil {
		l.shownBefore = l.shown.clone()
	}
	var last byte
	for begun := false; ; begun = true {
		part, err := l.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if errors.Is(err, io.EOF) && len(part) == 0 && !begun {
			return nil, 0, io.EOF
		}
		l.advance(part)
		if err == nil {
			part = part[:len(part)-1]
		}
		size += int64(len(part))
		if len(part) > 0 {
			last = part[len(part)-1]
		}
		l.line = append(l.line, part[:min(len(part), max(0, keep-len(l.line)))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			if l.cutOff = size-int64(len(l.line)) > maxCountedBytes; !l.cutOff {
				continue
			}
		}
		if err == nil && last == '\r' && size > 0 {
			size--
		}
		return l.line[:min(int64(len(l.line)), size)], size, nil
	}
}

// advance adds a part of the text to shown.
func (l *lineReader) advance(part []byte) {
	raw := part
	if l.source != nil {
		raw = l.source.takeSource(part)
	}
	if l.shown.hash != nil {
		_, _ = l.shown.hash.Write(raw) // never fails
	}
	l.offset += int64(len(raw))
	l.shown.to = l.offset
}

// skipLines goes past at most most lines, and no further than about budget bytes. It
// returns how many lines it passed and whether the text ended there.
func (l *lineReader) skipLines(ctx context.Context, most int, budget int64) (passed int, end bool, err error) {
	for begun := false; passed < most && budget > 0; {
		if ctx.Err() != nil {
			return passed, false, context.Cause(ctx)
		}
		if _, err := l.r.Peek(1); errors.Is(err, io.EOF) {
			if begun {
				passed++
			}
			return passed, true, nil
		} else if err != nil {
			return passed, false, err
		}
		part, _ := l.r.Peek(l.r.Buffered()) // cannot fail: it is there
		n := bytes.Count(part, []byte{'\n'})
		if n < most-passed {
			passed += n
			begun = part[len(part)-1] != '\n'
		} else {
			part = throughLine(part, most-passed)
			passed = most
		}
		budget -= int64(len(part))
		l.offset += l.sourceWidth(part)
		_, _ = l.r.Discard(len(part)) // cannot fail either
	}
	return passed, false, nil
}

// sourceWidth returns how many bytes of the file part was made of.
func (l *lineReader) sourceWidth(part []byte) int64 {
	if l.source == nil {
		return int64(len(part))
	}
	return int64(len(l.source.takeSource(part)))
}

// hasMore reports whether anything follows.
func (l *lineReader) hasMore() bool {
	_, err := l.r.Peek(1)
	return err == nil
}

// chunkSize is how much is read at once. Cancelling is noticed between two chunks.
const chunkSize = 64 << 10

// unlimited is a budget that never ends.
const unlimited = math.MaxInt64

// maxCountedBytes is how many bytes Read looks at to learn what it does not show: to
// count the lines behind a page, or to find the end of a line.
const maxCountedBytes = 8 << 20

// throughLine returns b up to its nth line feed, which must be there.
func throughLine(b []byte, n int) []byte {
	end := 0
	for range n {
		end += bytes.IndexByte(b[end:], '\n') + 1
	}
	return b[:end]
}
