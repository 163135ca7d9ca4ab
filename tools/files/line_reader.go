package files

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"math"
	"strings"
)

// A lineReader reads a text line by line. It keeps no more than the requested part of a
// line in memory. A line ends with a line feed, which a carriage return may precede;
// the last line may have no line end.
type lineReader struct {
	r      *bufio.Reader // UTF-8, without byte order mark
	source *sourceBuffer // bytes from which r is decoded; nil if the file is UTF-8
	bom    []byte        // before the text
	offset int64         // position in the file of the text that r returns next
	line   []byte        // part of the current line

	shown       fileRange // lines that next returned since startRange
	shownBefore fileRange // shown without the last line
	cutOff      bool      // next stopped within the last line, because the line is too long
}

// newLineReader returns a lineReader for r, which must be at the start of a file.
func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, chunkSize)} }

// startRange makes shown an empty range at the next line. The byte order mark belongs
// to the first line.
func (l *lineReader) startRange() {
	l.shown = fileRange{from: l.offset, to: l.offset, hash: sha256.New()}
	if l.offset == int64(len(l.bom)) {
		l.shown.from = 0
		_, _ = l.shown.hash.Write(l.bom) // never fails
	}
	l.shownBefore = l.shown
}

// dropLastLine removes the last line from shown.
func (l *lineReader) dropLastLine() { l.shown = l.shownBefore }

// next returns the next line without its line end, at most keep bytes of it, and its
// length in bytes. line is valid until the next call. After the last line the error is
// io.EOF. If a line is longer than keep by more than maxCountedBytes, next stops there
// and sets cutOff.
func (l *lineReader) next(ctx context.Context, keep int) (line []byte, size int64, err error) {
	return l.nextFrom(ctx, 0, keep)
}

// nextFrom is next, except that the bytes that it returns begin at the offset from in the
// line. It returns none if the line is shorter.
func (l *lineReader) nextFrom(ctx context.Context, from int64, keep int) (line []byte, size int64, err error) {
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
		skipped := min(max(0, from-size), int64(len(part)))
		size += int64(len(part))
		if len(part) > 0 {
			last = part[len(part)-1]
		}
		part = part[skipped:]
		l.line = append(l.line, part[:min(len(part), max(0, keep-len(l.line)))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			if l.cutOff = size-from-int64(len(l.line)) > maxCountedBytes; !l.cutOff {
				continue
			}
		}
		if err == nil && last == '\r' && size > 0 {
			size--
		}
		return l.line[:min(int64(len(l.line)), max(0, size-from))], size, nil
	}
}

// advance adds a part of the text to shown and moves offset past it.
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

// skipLines skips up to limit lines, and stops after about budget bytes. It returns the
// number of lines skipped, and whether the text ended.
func (l *lineReader) skipLines(ctx context.Context, limit int, budget int64) (passed int, end bool, err error) {
	for begun := false; passed < limit && budget > 0; {
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
		part, _ := l.r.Peek(l.r.Buffered()) // cannot fail: the bytes are buffered
		n := bytes.Count(part, []byte{'\n'})
		if n < limit-passed {
			passed += n
			begun = part[len(part)-1] != '\n'
		} else {
			part = throughLine(part, limit-passed)
			passed = limit
		}
		budget -= int64(len(part))
		l.offset += l.sourceWidth(part)
		_, _ = l.r.Discard(len(part)) // likewise
	}
	return passed, false, nil
}

// sourceWidth returns the length in the file of part, in bytes.
func (l *lineReader) sourceWidth(part []byte) int64 {
	if l.source == nil {
		return int64(len(part))
	}
	return int64(len(l.source.takeSource(part)))
}

// errLongText says that a text is too long to be in memory.
var errLongText = errors.New("the text is too long")

// wholeLines returns the next lines, at most limit, as they are in the file, from an offset
// in the first line on.
func (l *lineReader) wholeLines(ctx context.Context, limit int, from int64, maxBytes int) (text string, lines int, err error) {
	var b strings.Builder
	for begun := false; lines < limit; {
		if ctx.Err() != nil {
			return "", 0, context.Cause(ctx)
		}
		part, err := l.r.ReadSlice('\n')
		switch {
		case len(part) == 0 && errors.Is(err, io.EOF):
			if begun {
				lines++
			}
			return b.String(), lines, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF):
			return "", 0, err
		}
		l.advance(part)
		if begun = part[len(part)-1] != '\n'; !begun {
			lines++
		}
		skipped := min(from, int64(len(part)))
		from -= skipped
		if b.Write(part[skipped:]); b.Len() > maxBytes {
			return "", 0, errLongText
		}
	}
	return b.String(), lines, nil
}

// hasMore reports whether the text goes on.
func (l *lineReader) hasMore() bool {
	_, err := l.r.Peek(1)
	return err == nil
}

// chunkSize is the number of bytes that are read at once. The context is checked
// between two chunks.
const chunkSize = 64 << 10

// unlimited is a budget without limit.
const unlimited = math.MaxInt64

// maxCountedBytes is the maximum number of bytes that Read reads without showing them:
// to count the lines after a page, or to find the end of a line.
const maxCountedBytes = 8 << 20

// throughLine returns b up to and including its nth line feed, which must exist.
func throughLine(b []byte, n int) []byte {
	end := 0
	for range n {
		end += bytes.IndexByte(b[end:], '\n') + 1
	}
	return b[:end]
}

// A fileRange is a range of bytes in a file, with their hash.
type fileRange struct {
	from, to int64
	hash     hash.Hash // of the bytes
}

// clone returns a copy whose hash is independent.
func (r fileRange) clone() fileRange {
	if c, ok := r.hash.(hash.Cloner); ok { // SHA-256 implements it
		if sum, err := c.Clone(); err == nil {
			r.hash = sum
		}
	}
	return r
}

// digest returns the hash of the bytes so far.
func (r fileRange) digest() (d [sha256.Size]byte) {
	r.hash.Sum(d[:0])
	return d
}
