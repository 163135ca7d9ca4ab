package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// A Tree is a JSON object that is decoded to the last value, for code that changes
// nested values; an [Object] leaves its values encoded. It keeps the order of its
// members. A value is a *Tree, []any, string, [json.Number], bool or nil.
//
// The zero Tree is an empty object. A nil Tree can be read, as an empty object.
type Tree struct {
	members []treeMember
	index   map[string]int // of members, by name
}

type treeMember struct {
	name  string
	value any
}

var (
	// ErrInvalid means that a text is not JSON.
	ErrInvalid = errors.New("not valid JSON")
	// ErrTooDeep means that values nest too deeply.
	ErrTooDeep = errors.New("nested too deeply")
	// ErrRepeatedKey means that an object has a key twice.
	ErrRepeatedKey = errors.New("a key is repeated")
)

// Decode returns the JSON value in raw. Values may nest that many levels deep, where a
// number on its own is one level; 0 means as deep as encoding/json allows. The error is
// [ErrInvalid], [ErrTooDeep] or [ErrRepeatedKey], which is wrapped to name the key.
func Decode(raw []byte, levels int) (any, error) {
	if !json.Valid(raw) {
		return nil, ErrInvalid
	}
	if levels == 0 {
		levels = math.MaxInt
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return decodeValue(dec, levels)
}

func decodeValue(dec *json.Decoder, levels int) (any, error) {
	token, err := dec.Token()
	switch {
	case err != nil:
		return nil, ErrInvalid
	case levels == 0:
		return nil, ErrTooDeep
	case token == json.Delim('{'):
		return decodeTree(dec, levels-1)
	case token == json.Delim('['):
		return decodeList(dec, levels-1)
	}
	return token, nil
}

func decodeTree(dec *json.Decoder, levels int) (*Tree, error) {
	t := &Tree{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, ErrInvalid
		}
		name, _ := token.(string) // the decoder accepts nothing else here
		if t.Has(name) {
			return nil, fmt.Errorf("%w: %s", ErrRepeatedKey, Quote(name))
		}
		value, err := decodeValue(dec, levels)
		if err != nil {
			return nil, err
		}
		t.Set(name, value)
	}
	return t, skipBracket(dec)
}

func decodeList(dec *json.Decoder, levels int) ([]any, error) {
	list := []any{}
	for dec.More() {
		item, err := decodeValue(dec, levels)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, skipBracket(dec)
}

func skipBracket(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return ErrInvalid
	}
	return nil
}

// Len returns the number of members.
func (t *Tree) Len() int {
	if t == nil {
		return 0
	}
	return len(t.members)
}

// All yields the members in their order. A member whose value is replaced while All
// runs is yielded once. Members must not be added or removed meanwhile.
func (t *Tree) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i := range t.Len() {
			if m := t.members[i]; !yield(m.name, m.value) {
				return
			}
		}
	}
}

// Get returns the value of a member.
func (t *Tree) Get(name string) (value any, ok bool) {
	if t == nil {
		return nil, false
	}
	i, ok := t.index[name]
	if !ok {
		return nil, false
	}
	return t.members[i].value, true
}

// Has reports whether there is a member of that name.
func (t *Tree) Has(name string) bool {
	_, ok := t.Get(name)
	return ok
}

// Child returns the value of a member that is an object, or nil.
func (t *Tree) Child(name string) *Tree {
	v, _ := t.Get(name)
	child, _ := v.(*Tree)
	return child
}

// Text returns the value of a member that is a string, or "".
func (t *Tree) Text(name string) string {
	v, _ := t.Get(name)
	s, _ := v.(string)
	return s
}

// List returns the value of a member that is a list, or nil.
func (t *Tree) List(name string) []any {
	v, _ := t.Get(name)
	list, _ := v.([]any)
	return list
}

// Set replaces the value of a member in its place, or adds a member at the end.
func (t *Tree) Set(name string, value any) {
	if i, ok := t.index[name]; ok {
		t.members[i].value = value
		return
	}
	if t.index == nil {
		t.index = map[string]int{}
	}
	t.index[name] = len(t.members)
	t.members = append(t.members, treeMember{name, value})
}

// Without returns a copy of t without the named members. The values are shared.
func (t *Tree) Without(names ...string) *Tree {
	dropped := make(map[string]bool, len(names))
	for _, name := range names {
		dropped[name] = true
	}
	kept := &Tree{}
	for name, value := range t.All() {
		if !dropped[name] {
			kept.Set(name, value)
		}
	}
	return kept
}

// Delete removes a member, if there is one of that name.
func (t *Tree) Delete(name string) {
	if t.Has(name) {
		*t = *t.Without(name)
	}
}

// Find returns the value that a reference within t leads to: # alone, or # and a JSON
// pointer.
func (t *Tree) Find(ref string) (value any, ok bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	if pointer == "" {
		return t, true
	}
	steps, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	value = t
	for step := range strings.SplitSeq(steps, "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if value, ok = child(value, step); !ok {
			return nil, false
		}
	}
	return value, true
}

// child returns the value that one step of a JSON pointer leads to.
func child(parent any, step string) (value any, ok bool) {
	switch parent := parent.(type) {
	case *Tree:
		return parent.Get(step)
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(parent) {
			return parent[i], true
		}
	}
	return nil, false
}

// Encode returns the text of a value of a [Tree], without space.
func Encode(value any) json.RawMessage { return appendValue(nil, value) }

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case *Tree:
		b = append(b, '{')
		for name, value := range v.All() {
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(append(b, Quote(name)...), ':')
			b = appendValue(b, value)
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
		return append(b, Quote(v)...)
	case json.Number:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}
