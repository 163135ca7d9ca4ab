package schema_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	bare "github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
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

func TestWithout(t *testing.T) {
	t.Parallel()
	const city = `"city":{"type":"string"}`
	tests := []struct {
		name    string
		schema  string
		without []string // "tenant" if nil
		want    string
	}{
		{
			name:   "declared and required",
			schema: `{"type":"object","properties":{` + city + `,"tenant":{"type":"string"}},"required":["city","tenant"],"additionalProperties":false}`,
			want:   `{"additionalProperties":false,"properties":{` + city + `},"required":["city"],"type":"object"}`,
		},
		{
			name:    "several, and nothing left",
			schema:  `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://a.test/","title":"T","properties":{"tenant":{},"token":{}},"required":["tenant"]}`,
			without: []string{"tenant", "token"},
			want:    `{"$id":"http://a.test/","$schema":"http://json-schema.org/draft-07/schema#","properties":{},"title":"T"}`,
		},
		{
			name:   "behind a reference, whose definition goes with those of the property",
			schema: `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{` + city + `,"tenant":{"$ref":"#/$defs/tenant"}},"required":["tenant"]},"tenant":{"items":{"$ref":"#/$defs/tenant"},"anyOf":[{"$ref":"#/$defs/of"}]},"of":{}}}`,
			want:   `{"properties":{` + city + `},"type":"object"}`,
		},
		{
			name:   "definitions that others refer to",
			schema: `{"properties":{"tenant":{"$ref":"#/definitions/a"},"zone":{"$ref":"#/definitions/a~1b/items"}},"definitions":{"a":{},"a/b":{"items":{"$ref":"#/definitions/c"}},"c":{}}}`,
			want:   `{"definitions":{"a/b":{"items":{"$ref":"#/definitions/c"}},"c":{}},"properties":{"zone":{"$ref":"#/definitions/a~1b/items"}}}`,
		},
		{
			name:   "inner objects keep theirs",
			schema: `{"properties":{"tenant":{},"in":{"properties":{"tenant":{}},"required":["tenant"]},"of":{"$ref":"#/properties/in"}}}`,
			want:   `{"properties":{"in":{"properties":{"tenant":{}},"required":["tenant"]},"of":{"$ref":"#/properties/in"}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tt.schema))
			require.NoError(t, err)
			names := tt.without
			if names == nil {
				names = []string{"tenant"}
			}
			public, err := s.Without(names)
			require.NoError(t, err)
			require.JSONEq(t, tt.want, string(public.Bytes()))
			require.Equal(t, names, public.Hidden())
			require.Empty(t, s.Hidden())
		})
	}
}

func TestWithoutRefuses(t *testing.T) {
	t.Parallel()
	type row struct{ name, schema, want string }
	tests := []row{
		{name: "not declared", schema: `{"properties":{"tenants":{}}}`, want: `the input has no property "tenant"; did you mean "tenants"?`},
		{name: "nothing alike", schema: `{"properties":{"a":{},"b":{}}}`, want: `the input has no property "tenant"; the properties are "a", "b"`},
		{name: "no properties", schema: `{"type":"object"}`, want: `the input has no property "tenant"`},
		{name: "an anchor", schema: `{"$ref":"#in","$defs":{"in":{"$anchor":"in","properties":{"tenant":{}}}}}`, want: "cannot be followed"},
		{name: "a reference with something beside it", schema: `{"$ref":"#/$defs/in","type":"object","$defs":{"in":{"properties":{"tenant":{}}}}}`, want: `the schema has "$ref" at its root`},
		{name: "a reference to a reference", schema: `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/in"},"in":{"properties":{"tenant":{}}}}}`, want: `the schema has "$ref" at its root`},
		{name: "a definition with something beside", schema: `{"$ref":"#/$defs/in","$defs":{"in":{"properties":{"tenant":{}},"minProperties":1}}}`, want: `the schema has "minProperties" at its root`},
		{name: "a document in it", schema: `{"properties":{"tenant":{},"a":{"$id":"http://a.test/","$ref":"#/$defs/x","$defs":{"x":{}}}}}`, want: "cannot be followed"},
		{name: "a reference to the schema of the property", schema: `{"properties":{"tenant":{},"parent":{"$ref":"#/properties/tenant"}}}`, want: "cannot be followed"},
		{name: "an input within it", schema: `{"properties":{"tenant":{},"next":{"$ref":"#"}}}`, want: "refers to the input as a whole"},
		{name: "an input within it, by its name", schema: `{"$id":"http://a.test/","properties":{"tenant":{},"next":{"$ref":"http://a.test/"}}}`, want: "refers to the input as a whole"},
		{name: "an input within it, by its definition", schema: `{"$ref":"#/$defs/in","$defs":{"in":{"properties":{"tenant":{},"next":{"$ref":"#/$defs/list"}}},"list":{"items":{"$ref":"#/$defs/in"}}}}`, want: "refers to the input as a whole"},
		{name: "an input within it, in another definition", schema: `{"$ref":"#/$defs/a/items","$defs":{"a":{"items":{"properties":{"tenant":{},"next":{"$ref":"#/$defs/a"}}}}}}`, want: "refers to the input as a whole"},
		{name: "a dynamic reference", schema: `{"properties":{"tenant":{},"next":{"$dynamicRef":"#"}}}`, want: "refers to the input as a whole"},
	}
	for _, keyword := range []string{
		`"allOf":[{}]`, `"anyOf":[{}]`, `"oneOf":[{}]`, `"not":{"required":["a"]}`, `"if":{}`, `"dependentRequired":{}`, `"dependentSchemas":{}`, `"dependencies":{}`,
		`"patternProperties":{}`, `"propertyNames":{}`, `"minProperties":1`, `"maxProperties":9`, `"unevaluatedProperties":false`, `"enum":[{}]`, `"const":{}`, `"default":{}`, `"examples":[{}]`, `"x-order":["tenant"]`,
	} {
		name, _, _ := strings.Cut(keyword, ":")
		tests = append(tests, row{name: name, schema: `{"properties":{"tenant":{}},` + keyword + `}`, want: `the schema has ` + name + ` at its root`})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tt.schema))
			require.NoError(t, err)
			_, err = s.Without([]string{"tenant"})
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestWithoutRefusesTheProperties is about what a model sends in spite of the schema.
func TestWithoutRefusesTheProperties(t *testing.T) {
	t.Parallel()
	const properties = `"properties":{"city":{"type":"string"},"tenant":{"type":"string"}}`
	const unknown = `; the properties are "city"`
	tests := []struct{ name, schema, input, want string }{
		{name: "closed", schema: `{` + properties + `,"additionalProperties":false}`, input: `{"tenant":"x"}`, want: `unknown property "tenant"` + unknown},
		{name: "open", schema: `{` + properties + `}`, input: `{"tenant":"x"}`, want: `unknown property "tenant"` + unknown},
		{name: "others are texts", schema: `{` + properties + `,"additionalProperties":{"type":"string"}}`, input: `{"tenant":"x"}`, want: `unknown property "tenant"` + unknown},
		{name: "in another letter case", schema: `{` + properties + `}`, input: `{"city":"a","TENANT":1}`, want: `unknown property "TENANT"` + unknown},
		{name: "with an escape", schema: `{` + properties + `}`, input: `{"\u0074enant":"x"}`, want: `unknown property "tenant"` + unknown},
		{name: "another one", schema: `{` + properties + `}`, input: `{"city":"a","more":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tt.schema))
			require.NoError(t, err)
			public, err := s.Without([]string{"tenant"})
			require.NoError(t, err)
			err = slowly(public, []byte(tt.input))
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
			require.False(t, public.Accepts([]byte(tt.input)))
		})
	}
}

// TestWithoutRefusesNothingElse tries random schemas and inputs: what the whole schema
// accepts with the property added, the public one accepts without it.
func TestWithoutRefusesNothingElse(t *testing.T) {
	t.Parallel()
	var accepted, refused int
	for seed := range effort.Of(t, uint64(5_000)) {
		m := maker{rand.New(rand.NewPCG(seed, 40))}
		doc := map[string]any{
			"properties": map[string]any{"a": m.fragment(), "tenant": m.fragment(), "b": m.fragment()},
			"required":   []any{m.pick("a", "b", "tenant")},
		}
		if m.IntN(3) == 0 {
			doc["additionalProperties"] = m.fragment()
		}
		definitions := map[string]any{"x": m.fragment(), "y": m.fragment()}
		if m.IntN(3) == 0 {
			definitions["in"] = doc
			doc = map[string]any{"$ref": "#/$defs/in"}
		}
		doc["$defs"] = definitions
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		s, err := schema.Compile(text)
		if err != nil {
			continue // a reference leads back to itself
		}
		public, err := s.Without([]string{"tenant"})
		require.NoError(t, err, "seed %d: %s", seed, text)
		require.NotContains(t, string(public.Bytes()), "tenant", "seed %d: %s", seed, text)
		for range 4 {
			input := map[string]any{}
			for _, name := range []string{"a", "b", "c"} {
				if m.IntN(2) == 0 {
					input[name] = m.plain()
				}
			}
			bare, err := json.Marshal(input)
			require.NoError(t, err)
			input["tenant"] = m.plain()
			whole, err := json.Marshal(input)
			require.NoError(t, err)
			require.Error(t, slowly(public, whole), "seed %d: %s", seed, text)
			require.False(t, public.Accepts(whole), "seed %d: %s", seed, text)
			if slowly(s, whole) != nil {
				refused++
				continue
			}
			accepted++
			require.NoError(t, slowly(public, bare), "seed %d: %s\nbecame %s\ninput %s", seed, text, public.Bytes(), whole)
		}
	}
	require.Greater(t, accepted, effort.Of(t, 100)/2)
	require.Greater(t, refused, effort.Of(t, 100)/2)
}

// plain returns one of few values.
func (g maker) plain() any { return []any{"x", "y", 1.0, nil}[g.IntN(4)] }

// fragment returns a schema of such a value.
func (g maker) fragment() map[string]any {
	doc := map[string]any{}
	if g.IntN(3) == 0 {
		doc["enum"] = []any{"x", g.plain()}
	}
	if g.IntN(4) == 0 {
		doc["$ref"] = g.pick("#/$defs/x", "#/$defs/y")
	}
	return doc
}
