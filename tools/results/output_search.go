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

// search shows the matches from the reader's position on, in about limit bytes, but
// at least one.
func (o *Output) search(ctx context.Context, r *resultReader, pattern *regexp.Regexp, limit int) error {
	f, garbled := finder{pattern: pattern}, false
	var text strings.Builder
	var carry []byte // the end of a piece whose line goes on
	br, start := bufio.NewReaderSize(r.src, chunkSize), r.pos
	for !r.atEnd && !o.More {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece, err := br.ReadSlice('\n')
		r.pos += int64(len(piece))
		inLine := errors.Is(err, bufio.ErrBufferFull)
		if r.atEnd = errors.Is(err, io.EOF); err != nil && !r.atEnd && !inLine {
			return err
		}
		part := len(carry) > 0 || inLine
		if len(carry) > 0 {
			piece = append(carry, piece...)
		}
		for _, h := range f.hits(piece, r.pos-int64(len(piece)), part) {
			line, bad := cleanText(h.text)
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
			carry = append(carry, piece[len(piece)-pieceOverlap:]...)
		}
	}
	if o.Size = r.size; !o.More {
		o.End, o.Size = r.pos, r.pos
	}
	if start == r.pos {
		o.setEmpty(r)
		return nil
	}
	o.Content = text.String()
	o.setSearchNotice(f.truncated, garbled)
	return nil
}

// setSearchNotice sets the notice of a search.
func (o *Output) setSearchNotice(truncated, garbled bool) {
	where := fmt.Sprintf("bytes %d to %d%s", o.Offset, o.End, o.sizeText())
	if o.Matches == 0 {
		o.notice = fmt.Sprintf("[Result %s: nothing in %s matches. Try another pattern", o.Ref, where)
		if o.Offset > 0 {
			o.notice += ", or a smaller offset"
		}
		o.notice += ".]"
		return
	}
	o.notice = fmt.Sprintf("[Result %s: searched %s, found %d. Each is shown behind its offset and a colon.", o.Ref, where, o.Matches)
	if truncated {
		o.notice += fmt.Sprintf(" Of a line over %d bytes the part around a match is shown.", maxLine)
	}
	if o.notice += " Read there with that offset"; o.More {
		o.notice += fmt.Sprintf("; search on with offset %d", o.End)
	}
	o.notice += "." + garbledNote(garbled) + "]"
}
