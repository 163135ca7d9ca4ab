package excerpt

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	longLine  = 1_000 // bytes; only JSON with a longer line is broken
	wideValue = 120   // bytes of a value, or of a line of short values, that stay on one line
	maxIndent = 20    // columns
)

// BreakLines returns text with line breaks in its JSON, if the text has lines over 1,000
// bytes, so that tools that read by lines can show parts of it. It breaks a text that is
// one document, and otherwise each long line that is a document. Other lines stay as they
// are, and so does a text without long lines.
//
// An array or object of at most 120 bytes stays on one line, and so do as many scalar
// elements of an array as 120 bytes have room for. Only the space between values changes.
// The time is linear in the length of the text, and so is the length of the result.
func BreakLines(text string) string {
	if !hasLongLine(text) {
		return text
	}
	if broken, ok := breakDocument(text); ok {
		return broken
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		broken, ok := line, false
		if len(line) > longLine {
			broken, ok = breakDocument(line)
		}
		if !ok {
			b.WriteString(line)
			continue
		}
		b.WriteString(broken)
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func hasLongLine(text string) bool {
	for line := range strings.Lines(text) {
		if len(line) > longLine {
			return true
		}
	}
	return false
}

// breakDocument returns a document with line breaks. ok is false if text is not an array
// or object.
func breakDocument(text string) (broken string, ok bool) {
	begin := strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "[") {
		return "", false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return "", false
	}
	b := lineBreaker{text: compact.Bytes()}
	b.findEnds()
	b.write()
	return string(b.out), true
}

// A lineBreaker writes a JSON document, which has no space between its values, with line
// breaks.
type lineBreaker struct {
	text       []byte
	containers []span // in the order in which they open
	out        []byte
	lineStart  int    // offset in out
	open       []byte // brackets of the containers whose items are written on lines of their own
}

// A span is an array or object of the text.
type span struct {
	end  int // offset after its closing bracket
	next int // index of the first container that opens after end
}

// findEnds fills containers.
func (b *lineBreaker) findEnds() {
	var open []int
	for i := 0; i < len(b.text); {
		switch b.text[i] {
		case '{', '[':
			open = append(open, len(b.containers))
			b.containers = append(b.containers, span{})
		case '}', ']':
			last := open[len(open)-1]
			open = open[:len(open)-1]
			b.containers[last] = span{end: i + 1, next: len(b.containers)}
		}
		i = b.tokenEnd(i)
	}
}

// write fills out.
func (b *lineBreaker) write() {
	next := 0 // index in containers of the next one to open
	for i := 0; i < len(b.text); {
		end := b.tokenEnd(i)
		switch b.text[i] {
		case '{', '[':
			c := b.containers[next]
			if c.end-i <= wideValue {
				end, next = c.end, c.next
				b.out = append(b.out, b.text[i:end]...)
				break
			}
			next++
			b.out = append(b.out, b.text[i])
			b.open = append(b.open, b.text[i])
			b.newLine()
		case '}', ']':
			b.open = b.open[:len(b.open)-1]
			b.newLine()
			b.out = append(b.out, b.text[i])
		case ',':
			b.out = append(b.out, ',')
			if !b.staysOnLine(i) {
				b.newLine()
			}
		default:
			b.out = append(b.out, b.text[i:end]...)
		}
		i = end
	}
}

// staysOnLine reports whether the comma at i is followed by an element that may stand on
// the same line: both elements beside the comma are scalars of an array.
func (b *lineBreaker) staysOnLine(i int) bool {
	after := b.text[i+1]
	if b.open[len(b.open)-1] != '[' || b.text[i-1] == '}' || b.text[i-1] == ']' || after == '{' || after == '[' {
		return false
	}
	return len(b.out)-b.lineStart+b.tokenEnd(i+1)-i <= wideValue
}

func (b *lineBreaker) newLine() {
	b.out = append(b.out, '\n')
	b.lineStart = len(b.out)
	for range min(2*len(b.open), maxIndent) {
		b.out = append(b.out, ' ')
	}
}

// tokenEnd returns the end of the token at i: a string, number, true, false, null, or one
// byte of punctuation.
func (b *lineBreaker) tokenEnd(i int) int {
	switch b.text[i] {
	case '{', '}', '[', ']', ',', ':':
		return i + 1
	case '"':
		for i++; b.text[i] != '"'; i++ {
			if b.text[i] == '\\' {
				i++
			}
		}
		return i + 1
	}
	if n := bytes.IndexAny(b.text[i:], ",]}"); n >= 0 {
		return i + n
	}
	return len(b.text)
}
