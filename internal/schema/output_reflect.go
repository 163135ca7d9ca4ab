package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// ReflectOutput returns the canonical schema of the JSON that encoding/json makes of values
// of t: a struct, a map, or a pointer to one. It returns nil for any other type, for one
// that encodes itself, and for one that has no JSON form.
//
// The schema accepts the JSON of every value of t but nil. It states only guarantees of the
// encoder: it takes nothing but descriptions from the tags jsonschema and jsonschema_description.
//
//   - Properties have the order of the fields, with embedded structs flattened. Structs have
//     no other properties.
//   - A property is required unless its tag says omitempty or omitzero, or its struct is
//     embedded by a pointer.
//   - A slice, map or pointer may be null, unless its tag leaves out the property then.
//   - A type with MarshalText is a string, one with MarshalJSON any value.
//   - Named types that occur more than once are definitions.
func ReflectOutput(t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if k := t.Kind(); k != reflect.Struct && k != reflect.Map || encodesItself(t) || CheckOutput(t) != nil {
		return nil
	}
	r := outputReflector{uses: map[reflect.Type]int{}, names: newTypeNames(), definitions: &jsonobject.Tree{}}
	if !r.count(t) {
		return nil
	}
	root := r.body(t)
	if r.definitions.Len() > 0 {
		root.Set(definitionsKey, r.definitions)
	}
	text, err := strictjson.Canonical(jsonobject.Encode(root))
	if err != nil {
		return nil // it nests deeper than a schema may
	}
	return text
}

// An outputReflector makes the schema of one type.
type outputReflector struct {
	uses        map[reflect.Type]int // how often each named type occurs
	names       *typeNames
	definitions *jsonobject.Tree
}

// count counts the types in t. It reports whether all of them can be described.
func (r *outputReflector) count(t reflect.Type) bool {
	r.uses[t]++
	switch {
	case encodesItself(t) || !isComposite(t):
		return true
	case t.Kind() == reflect.Pointer && t.Name() != "":
		return false // it may point to itself
	case r.uses[t] > 1 && t.Name() != "":
		return r.names.of(t) != ""
	case t.Kind() != reflect.Struct:
		return r.count(t.Elem())
	case embedsItself(t):
		return false
	}
	return !slices.ContainsFunc(encodedFieldsOf(t), func(f field) bool { return f.hasOddName() || !r.count(f.Type) })
}

func isComposite(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return true
	}
	return false
}

// value returns the schema of a value of t, which may be nil.
func (r *outputReflector) value(t reflect.Type) *jsonobject.Tree {
	s := r.present(t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return nullable(s)
	}
	return s
}

// present returns the schema of a value of t that is not nil.
func (r *outputReflector) present(t reflect.Type) *jsonobject.Tree {
	if encodesItself(t) || !isComposite(t) || t.Name() == "" || r.uses[t] < 2 {
		return r.body(t)
	}
	name := r.names.of(t)
	if !r.definitions.Has(name) {
		r.definitions.Set(name, nil) // it may refer to itself
		r.definitions.Set(name, r.body(t))
	}
	return keywordOf("$ref", refPrefix+name)
}

// body returns the schema of a value of t that is not nil, without a reference to it.
func (r *outputReflector) body(t reflect.Type) *jsonobject.Tree {
	switch k := t.Kind(); {
	case encodesItself(t):
		return selfEncoded(t)
	case t == numberType, k == reflect.Float32, k == reflect.Float64:
		return keywordOf("type", "number")
	case k == reflect.Bool:
		return keywordOf("type", "boolean")
	case k == reflect.String:
		return keywordOf("type", "string")
	case reflect.Int <= k && k <= reflect.Uintptr:
		return keywordOf("type", "integer")
	case k == reflect.Pointer:
		return r.value(t.Elem())
	case k == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !encodesItself(t.Elem()):
		return keywordOf("type", "string") // base64
	case k == reflect.Slice, k == reflect.Array:
		s := keywordOf("type", "array")
		s.Set("items", r.value(t.Elem()))
		return s
	case k == reflect.Map:
		s := keywordOf("type", "object")
		s.Set("additionalProperties", r.value(t.Elem()))
		return s
	case k == reflect.Struct:
		return r.object(t)
	}
	return &jsonobject.Tree{} // an interface
}

