package schema_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

// structWith returns a struct with one field F. Linters refuse the tags of these tests.
func structWith(of any, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(of), Tag: reflect.StructTag(tag)}})
}

func TestKeywordsThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   any
		tag  string
		want string
	}{
		{name: "text after a comma", of: "", tag: `jsonschema:"description=Where to look, or nothing"`,
			want: `F: the tag jsonschema: " or nothing" is no keyword; a comma inside a text is written \\, and the tag jsonschema_description:"…" takes any text`},
		{name: "text with = after a comma", of: "", tag: `jsonschema:"description=Where,a=b"`, want: `"a=b" is no keyword; a comma`},
		{name: "unknown", of: "", tag: `jsonschema:"foo=bar"`, want: `"foo=bar" is no keyword`},
		{name: "misspelt", of: "", tag: `jsonschema:"minlength=1"`, want: "did you mean minLength=1?"},
		{name: "space before", of: 0, tag: `jsonschema:"maximum=2, minimum=1"`, want: `" minimum" begins or ends with a space; write minimum=1`},
		{name: "empty part", of: 0, tag: `jsonschema:"minimum=1,"`, want: `"" is no keyword`},
		{name: "no value", of: 0, tag: `jsonschema:"minimum"`, want: "minimum wants a number: minimum=1"},
		{name: "description without text", of: 0, tag: `jsonschema:"description"`, want: "description wants a value: description=…"},
		{name: "no number", of: 0, tag: `jsonschema:"minimum=abc"`, want: "minimum=abc wants a number: minimum=1"},
		{name: "no JSON number", of: 0.5, tag: `jsonschema:"maximum=0x10"`, want: "maximum=0x10 wants a number"},
		{name: "negative length", of: "", tag: `jsonschema:"minLength=-1"`, want: "minLength=-1 wants a whole number: minLength=1"},
		{name: "uniqueItems=false, which the library takes for true", of: []int{}, tag: `jsonschema:"uniqueItems=false"`, want: "uniqueItems=true"},
		{name: "required=true", of: 0, tag: `jsonschema:"required=true"`, want: "required=true wants no value: required"},
		{name: "twice", of: 0, tag: `jsonschema:"minimum=1,minimum=2"`, want: "minimum is given twice"},
		{name: "another type's", of: 0, tag: `jsonschema:"minLength=1"`, want: "minLength=1 has no meaning for a property of type integer; it can have minimum, maximum,"},
		{name: "another type's, of items", of: []string{}, tag: `jsonschema:"minimum=1"`, want: "minimum=1 has no meaning for a property of type array"},
		{name: "of a struct", of: plainInput{}, tag: `jsonschema:"minLength=1"`, want: "minLength=1 has no meaning for a property of any type or of a struct"},
		{name: "enum of another type", of: 0, tag: `jsonschema:"enum=1,enum=b"`, want: "enum=1 has no meaning for a property of type integer"},
		{name: "enum with bars", of: "", tag: `jsonschema:"minLength=1,enum=a|b|c"`, want: "F: the tag jsonschema: enum=a|b|c is a single value; write enum=a,enum=b,enum=c"},
		{name: "enum with bars, of items", of: []string{}, tag: `jsonschema:"enum=a|b\\,c"`, want: `write enum=a,enum=b\\,c`},
		{name: "enum of a boolean", of: true, tag: `jsonschema:"enum=true"`, want: "it can have default"},
		{name: "tag description", of: "", tag: `json:"f" description:"Where."`, want: `F: the tag description:"…" has no meaning; write jsonschema_description:"Where."`},
		{name: "tag default", of: 0, tag: `json:"f" default:"5"`, want: `the tag default:"…" has no meaning; write jsonschema:"default=5"`},
		{name: "misspelt tag", of: "", tag: `jsonschema_desc:"Where."`, want: "the tag jsonschema_desc has no meaning; write jsonschema or jsonschema_description"},
		{name: "malformed tag", of: "", tag: `json:f`, want: "malformed"},
		{name: "malformed tag after another", of: "", tag: `json:"f", jsonschema:"minLength=1"`, want: "malformed"},
		{name: "extras", of: "", tag: `jsonschema_extras:"a=b,c"`, want: `jsonschema_extras: "c" is no keyword=value`},

		{name: "default of another type", of: 0, tag: `jsonschema:"default=abc"`, want: "default=abc has no meaning for a property of type integer"},
		{name: "default with a fraction", of: 0, tag: `jsonschema:"default=1.5"`, want: "the schema of the property refuses its default: got number 1.5"},
		{name: "default out of bounds", of: 0, tag: `jsonschema:"maximum=3,default=5"`, want: "the schema of the property refuses its default: 5 is too large"},
		{name: "default not listed", of: "", tag: `jsonschema:"enum=a,default=b"`, want: "refuses its default"},
		{name: "default too large for the type", of: int8(0), tag: `jsonschema:"default=300"`, want: "the default 300 does not fit into int8"},
		{name: "default of a struct", of: plainInput{}, tag: `jsonschema:"default=a"`, want: "default=a has no meaning"},
		{name: "default of a map", of: map[string]int{}, tag: `jsonschema:"default=a"`, want: "default=a has no meaning"},
		{name: "default of a type that describes itself", of: selfMade{}, tag: `jsonschema:"default=a"`, want: "default=a has no meaning"},
		{name: "default of other items", of: []int{}, tag: `jsonschema:"default=1,default=b"`, want: "the default is no value of type []int"},
		{name: "two defaults", of: "", tag: `jsonschema:"default=a,default=b"`, want: "default=a has no meaning"},
		{name: "default and required", of: 0, tag: `jsonschema:"required,default=1"`, want: "required and default exclude each other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.Reflect(structWith(tt.of, tt.tag))
			require.ErrorContains(t, err, tt.want)
			require.Nil(t, got)
		})
	}
}

