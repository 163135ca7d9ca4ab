package results

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// search shows hits from the tape on, in about limit bytes, and one if there is any.
func (o *Output) search(ctx context.Context, t *tape, pattern *regexp.Regexp, limit int) error {
	f, garbled := finder{pattern: pattern}, false
	var text strings.Builder
	var carry []byte // the end of a piece whose line goes on
	r, at := bufio.NewReaderSize(t.r, chunk), t.at
	for !t.ended && !o.More {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece, err := r.ReadSlice('\n')
		t.at += int64(len(piece))
		inLine := errors.Is(err, bufio.ErrBufferFull)
		if t.ended = errors.Is(err, io.EOF); err != nil && !t.ended && !inLine {
			return err
		}
		part := len(carry) > 0 || inLine
		if len(carry) > 0 {
			piece = append(carry, piece...)
		}
		for _, h := range f.hits(piece, t.at-int64(len(piece)), part) {
			line, bad := readable(h.text)
			line = fmt.Sprintf("%d:%s\n", h.at, line)
			if o.Matches > 0 && text.Len()+len(line) > limit {
				o.More, o.End = true, h.at
				break
			}
			text.WriteString(line)
			garbled = garbled || bad
			o.Matches++
		}
		if carry = carry[:0]; inLine {
			carry = append(carry, piece[len(piece)-overlap:]...)
		}
	}
	if o.Size = t.size; !o.More {
		o.End, o.Size = t.at, t.at
	}
	if at == t.at {
		o.nothing(t)
		return nil
	}
	o.Content = text.String()
	o.tell(f.cut, garbled)
	return nil
}

// tell makes the notice of a search.
func (o *Output) tell(cut, garbled bool) {
	where := fmt.Sprintf("bytes %d to %d%s", o.Offset, o.End, o.total())
	if o.Matches == 0 {
		o.notice = fmt.Sprintf("[Result %s: nothing in %s matches. Try another pattern", o.Ref, where)
		if o.Offset > 0 {
			o.notice += ", or a smaller offset"
		}
		o.notice += ".]"
		return
	}
	o.notice = fmt.Sprintf("[Result %s: searched %s, found %d. Each is shown behind its offset and a colon.", o.Ref, where, o.Matches)
	if cut {
		o.notice += fmt.Sprintf(" Of a line over %d bytes the part around a match is shown.", longLine)
	}
	if o.notice += " Read there with that offset"; o.More {
		o.notice += fmt.Sprintf("; search on with offset %d", o.End)
	}
	o.notice += "." + note(garbled) + "]"
}
