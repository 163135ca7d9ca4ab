package stdio

import (
	"bytes"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// lineReader splits the output of a server into lines.
type lineReader struct {
	limit   int                // bytes of a line
	line    func(line []byte)  // called with each line, which it may keep
	tooLong func(id []byte)    // called at the end of a line that was too long
	pending exchange.Buffer    // the beginning of a line
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

func (r *lineReader) add(p []byte) {
	if r.finder == nil && r.pending.Len()+len(p) > r.limit {
		r.finder = new(exchange.IDFinder)
		r.pending.Pour(func(piece []byte) { _, _ = r.finder.Write(piece) })
	}
	if r.finder != nil {
		_, _ = r.finder.Write(p)
		return
	}
	r.pending.Add(p)
}

func (r *lineReader) endLine() {
	if r.finder != nil {
		id := r.finder.ID()
		r.finder = nil
		r.tooLong(id)
		return
	}
	if line := bytes.TrimSpace(r.pending.Take()); len(line) > 0 {
		r.line(line)
	}
}
