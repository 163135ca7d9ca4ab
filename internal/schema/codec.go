package schema

import (
	"encoding/json"
	"reflect"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A Codec turns JSON that the schema of a Go type accepts into JSON that encoding/json
// decodes into the type: it adds the defaults of absent properties, and writes durations as
// numbers of nanoseconds.
type Codec struct {
	root    *shape
	changes bool // a shape under root has a default or is a duration
}

// A shape holds the parts of a type that a Codec has to know. A nil shape has none.
type shape struct {
	leaf     reflect.Type // a type that decodes itself; the other fields are then unused
	duration durationForm
	fields   map[string]*shape // of a struct, by property
	element  *shape            // of a list or map
	defaults []defaultMember   // of a struct
}

// A durationForm says how encoding/json reads a duration.
type durationForm int

const (
	noDuration durationForm = iota
	plainDuration
	quotedDuration // the tag of the field has the option string
)

// A defaultMember is a property that has a default.
type defaultMember struct {
	name string
	text json.RawMessage
}

// CodecOf returns the Codec of a type that Reflect accepts.
func CodecOf(t reflect.Type) *Codec {
	c := &Codec{}
	c.root = c.shape(t, map[reflect.Type]*shape{})
	return c
}

func (c *Codec) shape(t reflect.Type, known map[reflect.Type]*shape) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := known[t]; ok {
		return s
	}
	switch d := decoderOf(t); {
	case d == decodesDuration:
		c.changes = true
		return &shape{duration: plainDuration}
	case d != decodesPlain, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return &shape{leaf: t}
	}
	switch t.Kind() {
	case reflect.Struct:
		s := &shape{fields: map[string]*shape{}}
		known[t] = s
		for _, f := range fieldsOf(t) {
			inner := c.shape(f.Type, known)
			if inner != nil && inner.duration == plainDuration && f.quoted() {
				inner.duration = quotedDuration
			}
			s.fields[f.name] = inner
			if text := defaultOf(f.StructField, f.quoted()); text != nil {
				s.defaults = append(s.defaults, defaultMember{name: f.name, text: text})
				c.changes = true
			}
		}
		return s
	case reflect.Map, reflect.Slice, reflect.Array:
		s := &shape{}
		known[t] = s
		s.element = c.shape(t.Elem(), known)
		return s
	}
	return nil
}

// Decode returns the text with the defaults of absent properties and with durations as
// encoding/json decodes them. It returns the text itself if the type has neither. The error
// names the property whose text is no duration.
func (c *Codec) Decode(text []byte) ([]byte, error) {
	if !c.changes {
		return text, nil
	}
	r := rewriter{in: jsonscan.Scanner{Text: text}}
	r.value(c.root, nil)
	return r.out, r.err
}

// Encode turns JSON that encoding/json has encoded for the type into JSON that the schema
// accepts. It adds no defaults.
func (c *Codec) Encode(text []byte) ([]byte, error) {
	if !c.changes {
		return text, nil
	}
	r := rewriter{in: jsonscan.Scanner{Text: text}, encodes: true}
	r.value(c.root, nil)
	return r.out, r.err
}

// Fault returns the path of the first value in a text that its type refuses to decode, and
// the error of the type. It looks only at types that decode themselves, of whose errors
// encoding/json does not give the path, and at base64.
func (c *Codec) Fault(text []byte) (path string, err error) {
	r := rewriter{in: jsonscan.Scanner{Text: text}, encodes: true, tries: true}
	r.value(c.root, nil)
	return r.path, r.err
}
