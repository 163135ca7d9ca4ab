package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// tool wraps a property p, which is required, in the schema of a tool.
func tool(p string) string {
	return `{"type":"object","properties":{"p":` + p + `},"required":["p"]}`
}

// TestConvertProperty converts one required property.
func TestConvertProperty(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, property            string
		anthropic, openAI, gemini string
		lost                      []string // in the dialect of Anthropic
	}{
		{
			name:      "lengths",
			property:  `{"type":"string","description":"A name.","minLength":1,"maxLength":10}`,
			anthropic: `{"type":"string","description":"A name. (1 to 10 characters)"}`,
			openAI:    `{"type":"string","description":"A name. (1 to 10 characters)"}`,
			gemini:    `{"type":"STRING","description":"A name.","minLength":1,"maxLength":10}`,
			lost:      []string{"p: 1 to 10 characters"},
		},
		{
			name:      "counts",
			property:  `{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":10}`,
			anthropic: `{"type":"array","description":"(1 to 10 items)","minItems":1,"items":{"type":"string"}}`,
			openAI:    `{"type":"array","minItems":1,"maxItems":10,"items":{"type":"string"}}`,
			gemini:    `{"type":"ARRAY","minItems":1,"maxItems":10,"items":{"type":"STRING"}}`,
			lost:      []string{"p: 1 to 10 items"},
		},
		{
			name:      "at least one item is kept",
			property:  `{"type":"array","items":{"type":"string"},"minItems":1}`,
			anthropic: `{"type":"array","minItems":1,"items":{"type":"string"}}`,
			openAI:    `{"type":"array","minItems":1,"items":{"type":"string"}}`,
			gemini:    `{"type":"ARRAY","minItems":1,"items":{"type":"STRING"}}`,
		},
		{
			name:      "more than one item is part kept",
			property:  `{"type":"array","items":{"type":"string"},"minItems":3}`,
			anthropic: `{"type":"array","description":"(at least 3 items)","minItems":1,"items":{"type":"string"}}`,
			openAI:    `{"type":"array","minItems":3,"items":{"type":"string"}}`,
			gemini:    `{"type":"ARRAY","minItems":3,"items":{"type":"STRING"}}`,
			lost:      []string{"p: at least 3 items"},
		},
		{
			name:      "numbers",
			property:  `{"type":"integer","exclusiveMinimum":0,"maximum":100,"multipleOf":5}`,
			anthropic: `{"type":"integer","description":"(greater than 0; at most 100; a multiple of 5)"}`,
			openAI:    `{"type":"integer","exclusiveMinimum":0,"maximum":100,"multipleOf":5}`,
			gemini:    `{"type":"INTEGER","description":"(a multiple of 5)","minimum":1,"maximum":100}`,
			lost:      []string{"p: greater than 0", "p: at most 100", "p: a multiple of 5"},
		},
		{
			name:      "a bound that excludes a fraction",
			property:  `{"type":"number","exclusiveMinimum":0.5}`,
			anthropic: `{"type":"number","description":"(greater than 0.5)"}`,
			openAI:    `{"type":"number","exclusiveMinimum":0.5}`,
			gemini:    `{"type":"NUMBER","description":"(greater than 0.5)","minimum":0.5}`,
			lost:      []string{"p: greater than 0.5"},
		},
		{
			name:      "bounds of other types mean nothing",
			property:  `{"type":"boolean","minLength":3,"minimum":1,"minItems":2,"format":"date"}`,
			anthropic: `{"type":"boolean"}`, openAI: `{"type":"boolean"}`, gemini: `{"type":"BOOLEAN"}`,
		},
		{
			name:      "formats",
			property:  `{"type":"string","format":"uri"}`,
			anthropic: `{"type":"string","format":"uri"}`,
			openAI:    `{"type":"string","description":"(format: uri)"}`,
			gemini:    `{"type":"STRING","description":"(format: uri)"}`,
		},
		{
			name:      "a pattern",
			property:  `{"type":"string","pattern":"^[a-z]+$"}`,
			anthropic: `{"type":"string","pattern":"^[a-z]+$"}`,
			openAI:    `{"type":"string","pattern":"^[a-z]+$"}`,
			gemini:    `{"type":"STRING","pattern":"^[a-z]+$"}`,
		},
		{
			name:      "a pattern with a word boundary",
			property:  `{"type":"string","pattern":"\\bx"}`,
			anthropic: `{"type":"string","description":"(matches the pattern \\bx)"}`,
			openAI:    `{"type":"string","description":"(matches the pattern \\bx)"}`,
			gemini:    `{"type":"STRING","pattern":"\\bx"}`,
			lost:      []string{`p: matches the pattern \bx`},
		},
		{
			name:      "const",
			property:  `{"const":"on"}`,
			anthropic: `{"type":"string","enum":["on"]}`, openAI: `{"type":"string","enum":["on"]}`, gemini: `{"type":"STRING","enum":["on"]}`,
		},
		{
			name:      "numbers are listed in words for Gemini",
			property:  `{"type":"integer","enum":[1,2]}`,
			anthropic: `{"type":"integer","enum":[1,2]}`, openAI: `{"type":"integer","enum":[1,2]}`,
			gemini: `{"type":"INTEGER","description":"(one of 1, 2)"}`,
		},
		{
			name:      "null among types",
			property:  `{"type":["string","null"],"enum":["a",null]}`,
			anthropic: `{"type":["string","null"],"enum":["a",null]}`, openAI: `{"type":["string","null"],"enum":["a",null]}`,
			gemini: `{"type":"STRING","nullable":true,"enum":["a"]}`,
		},
		{
			name:      "types apart",
			property:  `{"type":["string","array"],"items":{"type":"integer"},"description":"D"}`,
			anthropic: `{"description":"D","anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}`,
			openAI:    `{"description":"D","anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}`,
			gemini:    `{"description":"D","anyOf":[{"type":"STRING"},{"type":"ARRAY","items":{"type":"INTEGER"}}]}`,
		},
		{
			name:      "oneOf that cannot overlap",
			property:  `{"oneOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]}`,
			anthropic: `{"anyOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]}`,
			openAI:    `{"anyOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]}`,
			gemini:    `{"nullable":true,"anyOf":[{"type":"INTEGER"},{"type":"STRING"}]}`,
		},
		{
			name:      "oneOf that can",
			property:  `{"oneOf":[{"type":"integer"},{"type":"number"}]}`,
			anthropic: `{"description":"(exactly one of the alternatives fits)","anyOf":[{"type":"integer"},{"type":"number"}]}`,
			openAI:    `{"description":"(exactly one of the alternatives fits)","anyOf":[{"type":"integer"},{"type":"number"}]}`,
			gemini:    `{"description":"(exactly one of the alternatives fits)","anyOf":[{"type":"INTEGER"},{"type":"NUMBER"}]}`,
			lost:      []string{"p: exactly one of the alternatives fits"},
		},
		{
			name:      "allOf is merged",
			property:  `{"allOf":[{"type":["number","string"]},{"type":"integer","minimum":1},{"minimum":3}],"description":"D"}`,
			anthropic: `{"type":"integer","description":"D (at least 3)"}`,
			openAI:    `{"type":"integer","description":"D","minimum":3}`,
			gemini:    `{"type":"INTEGER","description":"D","minimum":3}`,
			lost:      []string{"p: at least 3"},
		},
		{
			name:      "what only words can say",
			property:  `{"type":"string","not":{"const":"x"},"examples":["y"],"default":"z"}`,
			anthropic: `{"type":"string","description":"(must not fit {\"const\":\"x\"}; examples: [\"y\"])","default":"z"}`,
			openAI:    `{"type":"string","description":"(must not fit {\"const\":\"x\"}; examples: [\"y\"]; default: \"z\")"}`,
			gemini:    `{"type":"STRING","description":"(must not fit {\"const\":\"x\"}; examples: [\"y\"])","default":"z"}`,
			lost:      []string{`p: must not fit {"const":"x"}`},
		},
		{
			name:      "items by their place",
			property:  `{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"items":false}`,
			anthropic: `{"type":"array","description":"(items in this order: [{\"type\":\"number\"},{\"type\":\"string\"}]; at most 2 items)","items":{"anyOf":[{"type":"number"},{"type":"string"}]}}`,
			openAI:    `{"type":"array","description":"(items in this order: [{\"type\":\"number\"},{\"type\":\"string\"}])","maxItems":2,"items":{"anyOf":[{"type":"number"},{"type":"string"}]}}`,
			gemini:    `{"type":"ARRAY","description":"(items in this order: [{\"type\":\"number\"},{\"type\":\"string\"}])","maxItems":2,"items":{"anyOf":[{"type":"NUMBER"},{"type":"STRING"}]}}`,
			lost:      []string{`p: items in this order: [{"type":"number"},{"type":"string"}]`, "p: at most 2 items"},
		},
		{
			name:      "conditions of keywords that mean nothing",
			property:  `{"type":"string","nullable":true,"x-order":1,"$comment":"c","readOnly":true}`,
			anthropic: `{"type":"string"}`, openAI: `{"type":"string"}`, gemini: `{"type":"STRING"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for d, want := range map[dialect.Dialect]string{dialect.AnthropicStrict: tt.anthropic, dialect.OpenAIStrict: tt.openAI, dialect.GeminiSchema: tt.gemini} {
				c, err := dialect.Convert(json.RawMessage(tool(tt.property)), d)
				require.NoError(t, err, "%s", d)
				wrapped := `{"type":"object","properties":{"p":` + want + `},"required":["p"],"additionalProperties":false}`
				if d == dialect.GeminiSchema {
					wrapped = `{"type":"OBJECT","properties":{"p":` + want + `},"required":["p"]}`
				}
				require.Equal(t, wrapped, string(c.Schema), "%s", d)
				require.Empty(t, check(t, c.Schema, d))
				if d == dialect.AnthropicStrict {
					require.Equal(t, tt.lost, c.Lost)
				}
			}
			for _, d := range []dialect.Dialect{dialect.Anthropic, dialect.OpenAI, dialect.GeminiJSON} {
				c, err := dialect.Convert(json.RawMessage(tool(tt.property)), d)
				require.NoError(t, err)
				require.Equal(t, dialect.Converted{Schema: json.RawMessage(tool(tt.property))}, c, "%s sends it as it is", d)
			}
		})
	}
}

// TestConvertRoot converts what is special about the outermost schema. The plain
// dialects agree on it.
func TestConvertRoot(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, want string
		lost               []string
	}{
		{name: "no type", schema: `{"properties":{}}`, want: `{"properties":{},"type":"object"}`},
		{name: "several types", schema: `{"type":["object","null"],"properties":{}}`, want: `{"type":"object","properties":{}}`},
		{
			name:   "a reference",
			schema: `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/In","definitions":{"In":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			want:   `{"type":"object","properties":{"a":{"type":"string"}},"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"In":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
		},
		{
			name:   "alternatives that only require",
			schema: `{"type":"object","description":"D.","properties":{"url":{},"host":{},"port":{}},"oneOf":[{"required":["url"]},{"required":["host","port"]}]}`,
			want:   `{"type":"object","description":"D. (exactly one of these is given: url; or host and port)","properties":{"url":{},"host":{},"port":{}}}`,
			lost:   []string{"exactly one of these is given: url; or host and port"},
		},
		{
			name:   "alternatives that declare",
			schema: `{"anyOf":[{"properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k","x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}`,
			want:   `{"type":"object","properties":{"k":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"integer"}},"required":["k"],"description":"(any of [{\"properties\":{\"k\":{\"const\":\"a\"},\"x\":{\"type\":\"integer\"}},\"required\":[\"k\",\"x\"]},{\"properties\":{\"k\":{\"const\":\"b\"}},\"required\":[\"k\"]}])"}`,
			lost:   []string{`any of [{"properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k","x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]`},
		},
		{
			name:   "allOf is merged",
			schema: `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"allOf":[{"$ref":"#/$defs/b"},{"properties":{"a":{"minLength":1}}}],"$defs":{"b":{"properties":{"b":{}},"required":["b"]}}}`,
			want:   `{"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"minLength":1}]},"b":{}},"required":["a","b"],"$defs":{"b":{"properties":{"b":{}},"required":["b"]}}}`,
		},
		{
			name:   "not",
			schema: `{"type":"object","properties":{"a":{}},"not":{"required":["a"]}}`,
			want:   `{"type":"object","properties":{"a":{}},"description":"(must not fit {\"required\":[\"a\"]})"}`,
			lost:   []string{`must not fit {"required":["a"]}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(json.RawMessage(tt.schema))
			require.NoError(t, err)
			for _, d := range []dialect.Dialect{dialect.Anthropic, dialect.OpenAI, dialect.GeminiJSON} {
				c, err := dialect.Convert(json.RawMessage(tt.schema), d)
				require.NoError(t, err)
				require.Equal(t, tt.want, string(c.Schema))
				require.Equal(t, tt.lost, c.Lost)
				require.Empty(t, check(t, c.Schema, d))
			}
		})
	}
}

// TestConvertStrict converts whole schemas for OpenAI, where references, optional
// properties and recursion meet.
func TestConvertStrict(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, want string
	}{
		{
			name:   "optional properties may be null",
			schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"enum":["x"]},"c":{"type":"object","properties":{},"additionalProperties":false,"description":"C"},"d":{"type":["null","integer"]},"e":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`,
			want:   `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","null"],"enum":["x",null]},"c":{"description":"C","anyOf":[{"type":"object","properties":{},"required":[],"additionalProperties":false},{"type":"null"}]},"d":{"type":["integer","null"]},"e":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}},"required":["a","b","c","d","e"],"additionalProperties":false}`,
		},
		{
			name:   "references and recursion",
			schema: `{"type":"object","properties":{"tree":{"$ref":"#/definitions/Node","description":"T"},"color":{"$ref":"#/definitions/Color"}},"required":["tree","color"],"definitions":{"Node":{"type":"object","properties":{"left":{"$ref":"#/definitions/Node"},"self":{"$ref":"#"}},"required":["self"]},"Color":{"enum":["r"]}}}`,
			want:   `{"type":"object","properties":{"tree":{"description":"T","anyOf":[{"$ref":"#/$defs/Node"}]},"color":{"$ref":"#/$defs/Color"}},"required":["tree","color"],"additionalProperties":false,"$defs":{"Node":{"type":"object","properties":{"left":{"anyOf":[{"$ref":"#/$defs/Node"},{"type":"null"}]},"self":{"$ref":"#"}},"required":["left","self"],"additionalProperties":false},"Color":{"type":"string","enum":["r"]}}}`,
		},
		{
			name:   "a reference with conditions is written out",
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/n","maximum":5}},"required":["a"],"$defs":{"n":{"type":"integer","minimum":1}}}`,
			want:   `{"type":"object","properties":{"a":{"type":"integer","maximum":5,"minimum":1}},"required":["a"],"additionalProperties":false}`,
		},
		{
			name:   "before draft 2019-09 nothing counts beside a reference",
			schema: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/n","maximum":5}},"required":["a"],"definitions":{"n":{"type":"integer"}}}`,
			want:   `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"],"additionalProperties":false,"$defs":{"n":{"type":"integer"}}}`,
		},
		{
			name:   "a property that no value fits is left out",
			schema: `{"type":"object","properties":{"a":{"type":"string","enum":[1]},"b":{"type":"string"}},"required":["b"]}`,
			want:   `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`,
		},
		{
			name:   "definitions of one name",
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/x/items"},"b":{"$ref":"#/$defs/y/items"}},"required":["a","b"],"$defs":{"x":{"items":{"type":"string"}},"y":{"items":{"type":"integer"}}}}`,
			want:   `{"type":"object","properties":{"a":{"$ref":"#/$defs/items"},"b":{"$ref":"#/$defs/items_2"}},"required":["a","b"],"additionalProperties":false,"$defs":{"items":{"type":"string"},"items_2":{"type":"integer"}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(json.RawMessage(tt.schema))
			require.NoError(t, err)
			c, err := dialect.Convert(json.RawMessage(tt.schema), dialect.OpenAIStrict)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(c.Schema))
			require.Empty(t, check(t, c.Schema, dialect.OpenAIStrict))
			require.True(t, c.Nulls)
		})
	}
}

// many returns n texts, joined.
func many(n int, format string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return strings.Join(all, ",")
}

// nested returns a property n objects deep.
func nested(n int) string {
	return strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, n) + `{"type":"string"}` + strings.Repeat(`}}`, n)
}

func TestFirst(t *testing.T) {
	t.Parallel()
	form, err := dialect.First(json.RawMessage(tool(`{}`)), dialect.AnthropicStrict, dialect.Anthropic)
	require.NoError(t, err)
	require.Equal(t, dialect.Anthropic, form.Dialect)
	require.Len(t, form.Refused, 1)
	require.EqualError(t, form.Refused[0], "p: it takes any value; give it a type")

	_, err = dialect.First(json.RawMessage(`{"type":"object","properties":{"a-b":{}},"propertyNames":{}}`), dialect.GeminiSchema, dialect.GeminiJSON)
	require.ErrorContains(t, err, "a-b: ")
}

// FuzzConvert checks that nothing panics, that what is converted is JSON which the
// checker finds nothing wrong with, and that the rest is refused with a reason.
func FuzzConvert(f *testing.F) {
	for _, seed := range []struct{ schema, input string }{
		{tool(`{"type":["string","object"],"properties":{"a":{"enum":[1,"x",null]}},"minLength":1}`), `{"p":{"a":null}}`},
		{tool(`{"allOf":[{"$ref":"#/properties/p"},{"oneOf":[{"type":"integer"},{"const":null}]}]}`), `{"p":null}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"},"c":{"$ref":"#"}},"required":["b","d"]}}}`, `{"b":{"b":null},"c":null}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":0,"exclusiveMinimum":true,"items":[{}],"additionalItems":false}}}`, `{"n":[null]}`},
		{`{"oneOf":[{"required":["a"]},{"properties":{"a":false}}],"allOf":[true,{"additionalProperties":{"format":"uri"}}],"not":{}}`, `{"a":null}`},
		{tool(nested(3)), `{"p":{"a":{"a":{"a":null}}}}`},
	} {
		f.Add(seed.schema, seed.input)
	}
	f.Fuzz(func(t *testing.T, text, input string) {
		_, err := schema.Compile(json.RawMessage(text))
		compiles := err == nil
		for _, d := range dialects() {
			c, err := dialect.Convert(json.RawMessage(text), d)
			if err != nil {
				var refusal *dialect.RefusalError
				require.ErrorAs(t, err, &refusal)
				continue
			}
			require.True(t, json.Valid(c.Schema), "%s", c.Schema)
			if compiles {
				require.Empty(t, check(t, c.Schema, d), "%s\n%s", d, c.Schema)
			}
			again, err := dialect.Convert(json.RawMessage(text), d)
			require.NoError(t, err)
			require.Equal(t, string(c.Schema), string(again.Schema))
		}
		out := dialect.Denull(json.RawMessage(input), json.RawMessage(text))
		require.Equal(t, json.Valid([]byte(input)), json.Valid(out))
	})
}

func BenchmarkConvert(b *testing.B) {
	text := json.RawMessage(tool(`{"type":"array","items":{"type":"object","properties":{"path":{"type":"string","description":"A path."},"limit":{"type":"integer","minimum":1,"maximum":200},"mode":{"enum":["fast","slow"]}},"required":["path"]},"maxItems":10}`))
	for _, d := range dialects() {
		b.Run(strings.ReplaceAll(d.String(), " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := dialect.Convert(text, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
