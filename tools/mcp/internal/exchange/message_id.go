package exchange

import "bytes"

// maxID is how many bytes an id may have that is found in a message too long to be read.
const maxID = 128

// IDFinder finds the id of a message that is too long to be kept. It is given the message
// in pieces. The zero value is ready to use.
type IDFinder struct {
	depth    int
	inString bool
	escaped  bool
	text     []byte // of the string or value at the first level that is being read
	key      string // of the member at the first level, once its colon was read
	value    bool   // the text is that of a value
	id       []byte
}

// ID returns the JSON text of the id, or nil if there was none yet.
func (f *IDFinder) ID() []byte { return bytes.TrimSpace(f.id) }

// Write reads the next piece of the message. It returns no error.
func (f *IDFinder) Write(p []byte) (int, error) {
	size := len(p)
	for len(p) > 0 {
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
	if f.inString {
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
	}
	switch c {
	case '"':
		f.inString = true
		f.keep(c)
	case '{', '[':
		f.depth++
		if f.depth == 1 {
			f.text = nil
		}
	case '}', ']':
		if f.depth == 1 {
			f.endMember()
		}
		f.depth--
	case ':':
		if f.depth == 1 {
			f.key, f.text, f.value = string(bytes.TrimSpace(f.text)), nil, true
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
	if f.value && f.key == `"id"` && f.id == nil && len(f.text) <= maxID {
		f.id = f.text
	}
	f.text, f.key, f.value = nil, "", false
}
