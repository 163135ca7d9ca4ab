package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
			schema:  `{"type":"object","properties":{"tenant":{},"token":{}},"required":["tenant"],"minProperties":2,"maxProperties":3}`,
			without: []string{"tenant", "token"},
			want:    `{"maxProperties":1,"minProperties":0,"properties":{},"type":"object"}`,
		},
		{
			name:   "what depends on it",
			schema: `{"properties":{` + city + `,"tenant":{},"zone":{}},"dependentRequired":{"tenant":["city"],"city":["tenant","zone"]},"dependentSchemas":{"tenant":{"required":["zone","tenant"]}}}`,
			want:   `{"allOf":[{"required":["zone"]}],"dependentRequired":{"city":["zone"]},"properties":{` + city + `,"zone":{}},"required":["city"]}`,
		},
		{
			name:   "what depended on it in older drafts",
			schema: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{` + city + `,"tenant":{}},"dependencies":{"tenant":["city"],"city":{"required":["tenant"]}}}`,
			want:   `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"city":{}},"properties":{` + city + `},"required":["city"]}`,
		},
		{
			name:   "lists of names and examples",
			schema: `{"properties":{` + city + `,"tenant":{}},"propertyNames":{"enum":["city","tenant"]},"x-order":["tenant","city"],"examples":[{"city":"Bern","tenant":"acme"}],"default":{"tenant":"acme"}}`,
			want:   `{"default":{},"examples":[{"city":"Bern"}],"properties":{` + city + `},"propertyNames":{"enum":["city"]},"x-order":["city"]}`,
		},
		{
			name:   "whole inputs that are listed",
			schema: `{"properties":{"tenant":{}},"enum":[{"tenant":"a"},{"tenant":"b"}]}`,
			want:   `{"properties":{}}`,
		},
		{
			name:   "one of the alternatives requires it",
			schema: `{"properties":{` + city + `,"tenant":{}},"oneOf":[{"required":["tenant"]},{"required":["city"]}]}`,
			want:   `{"oneOf":[{},{"required":["city"]}],"properties":{` + city + `}}`,
		},
		{
			name:   "its value chooses the alternative",
			schema: `{"properties":{` + city + `,"tenant":{}},"oneOf":[{"properties":{"tenant":{"const":"a"}},"required":["city"]},{"required":["zone"]}]}`,
			want:   `{"allOf":[{"anyOf":[{"properties":{},"required":["city"]},{"required":["zone"]}]}],"properties":{` + city + `}}`,
		},
		{
			name:   "conditions on its value are left out, others stay",
			schema: `{"properties":{"tenant":{}},"not":{"properties":{"tenant":{"const":"a"}}},"if":{"required":["tenant"]},"then":{"required":["city","tenant"]}}`,
			want:   `{"if":{},"properties":{},"then":{"required":["city"]}}`,
		},
		{
			name:   "a condition of its value",
			schema: `{"properties":{"tenant":{}},"if":{"properties":{"tenant":{"const":"a"}}},"then":{"required":["city"]},"else":false}`,
			want:   `{"properties":{}}`,
		},
		{
			name:   "behind a reference, whose definition goes",
			schema: `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{` + city + `,"tenant":{"$ref":"#/$defs/tenant"}},"required":["tenant"]},"tenant":{"type":"string"}}}`,
			want:   `{"properties":{` + city + `},"type":"object"}`,
		},
		{
			name:   "in what applies, too",
			schema: `{"allOf":[{"$ref":"#/$defs/base"},{"$ref":"#/$defs/other"}],"$defs":{"base":{"properties":{"tenant":{}}},"other":{"properties":{` + city + `}}}}`,
			want:   `{"$defs":{"other":{"properties":{` + city + `}}},"allOf":[{"properties":{}},{"$ref":"#/$defs/other"}]}`,
		},
		{
			name:   "inner objects keep theirs",
			schema: `{"properties":{"tenant":{},"in":{"properties":{"tenant":{}},"required":["tenant"]}}}`,
			want:   `{"properties":{"in":{"properties":{"tenant":{}},"required":["tenant"]}}}`,
		},
		{
			name:   "a reference to its schema",
			schema: `{"properties":{"tenant":{"type":"string"},"parent":{"$ref":"#/properties/tenant"},"zone":{"$ref":"#/properties/parent"}}}`,
			want:   `{"$defs":{"kept1":{"type":"string"}},"properties":{"parent":{"$ref":"#/$defs/kept1"},"zone":{"$ref":"#/properties/parent"}}}`,
		},
		{
			name:   "inner inputs of the same kind",
			schema: `{"properties":{"tenant":{"type":"string"},"next":{"$ref":"#"}},"required":["tenant"]}`,
			want:   `{"$defs":{"kept1":{"properties":{"next":{"$ref":"#/$defs/kept1"},"tenant":{"type":"string"}},"required":["tenant"]}},"properties":{"next":{"$ref":"#/$defs/kept1"}}}`,
		},
		{
			name:   "properties that are called like keywords",
			schema: `{"properties":{"tenant":{"type":"string"},"default":{"$ref":"#/properties/tenant"},"required":{"type":"array"}}}`,
			want:   `{"$defs":{"kept1":{"type":"string"}},"properties":{"default":{"$ref":"#/$defs/kept1"},"required":{"type":"array"}}}`,
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
	fan := `"d0":{"properties":{"tenant":{}}}`
	for i := range 30 {
		fan += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	tests := []struct{ name, schema, want string }{
		{name: "not declared", schema: `{"properties":{"tenants":{}}}`, want: `the input has no property "tenant"; did you mean "tenants"?`},
		{name: "nothing alike", schema: `{"properties":{"a":{},"b":{}}}`, want: `the input has no property "tenant"; the properties are "a", "b"`},
		{name: "an anchor", schema: `{"$ref":"#in","$defs":{"in":{"$anchor":"in","properties":{"tenant":{}}}}}`, want: "cannot be followed"},
		{name: "a document in it", schema: `{"properties":{"tenant":{},"a":{"$id":"http://a.test/","$ref":"#/$defs/x","$defs":{"x":{}}}}}`, want: "cannot be followed"},
		{name: "references that fan out", schema: `{"$ref":"#/$defs/d30","$defs":{` + fan + `}}`, want: "cannot be followed"},
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
		{name: "in another letter case", schema: `{` + properties + `}`, input: `{"city":"a","TENANT":1}`, want: `unknown property "TENANT"` + unknown},
		{name: "with an escape", schema: `{` + properties + `}`, input: `{"\u0074enant":"x"}`, want: `unknown property "tenant"` + unknown},
		{name: "a pattern allows it", schema: `{` + properties + `,"patternProperties":{"^t":{}}}`, input: `{"tenant":"x"}`, want: `unknown property "tenant"` + unknown},
		{name: "alternatives", schema: `{"anyOf":[{` + properties + `},false]}`, input: `{"tenant":"x"}`, want: `unknown property "tenant"` + unknown},
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
			"properties": map[string]any{"a": m.fragment(0), "tenant": m.fragment(0), "b": m.fragment(0)},
			"$defs":      map[string]any{"x": m.fragment(3), "y": m.fragment(3)},
		}
		maps.Copy(doc, m.fragment(3))
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

// fragment returns a schema of objects with the properties a, b and tenant, or of their
// values.
func (g maker) fragment(depth int) map[string]any {
	doc := map[string]any{}
	names := func() []string {
		return slices.DeleteFunc([]string{"a", "b", "tenant"}, func(string) bool { return g.IntN(2) == 0 })
	}
	add := func(keyword string, likely int, value func() any) {
		if g.IntN(likely) == 0 {
			doc[keyword] = value()
		}
	}
	if depth == 0 {
		add("enum", 3, func() any { return []any{"x", g.plain()} })
		add("const", 8, g.plain)
		return doc
	}
	list := func() any {
		return []any{g.fragment(depth - 1), g.fragment(depth - 1)}[:1+g.IntN(2)]
	}
	one := func() any { return g.fragment(depth - 1) }
	properties := func() any {
		all := map[string]any{}
		for _, name := range names() {
			all[name] = g.fragment(0)
		}
		return all
	}
	if _, root := doc["properties"]; !root && depth < 3 {
		add("properties", 3, properties)
	}
	add("required", 4, func() any { return names() })
	add("additionalProperties", 12, func() any { return g.IntN(2) == 0 })
	add("minProperties", 10, func() any { return g.IntN(4) })
	add("maxProperties", 10, func() any { return 1 + g.IntN(4) })
	add("propertyNames", 12, func() any { return map[string]any{"enum": append(names(), "c")} })
	add("patternProperties", 12, func() any { return map[string]any{"^t": g.fragment(0)} })
	add("dependentRequired", 8, func() any { return map[string]any{g.pick("a", "tenant"): names()} })
	add("dependentSchemas", 8, func() any { return map[string]any{g.pick("a", "tenant"): one()} })
	add("allOf", 8, list)
	add("anyOf", 6, list)
	add("oneOf", 5, list)
	add("not", 6, one)
	if g.IntN(5) == 0 {
		doc["if"], doc["then"], doc["else"] = one(), one(), one()
	}
	add("$ref", 10, func() any { return g.pick("#/$defs/x", "#/$defs/y") })
	add("unevaluatedProperties", 20, func() any { return g.IntN(2) == 0 })
	if strings.Contains(fmt.Sprint(doc["required"]), "[]") {
		delete(doc, "required")
	}
	return doc
}
