package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// dataField is the field of an event that holds a message.
var dataField = []byte("data:")

// lines reads the lines of a stream.
type lines struct {
	reader *bufio.Reader
	limit  int // bytes of a line
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{reader: bufio.NewReaderSize(r, 32<<10), limit: limit}
}

// next returns the next line, without its end. It is not whole if it is longer than the
// limit; then its data was given to the finder. The line may be kept.
func (l *lines) next(finder *exchange.IDFinder) (line []byte, whole bool, err error) {
	dropped := false
	for {
		piece, err := l.reader.ReadSlice('\n')
		if dropped {
			finder.Write(piece)
		} else if len(line)+len(piece) > l.limit+len(dataField)+2 {
			dropped = true
			finder.Write(bytes.TrimPrefix(append(line, piece...), dataField))
			line = nil
		} else {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		return bytes.TrimRight(line, "\r\n"), !dropped, nil
	}
}