// object returns the schema of a struct.
func (r *outputReflector) object(t reflect.Type) *jsonobject.Tree {
	properties, required := &jsonobject.Tree{}, []any{}
	for _, f := range encodedFieldsOf(t) {
		properties.Set(f.name, r.property(f))
		if !f.omitted() {
			required = append(required, f.name)
		}
	}
	s := keywordOf("type", "object")
	s.Set("properties", properties)
	if len(required) > 0 {
		s.Set("required", required)
	}
	s.Set("additionalProperties", false)
	return s
}

// property returns the schema of a field, with the description in its tags.
func (r *outputReflector) property(f field) *jsonobject.Tree {
	var s *jsonobject.Tree
	switch quotes, pointer := f.encodesQuoted(); {
	case quotes && pointer && !f.omitsNil():
		s = nullable(keywordOf("type", "string"))
	case quotes:
		s = keywordOf("type", "string")
	case f.omitsNil():
		s = r.present(f.Type)
	default:
		s = r.value(f.Type)
	}
	text := f.Tag.Get("jsonschema_description")
	for _, k := range keywordsOf(f.Tag) {
		if k.name == "description" && text == "" {
			text = k.value
		}
	}
	if text != "" {
		s.Set("description", text)
	} else if f.Type == durationType && !s.Has("description") {
		s.Set("description", "Nanoseconds")
	}
	return s
}

// selfEncoded returns the schema of a type that encodes itself. A method of the pointer
// alone is not called for values that have no address.
func selfEncoded(t reflect.Type) *jsonobject.Tree {
	switch {
	case t == timeType:
		s := keywordOf("type", "string")
		s.Set("format", "date-time")
		return s
	case t.Implements(jsonEncoderType), reflect.PointerTo(t).Implements(jsonEncoderType), !t.Implements(textEncoderType), t.Kind() == reflect.Interface:
		return &jsonobject.Tree{}
	}
	return keywordOf("type", "string")
}

// nullable returns a schema that also accepts null.
func nullable(s *jsonobject.Tree) *jsonobject.Tree {
	switch kind, _ := s.Get("type"); kind := kind.(type) {
	case string:
		s.Set("type", []any{kind, "null"})
	case nil:
		if s.Has("$ref") {
			either := &jsonobject.Tree{}
			either.Set("anyOf", []any{s, keywordOf("type", "null")})
			return either
		}
	}
	return s
}

// keywordOf returns a schema of one keyword.
func keywordOf(name string, value any) *jsonobject.Tree {
	s := &jsonobject.Tree{}
	s.Set(name, value)
	return s
}

// encodesQuoted reports whether encoding/json writes the field as a string because of its
// tag, and whether the field is a pointer.
func (f field) encodesQuoted() (quotes, pointer bool) {
	t := f.Type
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t, pointer = t.Elem(), true
	}
	k := t.Kind()
	return f.quoted() && !encodesItself(t) && (k == reflect.String || reflect.Bool <= k && k <= reflect.Float64), pointer
}

// omitted reports whether encoding/json may leave out the field.
func (f field) omitted() bool {
	return f.embedded || f.hasOption("omitempty") || f.hasOption("omitzero")
}

// hasOddName reports whether the tag has a name that releases of encoding/json read in
// different ways.
func (f field) hasOddName() bool { return strings.ContainsAny(f.name, "\\\"'`,") }

// omitsNil reports whether encoding/json leaves out the field if it is nil.
func (f field) omitsNil() bool {
	if f.hasOption("omitempty") {
		return true
	}
	_, own := reflect.PointerTo(f.Type).MethodByName("IsZero")
	return f.hasOption("omitzero") && !own
}
