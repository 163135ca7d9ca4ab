package tooltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A shape holds the direct constraints of a JSON schema. Each one applies on its own,
// so an input that breaks it is refused whatever the rest of the schema says.
type shape struct {
	types      []string
	properties map[string]json.RawMessage
	required   []string
	closed     bool // no additional properties
	items      json.RawMessage
}

// shapeOf reads the constraints of a schema. It ignores references and combinations.
func shapeOf(schema json.RawMessage) shape {
	var s shape
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(schema, &fields) != nil {
		return s // the schema is true, false or missing
	}
	read := func(key string, into any) bool { return json.Unmarshal(fields[key], into) == nil }
	var one string
	if read("type", &one) {
		s.types = []string{one}
	} else if !read("type", &s.types) {
		s.types = nil
	}
	if !read("properties", &s.properties) {
		s.properties = nil
	}
	if !read("required", &s.required) {
		s.required = nil
	}
	_, patterns := fields["patternProperties"]
	s.closed = string(fields["additionalProperties"]) == "false" && !patterns
	s.items = fields["items"]
	return s
}

// mutate returns the mutations of a value at path that has this shape.
func (s shape) mutate(path string, value json.RawMessage) []mutation {
	switch {
	case bytes.HasPrefix(value, []byte("{")):
		return s.mutateObject(path, value)
	case bytes.HasPrefix(value, []byte("[")):
		return s.mutateArray(path, value)
	}
	return nil
}

// mutateArray mutates only the first item.
func (s shape) mutateArray(path string, value json.RawMessage) []mutation {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || len(items) == 0 || s.items == nil {
		return nil
	}
	item := shapeOf(s.items)
	all := item.mutate(path+"[0]", items[0])
	if wrong := item.wrongType(); wrong != "" {
		all = append(all, mutation{path + "[0] has the wrong type", wrong})
	}
	rest := items[1:]
	for i, m := range all {
		b := "[" + m.input
		for _, r := range rest {
			b += "," + string(r)
		}
		all[i].input = b + "]"
	}
	return all
}

func (s shape) mutateObject(path string, value json.RawMessage) []mutation {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(value, &fields) != nil {
		return nil
	}
	o := objectOf(fields)
	var all []mutation
	add := func(key, what string, mutated object) {
		all = append(all, mutation{path + "/" + key + " " + what, mutated.String()})
	}
	if s.closed {
		key := "unexpected"
		for s.properties[key] != nil || fields[key] != nil {
			key += "_"
		}
		add(key, "is no property of the schema", append(o, member{key, json.RawMessage("true")}))
	}
	for i, m := range o {
		if slices.Contains(s.required, m.key) {
			add(m.key, "is required and missing", slices.Delete(slices.Clone(o), i, i+1))
		}
		add(m.key, "stands there twice", append(o, m))
		schema, ok := s.properties[m.key]
		if !ok {
			continue
		}
		if v := otherCase(m.key); v != m.key && s.properties[v] == nil && fields[v] == nil {
			add(m.key, "is written "+v, o.with(i, member{v, m.value}))
			add(m.key, "stands there a second time, as "+v, append(o, member{v, m.value}))
		}
		property := shapeOf(schema)
		if wrong := property.wrongType(); wrong != "" {
			add(m.key, "has the wrong type", o.with(i, member{m.key, json.RawMessage(wrong)}))
		}
		for _, inner := range property.mutate(path+"/"+m.key, m.value) {
			all = append(all, mutation{inner.defect, o.with(i, member{m.key, json.RawMessage(inner.input)}).String()})
		}
	}
	return all
}

// wrongType returns a value of a type that s does not allow, or "" if s names no type
// or all types.
func (s shape) wrongType() string {
	if len(s.types) == 0 {
		return ""
	}
	for _, c := range []struct{ name, value string }{
		{"boolean", "true"}, {"string", `"text"`}, {"number", "0.5"}, {"array", "[]"}, {"object", "{}"}, {"null", "null"},
	} {
		if !slices.Contains(s.types, c.name) {
			return c.value
		}
	}
	return ""
}

// otherCase changes the case of the first letter of key that has two cases.
func otherCase(key string) string {
	for i, r := range key {
		other := unicode.ToUpper(r)
		if other == r {
			other = unicode.ToLower(r)
		}
		if variant := key[:i] + string(other) + key[i+utf8.RuneLen(r):]; other != r && strings.EqualFold(variant, key) {
			return variant
		}
	}
	return key
}

// A mutation is an input with a defect.
type mutation struct{ defect, input string }

// mutate returns the mutations of a valid input that the schema or the decoding of
// inputs must refuse.
func mutate(schema json.RawMessage, input string) []mutation {
	if strings.TrimSpace(input) == "" {
		input = "{}" // an empty input means the empty object
	}
	input = strings.TrimSpace(input)
	all := []mutation{
		{"the JSON is truncated", input[:len(input)-1]},
		{"something stands after the object", input + " {}"},
		{"an array stands in place of the object", "[" + input + "]"},
		{"null stands in place of the object", "null"},
	}
	return append(all, shapeOf(schema).mutate("", json.RawMessage(input))...)
}

// An object is a JSON object that may contain a key twice.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

// objectOf returns the fields ordered by key. The slice has no spare capacity, so
// that append copies it.
func objectOf(fields map[string]json.RawMessage) object {
	o := make(object, 0, len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		o = append(o, member{key, fields[key]})
	}
	return o
}

func (o object) with(i int, m member) object {
	o = slices.Clone(o)
	o[i] = m
	return o
}

func (o object) String() string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", quoteKey(m.key), m.value)
	}
	b.WriteByte('}')
	return b.String()
}

func quoteKey(key string) string {
	b, err := json.Marshal(key)
	if err != nil { // impossible for a string
		return `""`
	}
	return string(b)
}
