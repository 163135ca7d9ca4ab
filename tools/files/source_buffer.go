package files

import "io"

// sourceBuffer holds what a decoder of UTF-16 has read and nobody has asked for yet.
type sourceBuffer struct {
	r       io.Reader
	pending []byte
}

// Read is for the decoder.
func (t *sourceBuffer) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.pending = append(t.pending, p[:n]...)
	return n, err
}

// takeSource returns the bytes that text, which follows the text of the call before, was
// decoded from. They are good until the next one is read. The text may begin and
// end within a character: its first byte stands for all of it.
func (t *sourceBuffer) takeSource(text []byte) []byte {
	width := 0
	for _, b := range text {
		switch {
		case b >= 0xF0: // a pair of surrogates
			width += 4
		case b < 0x80 || b >= 0xC0:
			width += 2
		}
	}
	width = min(width, len(t.pending)) // half a unit at the end of the file is a character too
	raw := t.pending[:width]
	t.pending = t.pending[width:]
	return raw
}
