package exchange

import "slices"

// pieceSize is how much of a long text lies in one piece.
const pieceSize = 1 << 20

// Buffer collects a text. A long one grows in pieces: growing in one, it would be copied again
// and again, and leave several times its size to the collector. The zero value is empty.
type Buffer struct {
	full [][]byte
	size int // of the full pieces
	last []byte
}

// Len returns the number of bytes.
func (b *Buffer) Len() int { return b.size + len(b.last) }

// Add adds a copy of p.
func (b *Buffer) Add(p []byte) {
	if len(b.last)+len(p) > pieceSize && len(b.last) > 0 {
		b.full, b.size = append(b.full, b.last), b.size+len(b.last)
		b.last = make([]byte, 0, pieceSize)
	}
	b.last = append(b.last, p...)
}

// Take returns the text and empties the buffer. The caller may keep the text.
func (b *Buffer) Take() []byte {
	text := b.last
	if b.size > 0 {
		text = slices.Concat(append(b.full, text)...)
	}
	*b = Buffer{}
	return text
}

// Pour gives the text to write in pieces and empties the buffer.
func (b *Buffer) Pour(write func(piece []byte)) {
	for _, piece := range append(b.full, b.last) {
		write(piece)
	}
	*b = Buffer{}
}
