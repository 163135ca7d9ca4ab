package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// defaultOf returns the JSON text of the default that the tag of a field sets. It returns
// nil if the tag sets no default, or if the type cannot have one.
func defaultOf(f reflect.StructField, quoted bool) json.RawMessage {
	var values []string
	for _, k := range keywordsOf(f.Tag) {
		if k.name == "default" {
			values = append(values, k.value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	t := f.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if decoderOf(t) == decodesPlain && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() != reflect.Uint8 {
		list := make([]json.RawMessage, len(values))
		for i, value := range values {
			if list[i] = scalarText(t.Elem(), value); list[i] == nil {
				return nil
			}
		}
		return jsonobject.List(list)
	}
	if quoted {
		return jsonobject.Quote(values[0])
	}
	return scalarText(t, values[0])
}

// scalarText returns the JSON text of a string, number or boolean of a type. It returns nil
// if the value is not of the type.
func scalarText(t reflect.Type, value string) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	text := json.RawMessage(value)
	switch d := decoderOf(t); {
	case d == decodesText, d == decodesTime, d == decodesDuration:
		return jsonobject.Quote(value)
	case d == decodesNumber && isNumber(value):
		return text
	case d != decodesPlain:
		return nil
	}
	switch k := t.Kind(); {
	case k == reflect.String, k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return jsonobject.Quote(value)
	case k == reflect.Bool:
		if _, err := strconv.ParseBool(value); err == nil && json.Valid(text) && !isNumber(value) {
			return text
		}
	case reflect.Int <= k && k <= reflect.Float64 && isNumber(value):
		return text
	}
	return nil
}

// setDefault writes the default of a field into the schema of its property, and checks that
// the property and the field accept it.
func setDefault(f field, property *jsonobject.Tree, definitions *jsonobject.Tree) error {
	text := defaultOf(f.StructField, f.quoted())
	if text == nil {
		if property.Has("default") && slices.ContainsFunc(keywordsOf(f.Tag), func(k keyword) bool { return k.name == "default" }) {
			return fmt.Errorf("the tag jsonschema: the default is no value of type %s", f.Type)
		}
		return nil
	}
	value, err := jsonobject.Decode(text, 0)
	if err != nil {
		return fmt.Errorf("the default %s is no JSON", text)
	}
	if hasWord(f.Tag, "required") {
		return errors.New("the tag jsonschema: required and default exclude each other; leave one out")
	}
	valueSchema(f.Tag, property).Set("default", value)
	if err := acceptsDefault(property, definitions, value); err != nil {
		return err
	}
	return decodesDefault(f, text)
}

// acceptsDefault returns an error if the schema of a property refuses its default.
func acceptsDefault(property, definitions *jsonobject.Tree, value any) error {
	properties, document := &jsonobject.Tree{}, &jsonobject.Tree{}
	properties.Set("default", property)
	document.Set("properties", properties)
	if definitions != nil {
		document.Set(definitionsKey, definitions)
	}
	s, err := Compile(jsonobject.Encode(document))
	if err != nil {
		return err
	}
	if err := s.Validate(map[string]any{"default": value}); err != nil {
		return fmt.Errorf("the tag jsonschema: the schema of the property refuses its %w", err)
	}
	return nil
}

// decodesDefault returns an error if the field cannot hold its default.
func decodesDefault(f field, text json.RawMessage) error {
	tag := `json:"v"`
	if f.quoted() {
		tag = `json:"v,string"`
	}
	holder := reflect.StructOf([]reflect.StructField{{Name: "V", Type: f.Type, Tag: reflect.StructTag(tag)}})
	object, err := CodecOf(holder).Decode(jsonobject.With("v", text).Encode())
	if err == nil {
		err = json.Unmarshal(object, reflect.New(holder).Interface())
	}
	if err != nil {
		return fmt.Errorf("the tag jsonschema: the default %s does not fit into %s", text, f.Type)
	}
	return nil
}

var (
	durationType      = reflect.TypeFor[time.Duration]()
	timeType          = reflect.TypeFor[time.Time]()
	numberType        = reflect.TypeFor[json.Number]()
	rawType           = reflect.TypeFor[json.RawMessage]()
	jsonDecoderType   = reflect.TypeFor[json.Unmarshaler]()
	textDecoderType   = reflect.TypeFor[encoding.TextUnmarshaler]()
	selfDescribedType = reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()
	aliasedType       = reflect.TypeFor[interface{ JSONSchemaAlias() any }]()
)

// A decoder is the way in which encoding/json decodes a type.
type decoder int

const (
	decodesPlain    decoder = iota // by its kind
	decodesSelf                    // unknown; the type provides its schema
	decodesTime                    // in the form that the library knows
	decodesDuration                // from a number of nanoseconds; a Codec makes it of a string
	decodesNumber                  // from the text of a number
	decodesText                    // from a string
	decodesJSON                    // from any value
)

func decoderOf(t reflect.Type) decoder {
	p := reflect.PointerTo(t)
	switch {
	case t == timeType:
		return decodesTime
	case t == durationType:
		return decodesDuration
	case t == numberType:
		return decodesNumber
	case t == rawType:
		return decodesJSON
	case t.Implements(selfDescribedType), t.Implements(aliasedType):
		return decodesSelf
	case t.Kind() == reflect.Interface:
		return decodesPlain
	case p.Implements(jsonDecoderType):
		return decodesJSON
	case p.Implements(textDecoderType):
		return decodesText
	default:
		return decodesPlain
	}
}
