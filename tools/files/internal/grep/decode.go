package grep

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// decoded looks for a byte order mark at the beginning of a file, of which head
// was read. One of UTF-8 is mark bytes long and to be left out. If there is one
// of UTF-16, the reader returned has the whole file as UTF-8.
func decoded(r io.Reader, head []byte) (rest io.Reader, mark int, recoded bool) {
	endian := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(head, []byte("\uFEFF")):
		return r, len("\uFEFF"), false
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		endian = unicode.BigEndian
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
	default:
		return r, 0, false
	}
	all := io.MultiReader(bytes.NewReader(bytes.Clone(head)), r)
	return unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Reader(all), 0, true
}
