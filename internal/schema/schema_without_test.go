package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/schema"
)

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