func TestKeywordsWithAMeaning(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   any
		tag  string
		want string // in the schema
	}{
		{name: "no tag", of: "", want: `"F":{"type":"string"}`},
		{name: "another library's tags", of: "", tag: `json:"f" yaml:"f" validate:"required"`, want: `"f":{"type":"string"}`},
		{name: "comma in a text", of: "", tag: `jsonschema:"description=Where\\, or nothing,minLength=1"`, want: `"minLength":1,"description":"Where, or nothing"`},
		{name: "required in a text", of: 0, tag: `json:"f,omitempty" jsonschema:"description=a\\,required"`, want: `{"f":{"type":"integer","description":"a,required"}},"additionalProperties":false,"type":"object"}`},
		{name: "text of its own tag", of: "", tag: `jsonschema_description:"Where, or = nothing"`, want: `"description":"Where, or = nothing"`},
		{name: "pattern with = and comma", of: "", tag: `jsonschema:"pattern=^a={1\\,2}$"`, want: `"pattern":"^a={1,2}$"`},
		{name: "nullable", of: "", tag: `jsonschema:"nullable,minLength=1"`, want: `{"oneOf":[{"type":"string","minLength":1},{"type":"null"}]}`},
		{name: "items", of: []string{}, tag: `jsonschema:"minItems=1,uniqueItems=true,enum=a,enum=b,format=date"`, want: `"minItems":1,"uniqueItems":true`},
		{name: "a bar in one of several values", of: "", tag: `jsonschema:"enum=a|b,enum=c"`, want: `"enum":["a|b","c"]`},
		{name: "a bar as the value", of: "", tag: `jsonschema:"enum=||"`, want: `"enum":["||"]`},
		{name: "hidden", of: 0, tag: `jsonschema:"-"`, want: `"properties":{}`},
		{name: "another type", of: 0, tag: `jsonschema:"type=number"`, want: `"F":{"type":"number"}`},
		{name: "alternatives", of: "", tag: `jsonschema:"oneof_type=string;null"`, want: `"oneOf":[{"type":"string"},{"type":"null"}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.Reflect(structWith(tt.of, tt.tag))
			require.NoError(t, err)
			require.Contains(t, string(got), tt.want)
		})
	}
}
