package results

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

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
