package excerpt

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// An Output is the kept part of a stream of bytes. [Capture.Output] returns one.
type Output struct {
	Head, Tail []byte
	Omitted    int64 // bytes between Head and Tail
	Total      int64 // bytes of the whole stream
}

// Text returns Head and Tail as valid UTF-8; U+FFFD replaces each run of invalid bytes. If
// bytes were omitted, a line that counts them stands in their place, and the parts around
// it are cut to whole lines, or to whole characters where lines are too long.
func (o Output) Text() string {
	var b strings.Builder
	if o.Omitted == 0 {
		b.Grow(len(o.Head) + len(o.Tail))
		b.Write(o.Head)
		b.Write(o.Tail)
		return strings.ToValidUTF8(b.String(), string(utf8.RuneError))
	}
	head, tail := o.trimmed()
	b.Write(head)
	if len(head) > 0 && head[len(head)-1] != '\n' {
		b.WriteByte('\n')
	}
	omitted := o.Total - int64(len(head)) - int64(len(tail))
	fmt.Fprintf(&b, "[%d of %d bytes omitted]\n", omitted, o.Total)
	b.Write(tail)
	return strings.ToValidUTF8(b.String(), string(utf8.RuneError))
}

// trimmed returns Head and Tail without the broken lines at the gap between them, or
// without the broken characters where the lines are too long.
func (o Output) trimmed() (head, tail []byte) { return trimEnd(o.Head), trimStart(o.Tail) }

// Lines returns the number of lines of the whole stream, given the number of its line
// ends. The last line may lack one.
func (o Output) Lines(ended int64) int64 {
	last := o.Tail
	if len(last) == 0 {
		last = o.Head
	}
	if len(last) > 0 && last[len(last)-1] != '\n' {
		ended++
	}
	return ended
}

// Shrink returns an Output with at most keep of the bytes in o, half of them from the
// beginning. It counts the others as omitted.
func (o Output) Shrink(keep int) Output {
	keep = max(keep, 0)
	kept := len(o.Head) + len(o.Tail)
	if kept <= keep {
		return o
	}
	whole := append(append(make([]byte, 0, kept), o.Head...), o.Tail...)
	head := min(keep/2, len(o.Head))
	tail := keep - head
	if o.Omitted > 0 { // the gap must stay between the two
		tail = min(tail, len(o.Tail))
	}
	return Output{
		Head:    whole[:head:head],
		Tail:    whole[kept-tail:],
		Omitted: o.Total - int64(head) - int64(tail),
		Total:   o.Total,
	}
}

// trimEnd drops the unfinished line at the end of head. If that is at least half of head,
// it drops only an unfinished character.
func trimEnd(head []byte) []byte {
	if end := bytes.LastIndexByte(head, '\n') + 1; end > len(head)/2 {
		return head[:end]
	}
	for i := len(head) - 1; i >= 0 && i >= len(head)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(head[i]) {
			continue
		}
		if !utf8.FullRune(head[i:]) {
			return head[:i]
		}
		break
	}
	return head
}

// trimStart drops the partial line at the start of tail. If that is more than half of
// tail, it drops only a partial character.
func trimStart(tail []byte) []byte {
	if start := bytes.IndexByte(tail, '\n') + 1; start > 0 && start <= len(tail)/2 {
		return tail[start:]
	}
	start := 0
	for start < min(len(tail), utf8.UTFMax-1) && !utf8.RuneStart(tail[start]) {
		start++
	}
	return tail[start:]
}

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
