package schema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	bare "github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestCaseVariants(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		schema string
		input  string
		want   string // "" if the input is valid
	}{
		{name: "free keys that differ by case", schema: `{"additionalProperties":{"type":"integer"}}`, input: `{"a":1,"A":2}`},
		{name: "both declared", schema: `{"properties":{"a":{},"A":{}}}`, input: `{"a":1,"A":2}`},
		{name: "other letters", schema: `{"properties":{"path":{}}}`, input: `{"Paths":1}`},
		{name: "alone", schema: `{"properties":{"path":{}}}`, input: `{"Path":1}`, want: "Path"},
		{name: "Kelvin sign", schema: `{"properties":{"key":{}}}`, input: "{\"\u212aey\":1}", want: "[\"\u212aey\"]"},
		{name: "matches a pattern", schema: `{"properties":{"path":{}},"patternProperties":{"^[A-Z]+$":{}},"additionalProperties":false}`, input: `{"PATH":1}`, want: "PATH"},
		{name: "typed further keys", schema: `{"properties":{"path":{}},"additionalProperties":{"type":"integer"}}`, input: `{"PATH":1}`, want: "PATH"},
		{name: "in a list", schema: `{"properties":{"l":{"items":{"properties":{"a":{}}}}}}`, input: `{"l":[1,{"a":1},{"A":1}]}`, want: "l[2].A"},
		{name: "in a tuple", schema: `{"properties":{"l":{"prefixItems":[{},{"properties":{"a":{}}}]}}}`, input: `{"l":[{"A":1},{"A":1}]}`, want: "l[1].A"},
		{name: "in a draft 7 tuple", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"l":{"items":[{}],"additionalItems":{"properties":{"a":{}}}}}}`, input: `{"l":[{"A":1},{"A":1}]}`, want: "l[1].A"},
		{name: "behind a reference", schema: `{"$defs":{"d":{"properties":{"a":{}}}},"properties":{"x":{"$ref":"#/$defs/d"}}}`, input: `{"x":{"A":1}}`, want: "x.A"},
		{name: "recursive", schema: `{"properties":{"next":{"$ref":"#"}}}`, input: `{"next":{"next":{"Next":1}}}`, want: "next.next.Next"},
		{name: "in an alternative", schema: `{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, input: `{"B":1}`, want: "B"},
		{name: "declared by another part", schema: `{"allOf":[{"properties":{"a":{}}},{"properties":{"A":{}}}]}`, input: `{"a":1,"A":1}`},
		{name: "declared by another part, deeper", schema: `{"allOf":[{"properties":{"x":{"properties":{"a":{}}}}},{"properties":{"x":{"properties":{"A":{}}}}}]}`, input: `{"x":{"a":1,"A":1}}`},
		{name: "in further keys", schema: `{"additionalProperties":{"properties":{"a":{}}}}`, input: `{"x":{"A":1}}`, want: "x.A"},
		{name: "under a pattern", schema: `{"patternProperties":{"^x":{"properties":{"a":{}}}}}`, input: `{"y":{"A":1},"x":{"A":1}}`, want: "x.A"},
		{name: "of a condition", schema: `{"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":{}}}}`, input: `{"B":1}`, want: "B"},
		{name: "of a dependent schema", schema: `{"dependentSchemas":{"a":{"properties":{"b":{}}}}}`, input: `{"B":1}`, want: "B"},
		{name: "of what is negated", schema: `{"not":{"properties":{"a":{"const":1}},"required":["a"]}}`, input: `{"A":1}`},
		{name: "the object is unconstrained", schema: `{"properties":{"x":{"type":"object"}}}`, input: `{"x":{"X":1,"x":2}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := validate(t, tt.schema, tt.input)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			var invalid *schema.Invalid
			require.ErrorAs(t, err, &invalid)
			require.Len(t, invalid.Problems, 1)
			require.Equal(t, tt.want, invalid.Problems[0].Path)
			require.Contains(t, invalid.Problems[0].Message, "only by letter case")
		})
	}
}

// TestVariantsOfWideSchemas would not end if the same schema were followed once
// for each of the ways that lead to it.
func TestVariantsOfWideSchemas(t *testing.T) {
	t.Parallel()
	const twice = `{"allOf":[{"properties":{"n":{"$ref":"#"}}},{"properties":{"n":{"$ref":"#"}}}]}`
	s, err := schema.Compile(json.RawMessage(twice))
	require.NoError(t, err)
	// The validator itself takes time that doubles with each level.
	const levels = 12
	v, err := strictjson.Decode([]byte(strings.Repeat(`{"n":`, levels)+`{"N":1}`+strings.Repeat(`}`, levels)), strictjson.Limits{})
	require.NoError(t, err)
	require.ErrorContains(t, s.Validate(v), `this key differs from "n" only by letter case`)
}

func TestValidateIsDeterministic(t *testing.T) {
	t.Parallel()
	const raw = `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"additionalProperties":false,"required":["c","d"]}`
	first := validate(t, raw, `{"a":1,"b":2,"x":3,"y":4,"A":5,"B":6}`)
	for range 50 {
		require.Equal(t, first, validate(t, raw, `{"B":6,"A":5,"y":4,"x":3,"b":2,"a":1}`))
	}
}

func TestInvalidIsCut(t *testing.T) {
	t.Parallel()
	err := validate(t, with(`{"items":{"type":"string"}}`), `{"v":[`+strings.Repeat("1,", 29)+`1]}`)
	var invalid *schema.Invalid
	require.ErrorAs(t, err, &invalid)
	require.Len(t, invalid.Problems, 10)
	require.Equal(t, 20, invalid.More)
	require.Equal(t, "v[9]", invalid.Problems[9].Path)
}

// fuzzed uses each keyword whose verdict could be lost on the way.
const fuzzed = `{"type":"object","properties":{
	"path":{"type":"string","pattern":"^/","maxLength":20},
	"limit":{"type":"integer","minimum":1,"exclusiveMaximum":100,"multipleOf":1},
	"mode":{"enum":["fast","slow",null,1]},
	"when":{"format":"date-time"},
	"list":{"type":"array","uniqueItems":true,"prefixItems":[{"type":"boolean"}],"items":{"$ref":"#/$defs/point"}},
	"shape":{"oneOf":[{"$ref":"#/$defs/point"},{"type":"null"},{"type":"object","required":["r"],"properties":{"r":{"type":"number"}}}]},
	"next":{"$ref":"#"}},
	"patternProperties":{"^x-":{"not":{"type":"array"}}},
	"propertyNames":{"maxLength":8},"dependentRequired":{"mode":["path"]},"maxProperties":6,"required":["path"],
	"$defs":{"point":{"type":"object","additionalProperties":false,"required":["x"],
		"properties":{"x":{"type":"number"},"y":{"anyOf":[{"type":"number"},{"const":"auto"}]}}}}}`

// FuzzValidate checks that nothing but a case variant or an overlong number
// makes the verdict another than that of the library.
func FuzzValidate(f *testing.F) {
	own, err := schema.Compile(json.RawMessage(fuzzed))
	require.NoError(f, err)
	c := bare.NewCompiler()
	require.NoError(f, c.AddResource("x:///", bytes.NewReader([]byte(fuzzed))))
	library, err := c.Compile("x:///")
	require.NoError(f, err)
	for _, seed := range []string{
		`{"path":"/var/log/syslog","limit":20,"mode":"fast"}`,
		`{"path":"/","list":[true,{"x":1},{"x":1.0}],"shape":{"x":1,"y":"auto"}}`,
		`{"Path":"/","path":"/","next":{"path":"x","LIMIT":1e400},"x-1":[]}`,
		`{"path":"/","when":"2026-01-31T14:30:00Z","shape":{"r":1,"x":2},"":{"":""}}`,
		`{"path":1e2000}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		v, err := strictjson.Decode(input, strictjson.Limits{})
		if err != nil {
			return
		}
		verdict := own.Validate(v)
		if verdict == nil {
			require.NoError(t, library.Validate(v))
			return
		}
		text := verdict.Error()
		require.NotContains(t, text, "pegboard:")
		require.NotContains(t, text, "$defs")
		if strings.Contains(text, "only by letter case") || strings.Contains(text, "too many digits") {
			return
		}
		require.Error(t, library.Validate(v))
	})
}
