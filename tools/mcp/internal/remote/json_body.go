package remote

import (
	"bytes"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// jsonBody is the body of an answer that is one message. It is read when it is first asked
// for.
type jsonBody struct {
	body     io.ReadCloser
	id       []byte // of the request; nil for a notification
	limit    int
	exchange *exchange.Exchange
	answer   *bytes.Reader // nil before the body was read
}

func (b *jsonBody) Read(p []byte) (int, error) {
	if b.answer == nil {
		answer, err := b.read()
		if err != nil {
			return 0, err
		}
		b.answer = bytes.NewReader(answer)
	}
	return b.answer.Read(p)
}

func (b *jsonBody) read() ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(b.body, int64(b.limit)+1))
	if err != nil && b.id != nil { // an error would end the connection
		return exchange.Encode(b.exchange.Unanswered(b.id, fmt.Appendf(nil, "an answer that cannot be read: %v", err))), nil
	}
	if err != nil {
		return nil, err
	}
	if len(raw) > b.limit {
		return exchange.Encode(b.exchange.TooLong(b.id, b.limit)), nil
	}
	if b.id == nil { // an answer to a notification
		return b.exchange.ReceivedText(raw), nil
	}
	return exchange.Encode(b.exchange.Answered(b.id, raw)), nil
}

func (b *jsonBody) Close() error { return b.body.Close() }
