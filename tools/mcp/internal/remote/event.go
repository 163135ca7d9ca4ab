package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// event is an event while its lines are read.
type event struct {
	limit int // bytes of the data

	fields  [3][]byte // lines for the SDK, by their place in fieldNames; of several the last
	message bool      // the event is a message, and not one with another name
	data    []byte
	hasData bool
	tooLong bool // the data were longer than the limit, and were given to the finder
	finder  exchange.IDFinder

	longLine, longData bool // a line that is too long is being read, with data
}

// fieldNames are the fields that the SDK reads, but for the data.
var fieldNames = [3]string{"event", "id", "retry"}

// add reads a line.
func (e *event) add(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	if string(name) == "data" {
		e.addData(value)
		return
	}
	for i, known := range fieldNames {
		if string(name) == known {
			e.fields[i] = value
		}
	}
	if string(name) == "event" {
		e.message = len(value) == 0 || string(value) == "message"
	}
}

func (e *event) addData(value []byte) {
	if e.hasData {
		value = append([]byte("\n"), value...)
	}
	e.hasData = true
	if !e.tooLong && len(e.data)+len(value) > e.limit {
		e.dropData()
	}
	if e.tooLong {
		_, _ = e.finder.Write(value)
		return
	}
	if e.data == nil {
		e.data = value
		return
	}
	e.data = append(e.data, value...)
}

// dropData gives the data to the finder.
func (e *event) dropData() {
	_, _ = e.finder.Write(e.data)
	e.data, e.hasData, e.tooLong = nil, true, true
}

// Write reads a piece of a line that is too long. It is ignored if it has no data.
func (e *event) Write(piece []byte) (int, error) {
	size := len(piece)
	if !e.longLine {
		e.longLine = true
		piece, e.longData = bytes.CutPrefix(piece, []byte("data:"))
		if e.longData && !e.tooLong {
			e.dropData()
		}
	}
	if e.longData {
		_, _ = e.finder.Write(piece)
	}
	return size, nil
}

// text returns the event for the SDK with other data. Nil data means none.
func (e *event) text(data []byte) (text []byte) {
	for i, value := range e.fields {
		if value != nil {
			text = append(append(append(append(text, fieldNames[i]...), ": "...), value...), '\n')
		}
	}
	if len(data) > 0 {
		text = append(append(append(text, "data: "...), data...), '\n')
	}
	return append(text, '\n')
}

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
