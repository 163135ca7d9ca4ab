package shell

import (
	"bytes"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/terminal"
)

// A capture keeps the beginning and the end of the output of a command as the model sees
// it: without what only a terminal needs, unless the host wants the output as it is. Its
// methods may be called concurrently, except write.
type capture struct {
	asPrinted bool
	reporter  *lineReporter // is told the lines; nil if nobody wants them

	mu      sync.Mutex
	cleaner terminal.Cleaner
	buffer  []byte // for reuse
	kept    excerpt.Capture
	ends    int64 // line ends in the whole output
	binary  bool  // it holds a NUL byte
}

// write adds a piece of output.
func (c *capture) write(p []byte) {
	p = c.add(p)
	if c.reporter != nil {
		c.reporter.write(p)
	}
}

// add keeps a piece of output and returns what it adds to the clean output.
func (c *capture) add(p []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends += int64(bytes.Count(p, []byte{'\n'}))
	if c.binary = c.binary || bytes.IndexByte(p, 0) >= 0; c.binary && c.reporter != nil {
		c.reporter.stop()
	}
	if !c.asPrinted {
		c.buffer = c.cleaner.Append(c.buffer[:0], p)
		p = c.buffer
	}
	_, _ = c.kept.Write(p)
	return p
}

// output returns the clean output so far, with its unfinished line.
func (c *capture) output() excerpt.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, rest := c.kept.Output(), c.cleaner.Rest()
	if o.Omitted == 0 {
		all := excerpt.Capture{Keep: c.kept.Keep}
		for _, p := range [][]byte{o.Head, o.Tail, rest} {
			_, _ = all.Write(p)
		}
		return all.Output()
	}
	o.Tail = slices.Concat(o.Tail[min(len(rest), len(o.Tail)):], rest)
	o.Total += int64(len(rest))
	o.Omitted = o.Total - int64(len(o.Head)) - int64(len(o.Tail))
	return o
}

// replaced returns how many bytes of text are not in the output because later text has
// replaced them on the screen.
func (c *capture) replaced() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cleaner.Replaced()
}

// isBinary reports whether the output is binary.
func (c *capture) isBinary() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.binary
}

// lines returns the number of lines of an output that output has returned.
func (c *capture) lines(o excerpt.Output) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return o.Lines(c.ends)
}
