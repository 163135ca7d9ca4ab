package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Reflect returns the canonical schema of t, the input of a tool: a struct, a map, or a
// pointer to one. The schema accepts values that encoding/json decodes into t, according to
// the tags of the fields:
//
//   - Properties have the order of the fields, with embedded structs flattened. Structs
//     accept no other properties.
//   - A field is required unless it is a pointer, tagged omitempty or omitzero, or has a
//     default.
//   - The tags jsonschema and jsonschema_description add keywords, as
//     github.com/invopop/jsonschema documents. A part of a tag that has no meaning is an
//     error.
//   - A time.Duration is a string such as "1m30s", which a [Codec] decodes.
//   - A type with UnmarshalText is a string, one with UnmarshalJSON accepts any value, and
//     one with the methods of invopop/jsonschema has the schema that they return.
//   - Only recursive types have references.
//
// A field that encoding/json cannot decode is an error that names it.
func Reflect(t reflect.Type) (json.RawMessage, error) {
	if t == nil {
		return nil, errNoObject
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if k := t.Kind(); k != reflect.Struct && k != reflect.Map || t == timeType {
		return nil, fmt.Errorf("%w, not %s", errNoObject, t)
	}
	if err := checkType(t); err != nil {
		return nil, err
	}
	names := newTypeNames()
	var raw []byte
	// Methods of the types run here, and the library panics on types that it does not know.
	err := goroutine.Try(func() (err error) {
		raw, err = json.Marshal(reflector(names).ReflectFromType(t))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	v, err := jsonobject.Decode(raw, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	document, ok := v.(*jsonobject.Tree)
	if !ok {
		return nil, fmt.Errorf("%s: the schema is no object", t)
	}
	if err := refine(document, names); err != nil {
		return nil, err
	}
	return strictjson.Canonical(jsonobject.Encode(document))
}

var errNoObject = errors.New("a tool's input must be a struct or a map")

func reflector(names *typeNames) *jsonschema.Reflector {
	return &jsonschema.Reflector{
		Anonymous:        true,
		Namer:            names.of,
		Mapper:           selfDecoding,
		AdditionalFields: overrides,
	}
}

// selfDecoding returns the schema of a type that decodes itself, or nil for other types.
func selfDecoding(t reflect.Type) *jsonschema.Schema {
	switch decoderOf(t) {
	case decodesNumber:
		return &jsonschema.Schema{Type: "number"}
	case decodesDuration:
		return &jsonschema.Schema{Type: "string", Description: durationText}
	case decodesText:
		return &jsonschema.Schema{Type: "string"}
	case decodesJSON:
		return &jsonschema.Schema{}
	default:
		return nil
	}
}

// overrides returns replacements for the fields of t that the library would reflect in
// another way than encoding/json decodes them. The library reflects them after the others.
func overrides(t reflect.Type) []reflect.StructField {
	if decoderOf(t) != decodesPlain {
		return nil
	}
	var all []reflect.StructField
	for _, f := range fieldsOf(t) {
		if replaced, ok := f.override(); ok {
			all = append(all, replaced)
		}
	}
	return all
}
