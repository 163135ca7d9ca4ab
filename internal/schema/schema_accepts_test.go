package schema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// slowly returns the verdict that Accepts must never contradict.
func slowly(s *schema.Schema, raw []byte) error {
	v, err := strictjson.Decode(raw, strictjson.Limits{})
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestAcceptsText(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object"}`
	const closed = `{"properties":{"a":{},"b":{}},"additionalProperties":false}`
	tests := []struct {
		name   string
		schema string // object if empty
		input  string
		want   bool
	}{
		{name: "empty object", input: `{}`, want: true},
		{name: "space everywhere", input: " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n", want: true},
		{name: "every kind", input: `{"a":null,"b":true,"c":false,"d":"x","e":-0.5e+3,"f":[],"g":{}}`, want: true},
		{name: "escapes in a value", input: `{"a":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`, want: true},
		{name: "not ASCII", input: `{"ключ":"значение 🙂"}`, want: true},
		{name: "DEL", input: "{\"a\":\"\x7f\"}", want: true},
		{name: "deepest", input: `{"a":` + strings.Repeat(`[`, 127) + strings.Repeat(`]`, 127) + `}`, want: true},
		{name: "siblings do not add to the depth", input: `{"a":[` + strings.Repeat(`[],`, 200) + `{}]}`, want: true},
		{name: "zeros", input: `{"a":0,"b":-0,"c":0.0,"d":0e0}`, want: true},
		{name: "largest exponent", input: `{"a":1e999,"b":1E-999}`, want: true},
		{name: "most further keys", input: `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}`, want: true},

		{name: "empty", input: ``},
		{name: "space", input: ` `},
		{name: "trailing text", input: `{} {}`},
		{name: "trailing NUL", input: "{}\x00"},
		{name: "NUL", input: "{\"a\":\x00}"},
		{name: "byte order mark", input: "\ufeff{}"},
		{name: "no-break space", input: "{\u00a0}"},
		{name: "vertical tab", input: "{\v}"},
		{name: "not UTF-8", input: "{\"a\":\"\xff\"}"},
		{name: "overlong", input: "{\"a\":\"\xc0\xaf\"}"},
		{name: "encoded surrogate", input: "{\"a\":\"\xed\xa0\x80\"}"},
		{name: "control character", input: "{\"a\":\"\x1f\"}"},
		{name: "line break in a string", input: "{\"a\":\"\n\"}"},
		{name: "unknown escape", input: `{"a":"\x41"}`},
		{name: "short escape", input: `{"a":"\u00e"}`},
		{name: "escape at the end", input: `{"a":"\`},
		{name: "escape with a sign", input: `{"a":"\u+041"}`},
		{name: "half a character", input: `{"a":"\ud83d"}`},
		{name: "other half", input: `{"a":"\uDE00"}`},
		{name: "open string", input: `{"a":"`},
		{name: "open object", input: `{"a":1`},
		{name: "open list", input: `{"a":[1`},
		{name: "list closed as an object", input: `{"a":[1}}`},
		{name: "object closed as a list", input: `{"a":1]`},
		{name: "comma at the end", input: `{"a":1,}`},
		{name: "comma at the end of a list", input: `{"a":[1,]}`},
		{name: "only a comma", input: `{,}`},
		{name: "comma first", input: `{"a":[,1]}`},
		{name: "no comma", input: `{"a":[1 2]}`},
		{name: "no colon", input: `{"a" 1}`},
		{name: "no value", input: `{"a":}`},
		{name: "key without quotes", input: `{a:1}`},
		{name: "comment", input: `{"a":1/**/}`},
		{name: "leading zero", input: `{"a":01}`},
		{name: "leading zeros after a sign", input: `{"a":-00}`},
		{name: "plus", input: `{"a":+1}`},
		{name: "only a sign", input: `{"a":-}`},
		{name: "point first", input: `{"a":.5}`},
		{name: "point last", input: `{"a":1.}`},
		{name: "exponent without digits", input: `{"a":1e+}`},
		{name: "hexadecimal", input: `{"a":0x10}`},
		{name: "NaN", input: `{"a":NaN}`},
		{name: "word cut short", input: `{"a":nul}`},
		{name: "word too long", input: `{"a":nulls}`},
		{name: "capital word", input: `{"a":True}`},
		{name: "too deep", input: `{"a":` + strings.Repeat(`[`, 128) + strings.Repeat(`]`, 128) + `}`},
		{name: "far too deep", input: strings.Repeat(`{"a":`, 1<<20)},
		{name: "huge exponent", input: `{"a":1e9999999}`},
		{name: "huge negative exponent", input: `{"a":1e-9999999}`},
		{name: "thousand digits", input: `{"a":` + strings.Repeat("1", 1001) + `}`},
		{name: "too long", input: `{"a":"` + strings.Repeat("a", strictjson.DefaultBytes) + `"}`},

		{name: "key twice", schema: closed, input: `{"a":1,"a":1}`},
		{name: "key twice, once escaped", schema: closed, input: `{"a":1,"\u0061":1}`},
		{name: "further key twice", input: `{"x":1,"y":1,"x":1}`},
		{name: "further key twice, once escaped", input: `{"x":1,"\u0078":1}`},
		{name: "key twice inside", input: `{"x":[{"a":1,"a":1}]}`},
		{name: "empty key twice", input: `{"":1,"":1}`},
		{name: "too many further keys", input: `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := tt.schema
			if text == "" {
				text = object
			}
			checkAccepts(t, text, tt.input, tt.want)
		})
	}
}

func checkAccepts(t *testing.T, text, input string, want bool) {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	require.NoError(t, err)
	require.Equal(t, want, s.Accepts([]byte(input)))
	if want {
		require.NoError(t, slowly(s, []byte(input)))
	}
}

func TestAcceptsKeywords(t *testing.T) {
	t.Parallel()
	const nullable = `{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"null"}]}`
	tests := []struct {
		name   string
		schema string // of v
		yes    []string
		no     []string
	}{
		{name: "true", schema: `true`, yes: []string{`1`, `[{"a":[]}]`}, no: []string{`[{"a":1,"a":1}]`}},
		{name: "false", schema: `false`, no: []string{`1`, `null`}},
		{name: "empty", schema: `{}`, yes: []string{`1`, `null`, `{"a":1,"A":2}`}},
		{name: "annotations", schema: `{"title":"a","description":"b","default":1,"examples":[1],"x-own":{"type":"no"},"deprecated":true,"readOnly":true}`, yes: []string{`"x"`}},
		{name: "string", schema: `{"type":"string"}`, yes: []string{`""`, `"a\nb"`}, no: []string{`1`, `null`, `true`, `[]`, `{}`}},
		{name: "boolean", schema: `{"type":"boolean"}`, yes: []string{`true`, `false`}, no: []string{`"true"`, `0`}},
		{name: "null", schema: `{"type":"null"}`, yes: []string{`null`}, no: []string{`0`}},
		{name: "integer", schema: `{"type":"integer"}`, yes: []string{`0`, `-0`, `-12`, `123456789012345678901234567890`}, no: []string{`1.5`, `1.0`, `1e2`, `"1"`}},
		{name: "number", schema: `{"type":"number"}`, yes: []string{`1`, `1.5`, `-1e-2`}, no: []string{`"1"`}},
		{name: "types", schema: `{"type":["integer","null","array"]}`, yes: []string{`1`, `null`, `["a"]`}, no: []string{`{}`, `1.5`, `"a"`}},
		{name: "enum", schema: `{"enum":["a","<é>","b\nc",1,2.5,true,null]}`, yes: []string{`"a"`, `"<é>"`, `"b\nc"`, `1`, `2.5`, `true`, `null`}, no: []string{`"A"`, `"\u0061"`, `"b\u000ac"`, `1.0`, `false`, `[]`, `{}`}},
		{name: "enum of long texts", schema: `{"enum":["` + strings.Repeat("a", 90) + `"]}`, yes: []string{`"` + strings.Repeat("a", 90) + `"`}, no: []string{`"` + strings.Repeat("a", 80) + `…"`}},
		{name: "enum and type", schema: `{"type":"string","enum":["a",1]}`, yes: []string{`"a"`}, no: []string{`1`}},
		{name: "enum with a list", schema: `{"enum":["a",[]]}`, no: []string{`"a"`, `[]`}},
		{name: "empty enum", schema: `{"enum":[]}`, yes: []string{`"a"`, `[]`}},
		{name: "const", schema: `{"const":"a"}`, yes: []string{`"a"`}, no: []string{`"b"`, `{}`}},
		{name: "const null", schema: `{"const":null}`, yes: []string{`null`}, no: []string{`0`}},
		{name: "const and enum", schema: `{"const":"a","enum":["a","b"]}`, no: []string{`"a"`, `"b"`}},
		{name: "length", schema: `{"minLength":2,"maxLength":3}`, yes: []string{`"éé"`, `"🙂🙂🙂"`, `1`}, no: []string{`"é"`, `"abcd"`, `"\u0061b"`}},
		{name: "pattern", schema: `{"pattern":"^a.c$"}`, yes: []string{`"abc"`, `"aéc"`}, no: []string{`"abd"`, `"a\"c"`}},
		{name: "length of escapes", schema: `{"minLength":2}`, no: []string{`"\u0061"`}},
		{name: "pattern of escapes", schema: `{"pattern":"u0061"}`, yes: []string{`"u0061"`}, no: []string{`"\u0061"`}},
		{name: "bounds", schema: `{"minimum":0.1,"exclusiveMaximum":2}`, yes: []string{`0.1`, `1`, `1.9999999999`, `1e-1`, `"a"`}, no: []string{`0.0999999999999999999999`, `2`, `2.0`, `-1`}},
		{name: "other bounds", schema: `{"exclusiveMinimum":-1,"maximum":9007199254740993}`, yes: []string{`-0.5`, `9007199254740993`}, no: []string{`-1`, `-1.0`, `9007199254740994`}},
		{name: "two lower bounds", schema: `{"minimum":1,"exclusiveMinimum":2}`, yes: []string{`2.5`}, no: []string{`2`}},
		{name: "multipleOf", schema: `{"multipleOf":2}`, no: []string{`2`, `3`}},
		{name: "list", schema: `{"items":{"type":"string"},"minItems":1,"maxItems":2}`, yes: []string{`["a"]`, `["a","b"]`, `1`}, no: []string{`[]`, `["a","b","c"]`, `["a",1]`}},
		{name: "unique", schema: `{"uniqueItems":true}`, no: []string{`[1,1]`, `[1,2]`}},
		{name: "not unique", schema: `{"uniqueItems":false}`, yes: []string{`[1,1]`}},
		{name: "tuple", schema: `{"prefixItems":[{"type":"string"}]}`, no: []string{`["a"]`, `[1]`}},
		{name: "closed", schema: `{"properties":{"a":{"type":"integer"}},"additionalProperties":false}`, yes: []string{`{}`, `{"a":1}`}, no: []string{`{"b":1}`, `{"A":1}`, `{"a":"x"}`, `{"a":1,"a":1}`}},
		{name: "typed further keys", schema: `{"properties":{"a":{}},"additionalProperties":{"type":"integer"}}`, yes: []string{`{"a":"x","b":1}`}, no: []string{`{"b":"x"}`, `{"A":1}`}},
		{name: "further keys that differ by case", schema: `{"additionalProperties":{}}`, yes: []string{`{"a":1,"A":1}`}},
		{name: "case variants", schema: `{"properties":{"key":{},"s":{},"ſ2":{}}}`, yes: []string{`{"keys":1}`, `{"ключ":1}`}, no: []string{`{"Key":1}`, "{\"\u212aey\":1}", `{"ſ":1}`, `{"S2":1}`, `{"s2":1}`}},
		{name: "both cases declared", schema: `{"properties":{"a":{},"A":{}}}`, yes: []string{`{"a":1,"A":1}`}},
		{name: "required", schema: `{"properties":{"a":{},"b":{}},"required":["a"]}`, yes: []string{`{"a":1}`, `{"b":1,"a":1}`, `[]`}, no: []string{`{}`, `{"b":1}`, `{"x":{"a":1}}`}},
		{name: "required and not declared", schema: `{"required":["a"]}`, no: []string{`{"a":1}`, `{}`}},
		{name: "number of keys", schema: `{"minProperties":1,"maxProperties":2}`, yes: []string{`{"a":1}`, `{"a":1,"b":1}`}, no: []string{`{}`, `{"a":1,"b":1,"c":1}`}},
		{name: "pattern properties", schema: `{"patternProperties":{"^a":{"type":"string"}}}`, no: []string{`{"a":1}`, `{"b":1}`}},
		{name: "reference", schema: `{"$ref":"#/$defs/point","description":"p"}`, yes: []string{`{"x":1}`}, no: []string{`{"X":1}`, `{"x":"a"}`}},
		{name: "reference and more", schema: `{"$ref":"#/$defs/point","required":["x"]}`, no: []string{`{"x":1}`}},
		{name: "recursive", schema: `{"$ref":"#/$defs/tree"}`, yes: []string{`{"next":{"next":null}}`}, no: []string{`{"next":{"Next":null}}`, `{"next":1}`}},
		{name: "or null", schema: nullable, yes: []string{`null`, `{"a":1}`}, no: []string{`{"A":1}`, `1`}},
		{name: "any of plain types", schema: `{"anyOf":[{"type":"string","maxLength":1},{"type":"string","pattern":"^x"},{"type":"number","minimum":5},{"const":1}]}`, yes: []string{`"a"`, `"xyz"`, `6`, `1`}, no: []string{`"ab"`, `2`, `[]`}},
		{name: "any of two objects", schema: `{"anyOf":[{"properties":{"a":{}}},{"type":"object","properties":{"b":{}}}]}`, no: []string{`{"a":1}`, `{"B":1}`, `1`}},
		{name: "any of, one not understood", schema: `{"anyOf":[{"type":"string"},{"not":{}}]}`, no: []string{`"a"`}},
		{name: "any of, one with idle properties", schema: `{"anyOf":[{"type":"string","properties":{"a":{}}},{"type":"object"}]}`, no: []string{`{"A":1}`, `{"a":1}`}},
		{name: "one of", schema: `{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"array","items":{"type":"string"}}]}`, yes: []string{`"a"`, `1`, `["a"]`}, no: []string{`[1]`, `null`}},
		{name: "one of that overlap", schema: `{"oneOf":[{"type":"number"},{"type":"integer"}]}`, no: []string{`1`, `1.5`}},
		{name: "one of, listed lists overlap", schema: `{"oneOf":[{"enum":[{"a":1},"x"]},{"type":"object"}]}`, no: []string{`{"a":1}`, `{}`}},
		{name: "all of one", schema: `{"allOf":[{"type":"string"}]}`, yes: []string{`"a"`}, no: []string{`1`}},
		{name: "all of two", schema: `{"allOf":[{"type":"string"},{"minLength":1}]}`, no: []string{`"a"`, `""`}},
		{name: "any of and type", schema: `{"type":"string","anyOf":[{"minLength":1}]}`, no: []string{`"a"`, `""`}},
		{name: "not", schema: `{"not":{"type":"string"}}`, no: []string{`1`, `"a"`}},
		{name: "format that is asserted", schema: `{"format":"date-time"}`, no: []string{`"2026-01-31T14:30:00Z"`, `"x"`}},
		{name: "format that is not known", schema: `{"type":"integer","format":"int32"}`, yes: []string{`1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const defs = `"$defs":{"point":{"properties":{"x":{"type":"integer"}}},
				"tree":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}}}`
			text := `{"properties":{"v":` + tt.schema + `},` + defs + `}`
			for _, v := range tt.yes {
				checkAccepts(t, text, `{"v":`+v+`}`, true)
			}
			for _, v := range tt.no {
				checkAccepts(t, text, `{"v":`+v+`}`, false)
			}
		})
	}
}

