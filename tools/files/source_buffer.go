package files

import "io"

// A sourceBuffer keeps the bytes that a decoder of UTF-16 has read, until they are
// matched to decoded text.
type sourceBuffer struct {
	r       io.Reader
	pending []byte // read by the decoder and not yet taken
}

// Read implements io.Reader for the decoder.
func (b *sourceBuffer) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.pending = append(b.pending, p[:n]...)
	return n, err
}

// takeSource returns and removes the bytes from which text was decoded. text must
// follow the text of the call before. The bytes are valid until the next Read. The text
// may start or end within a character: the first byte of a character stands for the
// whole character.
func (b *sourceBuffer) takeSource(text []byte) []byte {
	width := 0
	for _, c := range text {
		switch {
		case c >= 0xF0: // a surrogate pair
			width += 4
		case c < 0x80 || c >= 0xC0:
			width += 2
		}
	}
	width = min(width, len(b.pending)) // an odd byte at the end of the file decodes to a character
	raw := b.pending[:width]
	b.pending = b.pending[width:]
	return raw
}
