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
	var fields, data []byte
	message, hasData, tooLong := true, false, false
	finder := new(exchange.IDFinder)
	for {
		line, whole, err := s.lines.next(finder)
		if err != nil {
			return nil, err
		}
		if !whole {
			tooLong = true
			continue
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "":
			continue // a comment
		case "data":
			if tooLong = tooLong || len(data)+len(value) > s.lines.limit; tooLong {
				finder.Write(append(data, value...))
				data = nil
				continue
			}
			if hasData {
				data = append(data, '\n')
			}
			data, hasData = append(data, value...), true
			continue
		case "event":
			message = string(value) == "" || string(value) == "message"
		}
		fields = append(append(append(append(fields, name...), ": "...), value...), '\n')
	}
	if data = s.shown(data, message, tooLong, finder); len(data) > 0 {
		fields = append(append(append(fields, "data: "...), data...), '\n')
	} else if s.onlyData {
		return nil, nil
	}
	return append(fields, '\n'), nil
}

// shown returns the data that the SDK is given for that of an event.
func (s *eventStream) shown(data []byte, message, tooLong bool, finder *exchange.IDFinder) []byte {
	switch {
	case tooLong:
		return exchange.Encode(s.exchange.TooLong(finder.ID(), s.lines.limit))
	case !message:
		return data
	case len(bytes.TrimSpace(data)) == 0:
		return nil
	}
	answer := s.exchange.ReceivedText(data)
	if bytes.IndexByte(answer, '\n') < 0 {
		return answer
	}
	// A message of several lines. Between its values, space may be any.
	return bytes.ReplaceAll(answer, []byte("\n"), []byte(" "))
}
