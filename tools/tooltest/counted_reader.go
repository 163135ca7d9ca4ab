package tooltest

import "io"

// A countedReader counts the bytes that were read from it, and hides the other methods
// of its reader.
type countedReader struct {
	r     io.Reader
	n     int64
	ended bool // Read has returned io.EOF
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.ended = c.ended || err == io.EOF
	return n, err
}
