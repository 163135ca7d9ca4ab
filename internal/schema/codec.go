package schema

import (
	"encoding/json"
	"reflect"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A Codec turns JSON that the schema of a Go type accepts into JSON that encoding/json
// decodes into the type: it adds the defaults of absent properties.
type Codec struct {
	root    *shape
	changes bool // a shape under root has a default
}

// A shape holds the parts of a type that a Codec has to know. A nil shape has none.
type shape struct {
	fields   map[string]*shape // of a struct, by property
	element  *shape            // of a list or map
	defaults []defaultMember   // of a struct
}

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
	if decoderOf(t) != decodesPlain {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		s := &shape{fields: map[string]*shape{}}
		known[t] = s
		for _, f := range fieldsOf(t) {
			s.fields[f.name] = c.shape(f.Type, known)
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

// Decode returns the text with the defaults of absent properties. It returns the text itself
// if the type has no defaults.
func (c *Codec) Decode(text []byte) ([]byte, error) {
	if !c.changes {
		return text, nil
	}
	w := rewriter{in: jsonscan.Scanner{Text: text}}
	w.value(c.root)
	return w.out, nil
}

// A rewriter writes a valid JSON text anew.
type rewriter struct {
	in  jsonscan.Scanner
	out []byte
}

func (w *rewriter) value(s *shape) {
	w.in.Next()
	switch first := w.in.Text[w.in.Pos]; {
	case s != nil && first == '{':
		w.object(s)
	case s != nil && s.element != nil && first == '[':
		w.list(s)
	default:
		w.out = append(w.out, w.in.Value()...)
	}
}

func (w *rewriter) list(s *shape) {
	w.bracket('[')
	for first := true; w.in.More(); first = false {
		w.comma(first)
		w.value(s.element)
	}
	w.bracket(']')
}

func (w *rewriter) object(s *shape) {
	w.bracket('{')
	given := map[string]bool{}
	for w.in.More() {
		literal := w.in.Value()
		w.comma(len(given) == 0)
		w.out = append(append(w.out, literal...), ':')
		key := jsonscan.Unquote(literal)
		given[key] = true
		if s.fields != nil {
			w.value(s.fields[key])
		} else {
			w.value(s.element)
		}
	}
	for _, d := range s.defaults {
		if given[d.name] {
			continue
		}
		w.comma(len(given) == 0)
		given[d.name] = true
		w.out = append(append(w.out, jsonobject.Quote(d.name)...), ':')
		w.out = append(w.out, d.text...)
	}
	w.bracket('}')
}

// bracket steps over a bracket and writes it.
func (w *rewriter) bracket(b byte) {
	w.in.Pos++
	w.out = append(w.out, b)
}

func (w *rewriter) comma(first bool) {
	if !first {
		w.out = append(w.out, ',')
	}
}
