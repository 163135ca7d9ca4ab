package exchange

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// message is a JSON-RPC message with its members still encoded.
type message struct {
	version, id, method, params, result, fault []byte

	repeated bool // a member is there twice, and readers may differ on its meaning
}

// parseMessage returns the message in raw. It is false if raw is not a JSON object.
func parseMessage(raw []byte) (m message, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return m, false
	}
	return scanMessage(raw), true
}

// scanMessage returns the message in raw, which is a valid JSON object.
func scanMessage(raw []byte) (m message) {
	for key, value := range members(raw) {
		var at *[]byte
		switch {
		case spells(key, "jsonrpc"):
			at = &m.version
		case spells(key, "id"):
			at = &m.id
		case spells(key, "method"):
			at = &m.method
		case spells(key, "params"):
			at = &m.params
		case spells(key, "result"):
			at = &m.result
		case spells(key, "error"):
			at = &m.fault
		default:
			continue
		}
		if *at != nil {
			m.repeated = true
		}
		*at = value
	}
	m.id = wholeNumber(m.id)
	if string(m.fault) == "null" {
		m.fault = nil // some servers send the member they do not use
	}
	return m
}

// maxWhole is the largest number up to which a float64 holds each whole one.
const maxWhole = 1 << 53

// wholeNumber returns a number as it was sent: some servers answer 1 with 1.0. It returns
// another value as it is.
func wholeNumber(value []byte) []byte {
	if len(value) == 0 || value[0] == '"' || !bytes.ContainsAny(value, ".eE") {
		return value
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > maxWhole {
		return value
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// RequestID returns the JSON text of the id of a request, or nil if raw is something else.
func RequestID(raw []byte) []byte {
	m, ok := parseMessage(raw)
	if !ok || m.method == nil {
		return nil
	}
	return m.id
}

// isRequest reports whether m is a request or a notification that every JSON-RPC library
// reads.
func (m message) isRequest() bool {
	if m.repeated || jsonText(m.version) != "2.0" || jsonText(m.method) == "" {
		return false
	}
	if len(m.params) > 0 && m.params[0] != '{' && m.params[0] != '[' && string(m.params) != "null" {
		return false
	}
	return len(m.id) == 0 || m.id[0] == '"' || m.id[0] == '-' || '0' <= m.id[0] && m.id[0] <= '9'
}

// withParams returns a request or notification with empty params. The SDK panics on some
// that have none, in part while it holds a lock.
func (m message) withParams() []byte {
	id := m.id
	if len(id) > 0 {
		id = slices.Concat([]byte(`"id":`), id, []byte(`,`))
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0",`), id, []byte(`"method":`), m.method, []byte(`,"params":{}}`))
}

// members yields the members of a valid JSON object, each key as it is quoted. It yields
// nothing for another value.
func members(object []byte) func(yield func(key, value []byte) bool) {
	return func(yield func([]byte, []byte) bool) {
		s := jsonscan.Scanner{Text: object}
		s.Next()
		if s.Pos >= len(object) || object[s.Pos] != '{' {
			return
		}
		s.Pos++
		for s.More() {
			key := s.Value()
			if !yield(key, s.Value()) {
				return
			}
		}
	}
}

// spells reports whether a string literal stands for a name. It allocates only for a literal
// with escapes.
func spells(literal []byte, name string) bool {
	if bytes.IndexByte(literal, '\\') >= 0 {
		return jsonscan.Unquote(literal) == name
	}
	return len(literal) == len(name)+2 && string(literal[1:len(literal)-1]) == name
}

// member returns the value of the first member of that name of a valid JSON object, or
// nil.
func member(object []byte, name string) []byte {
	for key, value := range members(object) {
		if spells(key, name) {
			return value
		}
	}
	return nil
}

// elements yields the elements of a valid JSON array. It yields nothing for another value.
func elements(array []byte) func(yield func(value []byte) bool) {
	return func(yield func([]byte) bool) {
		s := jsonscan.Scanner{Text: array}
		s.Next()
		if s.Pos >= len(array) || array[s.Pos] != '[' {
			return
		}
		s.Pos++
		for s.More() {
			if !yield(s.Value()) {
				return
			}
		}
	}
}

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
