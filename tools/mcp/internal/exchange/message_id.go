package exchange

import (
	"bytes"
	"encoding/json"
)

// maxID is how many bytes an id may have that is found in a message too long to be read.
const maxID = 128

// IDFinder finds the id of a message that is too long to be kept. It is given the message
// in pieces. The zero value is ready to use.
type IDFinder struct {
	depth    int // of objects and lists
	inString bool
	escaped  bool
	ended    bool   // the message has ended, or is no object
	text     []byte // of the key or value at the first level that is being read
	key      []byte // of the member at the first level, once its colon was read; otherwise nil
	nested   bool   // the value is an object or a list
	id       []byte
}

// ID returns the JSON text of the id, or nil before it was found. Of several the last one
// counts, as for encoding/json. An object or a list is no id.
func (f *IDFinder) ID() []byte { return f.id }

// Write reads the next piece of the message. It returns no error.
func (f *IDFinder) Write(p []byte) (int, error) {
	size := len(p)
	for len(p) > 0 && !f.ended {
		if f.inString && !f.escaped && f.depth != 1 {
			p = p[untilEscape(p):]
		}
		if len(p) > 0 {
			f.next(p[0])
			p = p[1:]
		}
	}
	return size, nil
}

// untilEscape returns the number of bytes before the end of a string or an escape in it.
func untilEscape(p []byte) int {
	if end := bytes.IndexByte(p, '"'); end >= 0 {
		p = p[:end]
	}
	if escape := bytes.IndexByte(p, '\\'); escape >= 0 {
		return escape
	}
	return len(p)
}

func (f *IDFinder) next(c byte) {
	switch {
	case f.inString:
		f.keep(c)
		switch {
		case f.escaped:
			f.escaped = false
		case c == '\\':
			f.escaped = true
		case c == '"':
			f.inString = false
		}
		return
	case f.depth == 0:
		f.depth = 1
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			f.depth = 0
		}
		f.ended = f.depth == 1 && c != '{'
		return
	}
	switch c {
	case '"':
		f.inString = true
		f.keep(c)
	case '{', '[':
		f.nested = true
		f.depth++
	case '}', ']':
		if f.depth == 1 {
			f.endMember()
			f.ended = true
		}
		f.depth--
	case ':':
		if f.depth == 1 {
			f.key, f.text, f.nested = append([]byte{}, f.text...), nil, false
		}
	case ',':
		if f.depth == 1 {
			f.endMember()
		}
	default:
		f.keep(c)
	}
}

func (f *IDFinder) keep(c byte) {
	if f.depth == 1 && len(f.text) <= maxID {
		f.text = append(f.text, c)
	}
}

func (f *IDFinder) endMember() {
	var key string
	if f.key != nil && json.Unmarshal(f.key, &key) == nil && key == "id" {
		if f.id = bytes.TrimSpace(f.text); f.nested || len(f.id) == 0 || len(f.text) > maxID {
			f.id = nil
		}
	}
	f.text, f.key = nil, nil
}
