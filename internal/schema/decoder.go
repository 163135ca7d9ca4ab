package schema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"

	"github.com/invopop/jsonschema"
)

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
