package shell

import (
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// An outputEnd is the last part of an output.
type outputEnd struct {
	text string // valid UTF-8
	from int64  // offset of text in the whole output, in bytes
	size int64  // bytes of the whole output
	file string // holds the whole output; empty if no file does
}

// readOutputEnd returns the last bytes of a file, at most limit of them. It reads
// hardly more than that, and follows no link.
func readOutputEnd(path string, limit int) (outputEnd, error) {
	window := int64(limit) + 1 // one byte more, to see whether the text begins with a whole line
	b, from, err := output.ReadEnd(path, window)
	if err != nil {
		return outputEnd{}, err
	}
	end := newOutputEnd(b, from, limit)
	end.file = path
	return end, nil
}

// newOutputEnd returns the last limit bytes of an output. b is its part that begins
// at from.
func newOutputEnd(b []byte, from int64, limit int) outputEnd {
	text, start := excerpt.Last(b, limit, from == 0)
	return outputEnd{text: text, from: from + int64(start), size: from + int64(len(b))}
}
