package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A tape is a stored result that is read forward.
type tape struct {
	r     io.Reader
	size  int64 // of all; less than 0 if the store does not tell
	at    int64 // how much was read
	lines int64 // that ended before at; less than 0 if nobody counted
	ended bool
}

const (
	chunk = 64 << 10
	// counted is how many bytes are read to number the lines behind them, at most, where
	// they could be passed over.
	counted = 64 << 20
)

// begin returns the tape of r, with what is before offset behind it. It returns a tape
// also beside an error.
func begin(ctx context.Context, r io.Reader, offset int64) (*tape, error) {
	t := &tape{r: r, size: -1}
	if s, ok := r.(io.Seeker); ok {
		if size, err := s.Seek(0, io.SeekEnd); err == nil {
			t.size = size
			if offset >= size {
				t.at, t.ended = size, true
				return t, nil
			}
			var from int64
			if offset > counted {
				from, t.lines = offset, -1
			}
			if t.at, err = s.Seek(from, io.SeekStart); err != nil {
				return t, err
			}
		}
	}
	buf := make([]byte, chunk)
	for t.at < offset && !t.ended {
		if ctx.Err() != nil {
			return t, context.Cause(ctx)
		}
		b, err := t.next(buf[:min(chunk, offset-t.at)])
		if err != nil {
			return t, err
		}
		t.lines += int64(bytes.Count(b, []byte{'\n'}))
	}
	return t, nil
}

// next fills buf and returns how much of it there is: less than all at the end only.
func (t *tape) next(buf []byte) ([]byte, error) {
	n, err := io.ReadFull(t.r, buf)
	t.at += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.ended, err = true, nil
	}
	return buf[:n], err
}

// total says how long the result is, in words for the notice.
func (o *Output) total() string {
	if o.Size < 0 {
		return " (of how many, the store does not tell)"
	}
	return fmt.Sprintf(" of %d", o.Size)
}

// nothing tells that there is nothing at the offset.
func (o *Output) nothing(t *tape) {
	o.End, o.Size = o.Offset, t.at
	o.notice = fmt.Sprintf("[Nothing to show: offset %d is not before the end of result %s, which has %d bytes. Use a smaller offset.]", o.Offset, o.Ref, o.Size)
	if o.Size == 0 {
		o.notice = fmt.Sprintf("[Result %s is empty.]", o.Ref)
	}
}

// page shows at most limit bytes, which are enough for any character.
func (o *Output) page(t *tape, limit int) error {
	b, err := t.next(make([]byte, limit+1)) // one more tells whether there is more
	if err != nil {
		return err
	}
	if len(b) == 0 {
		o.nothing(t)
		return nil
	}
	if o.Size = t.size; t.ended {
		o.Size = t.at
	}
	if o.More = len(b) > limit; o.More {
		b = b[:fitting(b[:limit])]
	}
	o.End = o.Offset + int64(len(b))
	var garbled bool
	o.Content, garbled = readable(b)

	var s strings.Builder
	fmt.Fprintf(&s, "[Result %s: bytes %d to %d%s", o.Ref, o.Offset, o.End, o.total())
	ends := int64(bytes.Count(b, []byte{'\n'}))
	inLine := b[len(b)-1] != '\n'
	last := ends
	if inLine {
		last++
	}
	switch {
	case t.lines < 0:
		fmt.Fprintf(&s, ", lines: %d.", last)
	default:
		fmt.Fprintf(&s, ", lines %d to %d.", t.lines+1, t.lines+last)
	}
	switch {
	case !o.More:
		s.WriteString(" This is its end.")
	case inLine:
		fmt.Fprintf(&s, " Go on with offset %d, where the last line goes on.", o.End)
	default:
		fmt.Fprintf(&s, " Go on with offset %d.", o.End)
	}
	o.notice = s.String() + note(garbled) + "]"
	return nil
}

// note tells that something was not text.
func note(garbled bool) string {
	if !garbled {
		return ""
	}
	return " Some bytes are no UTF-8 text; each run of them is shown as \uFFFD."
}

// fitting returns how many bytes of b, which goes on, make a page.
func fitting(b []byte) int {
	if lines := bytes.LastIndexByte(b, '\n') + 1; lines > 0 && lines >= len(b)/2 {
		return lines
	}
	return len(b) - unfinished(b)
}

// unfinished returns how many bytes at the end of b begin a character that goes on.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n < len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// readable returns b as text that any program takes, and whether that is something else.
func readable(b []byte) (text string, garbled bool) {
	text = strings.ReplaceAll(strings.ToValidUTF8(string(b), "\uFFFD"), "\x00", "\uFFFD")
	return text, text != string(b)
}
