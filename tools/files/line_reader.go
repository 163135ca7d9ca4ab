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

// lines takes a text apart, line by line, and never holds more of it than the
// part of a line that is asked for. A line ends with a line feed, which a
// carriage return may precede; the last one may lack its end.
type lines struct {
	r    *bufio.Reader // UTF-8, without a byte order mark
	tape *tape         // what r is decoded from; nil if the file is UTF-8
	bom  []byte        // before the text
	at   int64         // where in the file the text that r gives next begins
	kept []byte

	shown  stretch // what next returned since begin
	before stretch // the same without the last line
	broken bool    // the last line was left in its middle, for its length
}

// newLines returns the lines of r, from the beginning of a file on.
func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, chunk)} }

// begin makes shown an empty stretch at the next line. The byte order mark
// belongs to the first one.
func (l *lines) begin() {
	l.shown = stretch{from: l.at, to: l.at, sum: sha256.New()}
	if l.at == int64(len(l.bom)) {
		l.shown.from = 0
		_, _ = l.shown.sum.Write(l.bom) // never fails
	}
	l.before = l.shown
}

// takeBack takes the last line out of shown.
func (l *lines) takeBack() { l.shown = l.before }

// next returns the next line without its end, at most keep bytes of it, and how
// long it is. The bytes are good until the next call. After the last line the
// error is io.EOF. A line that goes on for too long behind what is kept is left
// there, and broken set.
func (l *lines) next(ctx context.Context, keep int) (line []byte, size int64, err error) {
	l.kept = l.kept[:0]
	if l.shown.sum != nil {
		l.before = l.shown.clone()
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
		l.show(part)
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
			if l.broken = size-int64(len(l.kept)) > counted; !l.broken {
				continue
			}
		}
		if err == nil && last == '\r' && size > 0 {
			size--
		}
		return l.kept[:min(int64(len(l.kept)), size)], size, nil
	}
}

// show adds a part of the text to shown.
func (l *lines) show(part []byte) {
	raw := part
	if l.tape != nil {
		raw = l.tape.of(part)
	}
	if l.shown.sum != nil {
		_, _ = l.shown.sum.Write(raw) // never fails
	}
	l.at += int64(len(raw))
	l.shown.to = l.at
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
		l.at += l.width(part)
		_, _ = l.r.Discard(len(part)) // cannot fail either
	}
	return passed, false, nil
}

// width returns how many bytes of the file part was made of.
func (l *lines) width(part []byte) int64 {
	if l.tape == nil {
		return int64(len(part))
	}
	return int64(len(l.tape.of(part)))
}

// more reports whether anything follows.
func (l *lines) more() bool {
	_, err := l.r.Peek(1)
	return err == nil
}

// chunk is how much is read at once. Cancelling is noticed between two chunks.
const chunk = 64 << 10

// endless is a budget that never ends.
const endless = math.MaxInt64

// counted is how many bytes Read looks at to learn what it does not show: to
// count the lines behind a page, or to find the end of a line.
const counted = 8 << 20

// upTo returns b up to its nth line feed, which must be there.
func upTo(b []byte, n int) []byte {
	end := 0
	for range n {
		end += bytes.IndexByte(b[end:], '\n') + 1
	}
	return b[:end]
}
