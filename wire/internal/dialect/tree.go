package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	// maxBytes and maxLevels are what local validation compiles, and a little more.
	maxBytes  = 2 << 20
	maxLevels = 200
)

// An object is a JSON object in the order it was written. Values are objects,
// lists ([]any), strings, json.Number, bool and nil.
type object struct {
	members []member
	index   map[string]int
}

type member struct {
	name  string
	value any
}

func newObject() *object { return &object{index: map[string]int{}} }

// get returns the value of a member. A nil object has none.
func (o *object) get(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	i, ok := o.index[name]
	if !ok {
		return nil, false
	}
	return o.members[i].value, true
}

func (o *object) has(name string) bool { _, ok := o.get(name); return ok }

// child returns the member that is an object, or nil.
func (o *object) child(name string) *object {
	v, _ := o.get(name)
	c, _ := v.(*object)
	return c
}

// text returns the member that is a string, or "".
func (o *object) text(name string) string {
	v, _ := o.get(name)
	s, _ := v.(string)
	return s
}

// list returns the member that is a list, or nil.
func (o *object) list(name string) []any {
	v, _ := o.get(name)
	l, _ := v.([]any)
	return l
}

func (o *object) set(name string, value any) {
	if i, ok := o.index[name]; ok {
		o.members[i].value = value
		return
	}
	o.index[name] = len(o.members)
	o.members = append(o.members, member{name, value})
}

// without returns a copy of o that lacks some members.
func (o *object) without(names ...string) *object {
	drop := make(map[string]bool, len(names))
	for _, name := range names {
		drop[name] = true
	}
	kept := newObject()
	if o == nil {
		return kept
	}
	for _, m := range o.members {
		if !drop[m.name] {
			kept.set(m.name, m.value)
		}
	}
	return kept
}

// decode reads a document.
func decode(raw json.RawMessage) (*object, error) {
	if len(raw) > maxBytes {
		return nil, &RefusalError{Reason: "the schema is too large"}
	}
	if !json.Valid(raw) {
		return nil, &RefusalError{Reason: "the schema is not JSON"}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := decodeValue(dec, maxLevels)
	if err != nil {
		return nil, err
	}
	o, ok := v.(*object)
	if !ok {
		return nil, &RefusalError{Reason: "the schema is not a JSON object"}
	}
	return o, nil
}

func decodeValue(dec *json.Decoder, levels int) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, &RefusalError{Reason: "the schema is not JSON"}
	}
	if levels == 0 {
		return nil, &RefusalError{Reason: "the schema is nested too deeply"}
	}
	switch token {
	case json.Delim('{'):
		return decodeObject(dec, levels-1)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			item, err := decodeValue(dec, levels-1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := dec.Token()
		return list, noEOF(err)
	}
	return token, nil
}

func decodeObject(dec *json.Decoder, levels int) (*object, error) {
	o := newObject()
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		text, _ := name.(string) // the decoder takes nothing else here
		if o.has(text) {
			return nil, &RefusalError{Reason: "the schema repeats a key in an object"}
		}
		value, err := decodeValue(dec, levels)
		if err != nil {
			return nil, err
		}
		o.set(text, value)
	}
	_, err := dec.Token()
	return o, noEOF(err)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// encode returns the text of a value, without space.
func encode(v any) json.RawMessage { return appendValue(nil, v) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, jsonobject.Quote(m.name)...)
			b = append(b, ':')
			b = appendValue(b, m.value)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case string:
		return append(b, jsonobject.Quote(v)...)
	case json.Number:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}

// find returns what a reference inside a document leads to: # or a JSON pointer
// after it.
func (o *object) find(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil, false
	}
	if pointer == "" {
		return o, true
	}
	steps, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	var at any = o
	for step := range strings.SplitSeq(steps, "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case *object:
			at, ok = v.get(step)
		case []any:
			i, err := strconv.Atoi(step)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				at = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return at, true
}

// names returns the strings of a list, each once, in their order.
func names(list []any) (all []string) {
	seen := map[string]bool{}
	for _, v := range list {
		if s, ok := v.(string); ok && !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}

// values is the list of some strings.
func values(all []string) []any {
	list := make([]any, len(all))
	for i, s := range all {
		list[i] = s
	}
	return list
}
