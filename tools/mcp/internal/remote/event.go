package remote

import (
	"bytes"

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
