package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// maxField is more than the name of a field and the end of its line take.
const maxField = 16

// lines reads the lines of a stream.
type lines struct {
	reader *bufio.Reader
	limit  int // bytes of a line
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{reader: bufio.NewReaderSize(r, 32<<10), limit: limit}
}

// next returns the next line, without its end. If it is longer than the limit, it is written
// to long instead, in pieces whose first is longer than the name of a field, and line is nil.
// The line may be kept.
func (l *lines) next(long io.Writer) (line []byte, err error) {
	var kept exchange.Buffer
	isLong := false
	for {
		piece, err := l.reader.ReadSlice('\n')
		switch {
		case isLong:
			_, _ = long.Write(piece)
		case kept.Len()+len(piece) > l.limit+maxField:
			isLong = true
			kept.Add(piece)
			kept.Pour(func(piece []byte) { _, _ = long.Write(piece) })
		default:
			kept.Add(piece)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimRight(kept.Take(), "\r\n"), nil
	}
}
