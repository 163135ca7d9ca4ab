package excerpt

// A Capture is a writer that keeps the beginning and the end of the bytes written to it.
// The zero Capture is ready to use. It is not safe for concurrent use.
type Capture struct {
	// Keep is the number of bytes to keep, half of them from the beginning; 0 means
	// 1 MiB. It must not change after the first write.
	Keep int

	head  []byte
	tail  []byte // the last bytes after head; once full, a ring
	next  int    // index in the ring of its oldest byte, which is overwritten next
	total int64
}

const defaultKeep = 1 << 20

// Write never fails.
func (c *Capture) Write(p []byte) (int, error) {
	headSize, tailSize := c.sizes()
	c.total += int64(len(p))
	n := min(len(p), headSize-len(c.head))
	c.head = append(c.head, p[:n]...)
	rest := p[n:]
	if len(rest) > tailSize {
		rest = rest[len(rest)-tailSize:]
	}
	grow := min(len(rest), tailSize-len(c.tail))
	c.tail = append(c.tail, rest[:grow]...)
	for rest = rest[grow:]; len(rest) > 0; {
		n := copy(c.tail[c.next:], rest)
		c.next = (c.next + n) % tailSize
		rest = rest[n:]
	}
	return len(p), nil
}

// Total returns the number of bytes written.
func (c *Capture) Total() int64 { return c.total }

// Output returns the kept bytes. Later writes do not change the result.
func (c *Capture) Output() Output {
	tail := make([]byte, 0, len(c.tail))
	tail = append(append(tail, c.tail[c.next:]...), c.tail[:c.next]...)
	return Output{
		Head:    c.head[:len(c.head):len(c.head)],
		Tail:    tail,
		Omitted: c.total - int64(len(c.head)) - int64(len(tail)),
		Total:   c.total,
	}
}

func (c *Capture) sizes() (head, tail int) {
	keep := c.Keep
	if keep <= 0 {
		keep = defaultKeep
	}
	return keep / 2, keep - keep/2
}
