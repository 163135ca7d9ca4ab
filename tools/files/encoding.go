package files

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// An encoding is a text encoding that a byte order mark identifies.
type encoding struct {
	name       string // for the model; empty for UTF-8, which needs no note
	bom        []byte
	endianness unicode.Endianness
}

// encodings are the encodings that Read decodes.
var encodings = []encoding{
	{bom: []byte{0xEF, 0xBB, 0xBF}},
	{name: "UTF-16 (little endian)", bom: []byte{0xFF, 0xFE}, endianness: unicode.LittleEndian},
	{name: "UTF-16 (big endian)", bom: []byte{0xFE, 0xFF}, endianness: unicode.BigEndian},
}

// encodingOf returns the encoding of a file that begins with head. Without a byte order
// mark it is UTF-8.
func encodingOf(head []byte) (e encoding) {
	for _, e := range encodings {
		if bytes.HasPrefix(head, e.bom) {
			return e
		}
	}
	return encoding{}
}

// isUTF16 reports whether e is UTF-16.
func (e encoding) isUTF16() bool { return e.name != "" }

// mime returns the media type of a text.
func (e encoding) mime() string {
	if e.isUTF16() {
		return "" // a FileValue does not call it text
	}
	return "text/plain; charset=utf-8"
}

// isText reports whether head, the start of a file in this encoding, may be text: it
// has no NUL character.
func (e encoding) isText(head []byte) bool {
	if !e.isUTF16() {
		return bytes.IndexByte(head, 0) < 0
	}
	for i := len(e.bom); i+1 < len(head); i += 2 {
		if head[i] == 0 && head[i+1] == 0 {
			return false
		}
	}
	return true
}

// lineReader returns the lines of r, which begins with the byte order mark.
func (e encoding) lineReader(r io.Reader) (*lineReader, error) {
	if _, err := io.CopyN(io.Discard, r, int64(len(e.bom))); err != nil {
		return nil, err
	}
	var t *sourceBuffer
	if e.isUTF16() {
		t = &sourceBuffer{r: r}
		r = unicode.UTF16(e.endianness, unicode.IgnoreBOM).NewDecoder().Reader(t)
	}
	l := newLineReader(r)
	l.source, l.bom, l.offset = t, e.bom, int64(len(e.bom))
	return l, nil
}
