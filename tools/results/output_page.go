package results

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// readPage shows at most limit bytes. limit must be enough for any character.
func (o *Output) readPage(r *resultReader, limit int) error {
	b, err := r.next(make([]byte, limit+1)) // one more byte shows whether the result goes on
	if err != nil {
		return err
	}
	if len(b) == 0 {
		o.setEmpty(r)
		return nil
	}
	if o.Size = r.size; r.atEnd {
		o.Size = r.pos
	}
	if o.More = len(b) > limit; o.More {
		b = b[:pageEnd(b[:limit])]
	}
	o.End = o.Offset + int64(len(b))
	var garbled bool
	o.Content, garbled = cleanText(b)

	var s strings.Builder
	fmt.Fprintf(&s, "[Result %s: bytes %d to %d%s", o.Ref, o.Offset, o.End, o.sizeText())
	ends := int64(bytes.Count(b, []byte{'\n'}))
	inLine := b[len(b)-1] != '\n'
	last := ends
	if inLine {
		last++
	}
	switch {
	case r.lines < 0:
		fmt.Fprintf(&s, ", lines: %d.", last)
	default:
		fmt.Fprintf(&s, ", lines %d to %d.", r.lines+1, r.lines+last)
	}
	switch {
	case !o.More:
		s.WriteString(" This is its end.")
	case inLine:
		fmt.Fprintf(&s, " Go on with offset %d, where the last line goes on.", o.End)
	default:
		fmt.Fprintf(&s, " Go on with offset %d.", o.End)
	}
	o.notice = s.String() + garbledNote(garbled) + "]"
	return nil
}

// garbledNote returns a sentence for the notice if some bytes were not text.
func garbledNote(garbled bool) string {
	if !garbled {
		return ""
	}
	return " Some bytes are no UTF-8 text; each run of them is shown as \uFFFD."
}

// pageEnd returns how many bytes of b, which is not the end of the result, make a
// page.
func pageEnd(b []byte) int {
	if lines := bytes.LastIndexByte(b, '\n') + 1; lines > 0 && lines >= len(b)/2 {
		return lines
	}
	return len(b) - partialRune(b)
}

// partialRune returns the number of bytes at the end of b that begin an incomplete
// character.
func partialRune(b []byte) int {
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

// cleanText returns b as valid UTF-8 without NUL, and reports whether that differs
// from b.
func cleanText(b []byte) (text string, garbled bool) {
	text = strings.ReplaceAll(strings.ToValidUTF8(string(b), "\uFFFD"), "\x00", "\uFFFD")
	return text, text != string(b)
}
