package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
)

// lines takes a text apart, line by line, and never holds more of it than the
// part of a line that is asked for. A line ends with a line feed, which a
// carriage return may precede; the last one may lack its end.
type lines struct {
	r    *bufio.Reader
	kept []byte
}

// chunk is how much is read at once. Cancelling is noticed between two chunks.
const chunk = 64 << 10

// endless is a budget that never ends.
const endless = math.MaxInt64

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, chunk)} }

// next returns the next line without its end, at most keep bytes of it, and how
// long it is. The bytes are good until the next call. After the last line the
// error is io.EOF.
func (l *lines) next(ctx context.Context, keep int) (line []byte, size int64, err error) {
	l.kept = l.kept[:0]
	var last byte
	for begun := false; ; begun = true {
		part, err := l.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if errors.Is(err, io.EOF) && len(part) == 0 && !begun {
			return nil, 0, io.EOF
		}
		if err == nil {
			part = part[:len(part)-1]
		}
		size += int64(len(part))
		if len(part) > 0 {
			last = part[len(part)-1]
		}
		l.kept = append(l.kept, part[:min(len(part), max(0, keep-len(l.kept)))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			continue
		}
		if err == nil && last == '\r' && size > 0 {
			size--
		}
		return l.kept[:min(int64(len(l.kept)), size)], size, nil
	}
}

// pass goes past at most most lines, and no further than about budget bytes. It
// returns how many lines it passed and whether the text ended there.
func (l *lines) pass(ctx context.Context, most int, budget int64) (passed int, end bool, err error) {
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
			part = upTo(part, most-passed)
			passed = most
		}
		budget -= int64(len(part))
		_, _ = l.r.Discard(len(part)) // cannot fail either
	}
	return passed, false, nil
}

// upTo returns b up to its nth line feed, which must be there.
func upTo(b []byte, n int) []byte {
	end := 0
	for range n {
		end += bytes.IndexByte(b[end:], '\n') + 1
	}
	return b[:end]
}

// more reports whether anything follows.
func (l *lines) more() bool {
	_, err := l.r.Peek(1)
	return err == nil
}