func TestAcceptsOtherDrafts(t *testing.T) {
	t.Parallel()
	const draft4 = `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`
	const draft7 = `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"d":{"type":"string"}},
		"properties":{"r":{"$ref":"#/definitions/d","minLength":9},"l":{"items":{"type":"string"}},"t":{"items":[{"type":"string"}]}}}`
	const draft2019 = `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"f":{"format":"date"}}}`
	tests := []struct {
		name, schema, input string
		want                bool
	}{
		{name: "draft 4 bound", schema: draft4, input: `{"n":1}`},
		{name: "draft 4", schema: draft4, input: `{"n":2}`, want: true},
		{name: "draft 7 ignores what stands beside a reference", schema: draft7, input: `{"r":"a"}`, want: true},
		{name: "draft 7 items", schema: draft7, input: `{"l":["a"]}`, want: true},
		{name: "draft 7 wrong item", schema: draft7, input: `{"l":[1]}`},
		{name: "draft 7 tuple", schema: draft7, input: `{"t":["a"]}`},
		{name: "draft 2019 asserts no format", schema: draft2019, input: `{"f":"x"}`, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkAccepts(t, tt.schema, tt.input, tt.want)
		})
	}
}

func TestAcceptsManyProperties(t *testing.T) {
	t.Parallel()
	for _, n := range []int{64, 65} {
		var properties, values []string
		for i := range n {
			properties = append(properties, fmt.Sprintf(`"p%d":{}`, i))
			values = append(values, fmt.Sprintf(`"p%d":1`, i))
		}
		text := `{"properties":{` + strings.Join(properties, ",") + `},"required":["p0","p63"]}`
		checkAccepts(t, text, `{`+strings.Join(values, ",")+`}`, n == 64)
		checkAccepts(t, text, `{"p0":1}`, false)
	}
}

func TestAcceptsReflected(t *testing.T) {
	t.Parallel()
	text, err := schema.Reflect(reflect.TypeFor[struct {
		Path      string `json:"path"`
		Limit     int    `json:"limit,omitempty"`
		Recursive bool   `json:"recursive,omitempty"`
	}]())
	require.NoError(t, err)
	checkAccepts(t, string(text), benchInput, true)
}

func TestAcceptsWithoutAllocating(t *testing.T) {
	for _, open := range []bool{false, true} {
		s, err := schema.Compile(json.RawMessage(benchSchema(open)))
		require.NoError(t, err)
		raw := []byte(benchInput)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if !s.Accepts(raw) {
				t.Error("not accepted")
			}
		}))
	}
}

func BenchmarkAccepts(b *testing.B) {
	for _, open := range []bool{false, true} {
		name := "closed"
		if open {
			name = "open"
		}
		s, err := schema.Compile(json.RawMessage(benchSchema(open)))
		require.NoError(b, err)
		raw := []byte(benchInput)
		b.Run(name+"/fast", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !s.Accepts(raw) {
					b.Fatal()
				}
			}
		})
		b.Run(name+"/slow", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if slowly(s, raw) != nil {
					b.Fatal()
				}
			}
		})
	}
}
