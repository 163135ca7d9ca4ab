package results

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	longLine = 1_000   // bytes; of a longer line the surroundings of matches are shown
	before   = 100     // bytes that are shown before a match in a long line
	after    = 400     // and from its beginning on
	overlap  = 1 << 10 // of the pieces of a line over chunk
)

// A hit is a line, or a part of a long one, that is shown.
type hit struct {
	at   int64 // of its first byte
	text []byte
}

// A finder looks for a pattern line by line.
type finder struct {
	pattern *regexp.Regexp
	shown   int64 // the end of the last hit
	cut     bool  // a line was too long to be shown
}

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

// hits returns what of a piece, which begins at that offset, is to be shown: the line
// that it is, or if that is long each match with its surroundings. part says that the
// piece is not all of its line.
func (f *finder) hits(piece []byte, at int64, part bool) []hit {
	line := bytes.TrimRight(piece, "\r\n")
	if !part && len(line) <= longLine {
		if len(piece) == 0 || !f.pattern.Match(line) {
			return nil
		}
		return []hit{{at, line}}
	}
	var hits []hit
	for _, match := range f.pattern.FindAllIndex(line, -1) {
		if at+int64(match[0]) < f.shown {
			continue // it was seen with the one before
		}
		from := max(0, match[0]-before, int(max(0, f.shown-at)))
		for from < match[0] && !utf8.RuneStart(line[from]) {
			from++
		}
		to := min(len(line), max(match[0]+after, from+1))
		to -= unfinished(line[from:to])
		if from == to {
			continue
		}
		f.shown, f.cut = at+int64(to), true
		hits = append(hits, hit{at + int64(from), line[from:to]})
	}
	return hits
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
