package stdio

import (
	"bytes"
	"slices"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// lineReader splits the output of a server into lines.
type lineReader struct {
	limit   int                // bytes of a line
	line    func(line []byte)  // called with each line, which it may keep
	tooLong func(id []byte)    // called at the end of a line that was too long
	full    [][]byte           // the beginning of a line, in pieces of pieceSize
	size    int                // bytes of the full pieces
	pending []byte             // what follows them
	finder  *exchange.IDFinder // of a line that is too long, while it lasts
}

// write reads a piece of the output.
func (r *lineReader) write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			r.add(p)
			return
		}
		r.add(p[:end])
		r.endLine()
		p = p[end+1:]
	}
}

// pieceSize is how much of a long line lies in one piece. A line that grows in one piece is
// copied again and again, and leaves several times its size to the collector.
const pieceSize = 1 << 20

func (r *lineReader) add(p []byte) {
	if r.finder == nil && r.size+len(r.pending)+len(p) > r.limit {
		r.finder = new(exchange.IDFinder)
		for _, piece := range append(r.full, r.pending) {
			r.finder.Write(piece)
		}
		r.full, r.size, r.pending = nil, 0, nil
	}
	if r.finder != nil {
		r.finder.Write(p)
		return
	}
	if len(r.pending)+len(p) > pieceSize {
		r.full, r.size = append(r.full, r.pending), r.size+len(r.pending)
		r.pending = make([]byte, 0, pieceSize)
	}
	r.pending = append(r.pending, p...)
}

// take returns the beginning of a line, which is no longer kept.
func (r *lineReader) take() []byte {
	line := r.pending
	if r.size > 0 {
		line = slices.Concat(append(r.full, line)...)
	}
	r.full, r.size, r.pending = nil, 0, nil // the line may be kept
	return line
}

func (r *lineReader) endLine() {
	if r.finder != nil {
		id := r.finder.ID()
		r.finder = nil
		r.tooLong(id)
		return
	}
	if line := bytes.TrimSpace(r.take()); len(line) > 0 {
		r.line(line)
	}
}
