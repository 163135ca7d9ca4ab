package gemini

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// arguments is the object that streamed arguments add up to.
type arguments struct {
	root       value
	unfinished int // number of strings of which more follows
	values     int // number of values
}

// value is a JSON value that grows.
type value struct {
	kind    valueKind
	text    []byte // of a string its text so far, of another scalar its JSON
	open    bool   // more of the string follows
	names   []string
	members map[string]*value
	items   []*value
}

type valueKind int

const (
	unset  valueKind = iota
	scalar           // except a string
	text
	object
	array
)

func (a *arguments) started() bool { return a.root.kind != unset }

// take adds a list of pieces, each of which is a value, or part of a string, and the
// path where it belongs.
func (a *arguments) take(list json.RawMessage) error {
	var pieces []argumentPiece
	if err := json.Unmarshal(list, &pieces); err != nil {
		return fmt.Errorf("partialArgs: %w", err)
	}
	for _, p := range pieces {
		if p.JSONPath == nil {
			return fmt.Errorf("a piece of an argument has no jsonPath")
		}
		path, err := parsePath(*p.JSONPath)
		if err != nil {
			return fmt.Errorf("jsonPath %q: %w", *p.JSONPath, err)
		}
		whole, err := p.whole()
		if err != nil {
			return fmt.Errorf("jsonPath %q: %w", *p.JSONPath, err)
		}
		if p.StringValue == nil && whole == nil {
			// The piece only says whether more follows.
			if p.StringValue = a.rest(path); p.StringValue == nil || p.WillContinue {
				continue
			}
		}
		if err := a.set(path, p.StringValue, whole, p.WillContinue); err != nil {
			return fmt.Errorf("jsonPath %q: %w", *p.JSONPath, err)
		}
	}
	return nil
}

// An argumentPiece is a value or part of a string, and where it belongs.
type argumentPiece struct {
	JSONPath     *string
	StringValue  *string
	NumberValue  json.RawMessage
	BoolValue    *bool
	NullValue    json.RawMessage
	WillContinue bool
}

// whole returns the value of the piece if it is no string, or nil. It fails if the piece
// has several values. A member that is null counts as absent, except for nullValue if it
// is the only one.
func (p *argumentPiece) whole() (v json.RawMessage, err error) {
	values := 0
	if p.StringValue != nil {
		values++
	}
	if p.NumberValue != nil && string(p.NumberValue) != "null" {
		var number json.Number
		if p.NumberValue[0] == '"' || json.Unmarshal(p.NumberValue, &number) != nil {
			return nil, fmt.Errorf("%s is not a number", p.NumberValue)
		}
		values, v = values+1, p.NumberValue
	}
	if p.BoolValue != nil {
		values, v = values+1, strconv.AppendBool(nil, *p.BoolValue)
	}
	if p.NullValue != nil && (values == 0 || string(p.NullValue) != "null") {
		values, v = values+1, json.RawMessage("null")
	}
	if values > 1 {
		return nil, fmt.Errorf("it has several values at once")
	}
	return v, nil
}

// rest returns an empty string to end the open string at path, or nil if no string is
// open there.
func (a *arguments) rest(path []step) *string {
	v := &a.root
	for _, s := range path {
		switch {
		case !s.isIndex:
			v = v.members[s.name]
		case s.index < len(v.items):
			v = v.items[s.index]
		default:
			return nil
		}
		if v == nil {
			return nil
		}
	}
	if !v.open {
		return nil
	}
	return new(string)
}

// set sets the value at path, or adds to it if it is an open string.
func (a *arguments) set(path []step, piece *string, whole json.RawMessage, more bool) error {
	v := &a.root
	for _, s := range path {
		var err error
		if v, err = a.descend(v, s); err != nil {
			return err
		}
	}
	switch {
	case piece == nil && v.kind == unset:
		v.kind, v.text = scalar, whole
		return nil
	case piece == nil || v.kind != unset && !v.open:
		return fmt.Errorf("it has a value already")
	}
	if v.open {
		a.unfinished--
	}
	if more {
		a.unfinished++
	}
	v.kind, v.text, v.open = text, append(v.text, *piece...), more
	return nil
}

// descend returns the value one step below v, which may be new.
func (a *arguments) descend(v *value, s step) (*value, error) {
	if a.values > maxParts {
		return nil, fmt.Errorf("the call has more than %d values", maxParts)
	}
	want := object
	if s.isIndex {
		want = array
	}
	if v.kind == unset {
		v.kind = want
	}
	if v.kind != want {
		return nil, fmt.Errorf("it has a value of another type already")
	}
	if s.isIndex {
		if s.index > len(v.items) {
			return nil, fmt.Errorf("the elements before it did not come")
		}
		if s.index == len(v.items) {
			a.values++
			v.items = append(v.items, &value{})
		}
		return v.items[s.index], nil
	}
	if v.members == nil {
		v.members = map[string]*value{}
	}
	child, ok := v.members[s.name]
	if !ok {
		a.values++
		child = &value{}
		v.names, v.members[s.name] = append(v.names, s.name), child
	}
	return child, nil
}

// encode returns the object, its members in the order in which they began.
func (a *arguments) encode() json.RawMessage {
	if !a.started() {
		return json.RawMessage("{}")
	}
	return a.root.append(nil)
}

func (v *value) append(b []byte) []byte {
	switch v.kind {
	case text:
		return append(b, jsonobject.Quote(string(v.text))...)
	case array:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i, name := range v.names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, jsonobject.Quote(name)...), ':')
			b = v.members[name].append(b)
		}
		return append(b, '}')
	case unset: // the call broke off here
		return append(b, "null"...)
	}
	return append(b, v.text...)
}
