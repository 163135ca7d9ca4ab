package excerpt

const defaultKeep = 1 << 20

// A Capture is a writer that keeps the beginning and the end of what is written
// to it. The zero Capture is ready; it is not safe for concurrent use.
type Capture struct {
	// Keep is how many bytes to keep, half of them from the beginning; 0 means
	// 1 MiB. It must not change once something was written.
	Keep int

	head  []byte
	tail  []byte // the last bytes after head, a ring once it is full
	next  int    // where the full ring is written next, its oldest byte
	total int64
}

// Write takes all of p and returns no error.
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

// Total returns how many bytes were written.
func (c *Capture) Total() int64 { return c.total }

// Output returns what was kept. Later writes do not change it.
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
