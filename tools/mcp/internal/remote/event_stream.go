package remote

import (
	"bytes"
	"io"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// eventStream is a stream of server-sent events. The data of each message passes through
// the exchange; the other events stay as they are.
type eventStream struct {
	lines    *lines
	body     io.ReadCloser
	exchange *exchange.Exchange
	// onlyData leaves out events without data, which resume no stream of the older transport
	// and which the SDK takes for broken messages there.
	onlyData bool

	ready []byte // of the stream for the SDK, not read yet
	err   error  // after ready
}

func (s *eventStream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.ready, s.err = s.next()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

func (s *eventStream) Close() error { return s.body.Close() }

// next reads the next event. An event that the end of the stream cuts off is no event.
func (s *eventStream) next() ([]byte, error) {
	e := &event{limit: s.lines.limit, message: true}
	for {
		line, err := s.lines.next(e)
		if err != nil {
			return nil, err
		}
		if e.longLine {
			e.longLine = false
			continue
		}
		if len(line) == 0 {
			break
		}
		e.add(line)
	}
	data := s.shown(e)
	if len(data) == 0 && s.onlyData {
		return nil, nil
	}
	return e.text(data), nil
}

// shown returns the data that the SDK is given for that of an event.
func (s *eventStream) shown(e *event) []byte {
	switch {
	case e.tooLong:
		return exchange.Encode(s.exchange.TooLong(e.finder.ID(), e.limit))
	case !e.message:
		return e.data
	case len(bytes.TrimSpace(e.data)) == 0:
		return nil
	}
	return s.exchange.ReceivedText(e.data)
}
