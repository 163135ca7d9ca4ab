package dialect_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
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

func dialects() []dialect.Dialect {
	return []dialect.Dialect{
		dialect.Anthropic, dialect.AnthropicStrict, dialect.OpenAI, dialect.OpenAIStrict, dialect.GeminiSchema, dialect.GeminiJSON,
	}
}

// TestSchemasInEveryDialect converts every real schema. A checker that shares no
// code finds nothing wrong with what comes out, and what cannot be converted has a
// reason.
func TestSchemasInEveryDialect(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		for _, file := range []string{"bfcl/functions.jsonl", "mcp-schemas/tools.jsonl"} {
			tallies := map[dialect.Dialect]*tally{}
			for _, d := range dialects() {
				tallies[d] = &tally{reasons: map[string]int{}}
			}
			all, skipped := compiled(t, filepath.Join(folder, filepath.FromSlash(file)))
			for _, row := range all {
				for d, n := range tallies {
					n.add(t, row, d)
				}
			}
			corpus.Report(t, folder, "%s: %d schemas, %d that do not compile are skipped", file, len(all), skipped)
			for _, d := range dialects() {
				corpus.Report(t, folder, "%s: %-29s %s", file, d.String()+":", tallies[d])
				require.Positive(t, tallies[d].converted)
			}
			for _, d := range []dialect.Dialect{dialect.OpenAI} {
				require.Empty(t, tallies[d].reasons, "%s", d)
			}
		}
	}
}

// row is a definition of the corpus.
type row struct {
	id     string
	raw    json.RawMessage
	schema *schema.Schema
}

// compiled returns the schemas of a file that tools can be built with.
func compiled(t *testing.T, path string) (all []row, skipped int) {
	t.Helper()
	for n, line := range corpus.Lines(t, path) {
		var r struct {
			ID         string          `json:"id"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		}
		require.NoError(t, json.Unmarshal(line, &r))
		s, err := schema.Compile(r.Parameters)
		if err != nil {
			skipped++
			continue
		}
		all = append(all, row{id: cmp.Or(r.ID, fmt.Sprintf("%s:%d", r.Name, n)), raw: s.Bytes(), schema: s})
	}
	return all, skipped
}

// tally counts what became of schemas in one dialect.
type tally struct {
	converted, lossless int
	reasons             map[string]int
}

func (n *tally) add(t *testing.T, r row, d dialect.Dialect) {
	t.Helper()
	before := string(r.raw)
	c, err := dialect.Convert(r.raw, d)
	require.Equal(t, before, string(r.raw))
	if err != nil {
		var refusal *dialect.RefusalError
		require.ErrorAs(t, err, &refusal, "%s", r.id)
		require.NotEmpty(t, refusal.Reason)
		n.reasons[refusal.Reason]++
		return
	}
	n.converted++
	if len(c.Lost) == 0 {
		n.lossless++
	}
	require.Empty(t, check(t, c.Schema, d), "%s in %s\n%s\n%s", r.id, d, r.raw, c.Schema)
	again, err := dialect.Convert(r.raw, d)
	require.NoError(t, err)
	require.Equal(t, string(c.Schema), string(again.Schema))
	require.Equal(t, d == dialect.OpenAIStrict, c.Nulls)
}

func (n *tally) String() string {
	refused := 0
	for _, count := range n.reasons {
		refused += count
	}
	text := fmt.Sprintf("%4d converted, %4d lossless, %3d weakened, %3d refused", n.converted, n.lossless, n.converted-n.lossless, refused)
	var why []string
	for _, reason := range slices.SortedFunc(maps.Keys(n.reasons), func(a, b string) int {
		return cmp.Or(n.reasons[b]-n.reasons[a], strings.Compare(a, b))
	}) {
		why = append(why, fmt.Sprintf("%d× %s", n.reasons[reason], reason))
	}
	if len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	return text
}

// TestConvertedAcceptsWhatTheCanonicalDoes compares verdicts on made-up schemas,
// in which combinators, references, bounds and types meet in every way, and on
// made-up inputs. The schemas keep clear of the conventions that Convert documents.
func TestConvertedAcceptsWhatTheCanonicalDoes(t *testing.T) {
	t.Parallel()
	g := maker{rand.New(rand.NewPCG(3, 5))}
	converted, accepted, restored := map[dialect.Dialect]int{}, 0, 0
	for range effort.Of(t, 500) {
		text := fmt.Sprintf(`{"type":"object","properties":{"a":%s,"b":%s},"required":[%s],"additionalProperties":false,"$defs":{"d":%s,"e":%s}}`,
			g.schema(3), g.schema(2), g.pick("", `"a"`), g.schema(2), g.schema(1))
		canonical, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			continue // such as references that lead nowhere but back
		}
		forms := map[dialect.Dialect]*schema.Schema{}
		sent := map[dialect.Dialect]json.RawMessage{}
		for _, d := range dialects() {
			c, err := dialect.Convert(json.RawMessage(text), d)
			if err != nil {
				continue
			}
			require.Empty(t, check(t, c.Schema, d), "%s\n%s\n%s", d, text, c.Schema)
			sent[d] = c.Schema
			readable := c.Schema
			if d == dialect.GeminiSchema {
				readable, err = json.Marshal(fromOpenAPI(generic(t, c.Schema)))
				require.NoError(t, err)
			}
			forms[d], err = schema.Compile(readable)
			require.NoError(t, err, "%s\n%s\n%s", d, text, readable)
			converted[d]++
		}
		for range 60 {
			input := json.RawMessage(g.root())
			if !accepts(canonical, input) {
				continue
			}
			accepted++
			for d, form := range forms {
				if d != dialect.OpenAIStrict {
					require.True(t, accepts(form, input), "%s\n%s\n%s\n%s", d, text, sent[d], input)
				}
			}
			if forms[dialect.OpenAIStrict] == nil || strings.Contains(text, "dependentRequired") || strings.Contains(text, "maxProperties") {
				continue // where it matters whether a property is left out, a null that fits stays and may not do
			}
			shaped := nullShaped(t, generic(t, sent[dialect.OpenAIStrict]), input)
			if accepts(forms[dialect.OpenAIStrict], shaped) { // the test's own shaping is not always right
				back := dialect.Denull(shaped, json.RawMessage(text))
				require.True(t, accepts(canonical, back), "%s\n%s\n%s\n%s", text, sent[dialect.OpenAIStrict], shaped, back)
				restored++
			}
		}
	}
	t.Logf("converted %v, %d inputs accepted, %d restored", converted, accepted, restored)
	if effort.Full(t) {
		for _, d := range dialects() {
			require.Greater(t, converted[d], 300, "%s", d)
		}
		require.Greater(t, accepted, 1000, "too little to compare")
		require.Greater(t, restored, 500)
	}
}

// maker makes up JSON texts of few words, so that they often meet.
type maker struct{ *rand.Rand }

func (g maker) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g maker) root() string {
	return g.pick(`{"a":`+g.value(3)+`}`, `{"a":`+g.value(3)+`,"b":`+g.value(2)+`}`, `{"b":`+g.value(2)+`}`)
}

func (g maker) value(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.pick("0", "1", "2", "1.5", `"x"`, `"y"`, `"xyz"`, `""`, "true", "null", `"2026-01-31"`)
	}
	inner := func() string { return g.value(depth - 1) }
	return g.pick("[]", "["+inner()+"]", "["+inner()+","+inner()+"]", "{}", `{"k":`+inner()+`}`, `{"k":`+inner()+`,"l":`+inner()+`}`)
}

func (g maker) schema(depth int) string {
	inner := func() string { return g.schema(depth - 1) }
	if depth == 0 || g.IntN(4) == 0 {
		return g.scalar()
	}
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf(`{"type":"array","items":%s%s}`, inner(), g.pick("", `,"minItems":1`, `,"minItems":2,"maxItems":3`, `,"uniqueItems":true`))
	case 1, 2:
		return fmt.Sprintf(`{"type":%s,"properties":{"k":%s,"l":%s},"additionalProperties":false%s}`, g.pick(`"object"`, `"object"`, `["object","null"]`), inner(), inner(),
			g.pick("", `,"required":["k"]`, `,"required":["k","l"]`, `,"maxProperties":1`, `,"dependentRequired":{"k":["l"]}`))
	case 3, 4:
		return fmt.Sprintf(`{%q:[%s,%s]%s}`, g.pick("anyOf", "oneOf"), inner(), inner(), g.pick("", "", `,"description":"one"`, `,"type":"string"`, `,"type":["object","string"]`))
	case 5:
		return fmt.Sprintf(`{"allOf":[%s,%s]}`, inner(), inner())
	case 6:
		return fmt.Sprintf(`{"type":["string","object"],"properties":{"k":%s},"additionalProperties":false,"minLength":1}`, inner())
	case 7:
		return fmt.Sprintf(`{"$ref":"#/$defs/%s"%s}`, g.pick("d", "e"), g.pick("", "", `,"description":"ref"`, `,"default":null`, `,"anyOf":[`+inner()+`,`+inner()+`]`))
	default:
		return strings.TrimSuffix(g.scalar(), "}") + g.pick("", `,"not":{"const":1}`, `,"if":{"const":1},"then":false`, `,"title":"T"`, `,"x-y":[1]`) + "}"
	}
}

func (g maker) scalar() string {
	return g.pick(
		`{"type":"string"}`, `{"type":"string","minLength":2}`, `{"type":"string","maxLength":2,"pattern":"^x"}`, `{"type":"string","format":"date"}`,
		`{"type":"string","enum":["x","y"]}`, `{"enum":["x",1,null]}`, `{"enum":["","x"]}`, `{"const":"x"}`, `{"const":1}`, `{"enum":[1,2]}`, `{"type":"string","enum":["x",1]}`,
		`{"type":"integer","minimum":1}`, `{"type":"integer","exclusiveMinimum":0,"maximum":1}`, `{"type":"number","exclusiveMaximum":2}`, `{"type":"number","multipleOf":0.5}`,
		`{"type":["integer","null"]}`, `{"type":["string","integer"]}`, `{"type":"boolean"}`, `{"type":"null"}`, `{"type":["number","integer","string"],"default":1}`,
		`{"type":"string","pattern":"\\bx"}`,
	)
}

func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		dialects     []dialect.Dialect
		want         string
	}{
		{"any value", tool(`{}`), strictOnes(dialect.GeminiSchema), "p: it takes any value; give it a type"},
		{"any items", tool(`{"type":"array","items":{"type":"array"}}`), strictOnes(dialect.GeminiSchema), "p[]: it is a list of any items; describe them"},
		{"any properties", tool(`{"type":"array","items":{"type":"object"}}`), strictOnes(dialect.GeminiSchema), "p[]: it is an object of any properties; declare them"},
		{"more properties", tool(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`), strictOnes(), "p: it takes properties that are not declared; strict schemas cannot"},
		{"no parameters", `{"type":"object"}`, []dialect.Dialect{dialect.GeminiSchema}, "it has no properties; say so in parametersJsonSchema"},
		{"recursion", tool(`{"$ref":"#/$defs/t"}`)[:len(tool(`{"$ref":"#/$defs/t"}`))-1] + `,"$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}}`, []dialect.Dialect{dialect.AnthropicStrict, dialect.GeminiSchema}, "it is recursive: it leads back to #/$defs/t"},
		{"no value", tool(`{"type":"string","enum":[1]}`), strictOnes(dialect.GeminiSchema), "p: no value fits it, and it is required"},
		{"a parameter's name", `{"type":"object","properties":{"$a":{"type":"string"}},"dependentRequired":{"$a":[]}}`, []dialect.Dialect{dialect.Anthropic, dialect.AnthropicStrict}, "$a: the API does not take this name of a parameter, and another part of the schema refers to it; use letters, digits and _"},
		{"a parameter's name for Gemini", `{"type":"object","properties":{"a-b":{"type":"string"},"c":{"$ref":"#/properties/a-b"}}}`, []dialect.Dialect{dialect.GeminiSchema, dialect.GeminiJSON}, "a-b: the API does not take this name of a parameter, and another part of the schema refers to it; use letters, digits and _"},
		{"levels", tool(nested(10)), []dialect.Dialect{dialect.OpenAIStrict}, "it is nested more than 10 levels deep; strict schemas are not"},
		{"properties", `{"type":"object","properties":{` + many(5001, `"p%d":{"type":"string"}`) + `}}`, []dialect.Dialect{dialect.OpenAIStrict}, "it has 5001 properties; strict schemas have at most 5000"},
		{"values", tool(`{"enum":[` + many(1001, `"%d"`) + `]}`), []dialect.Dialect{dialect.OpenAIStrict}, "it lists 1001 values; strict schemas list at most 1000"},
		{"long values", tool(`{"enum":[` + many(251, `"`+strings.Repeat("x", 60)+`%d"`) + `]}`), []dialect.Dialect{dialect.OpenAIStrict}, "p: a list of 251 values has 15703 characters; strict schemas have at most 15000"},
		{"characters", `{"type":"object","properties":{` + many(2000, `"`+strings.Repeat("x", 60)+`%d":{"type":"string"}`) + `}}`, []dialect.Dialect{dialect.OpenAIStrict}, "its names and values have 126890 characters; those of strict schemas have at most 120000"},
		{"a root that is no object", `{"type":"string"}`, dialects(), "the root's type is not object, and a tool's input is one"},
		{"a root reference that leads nowhere", `{"$ref":"#/$defs/a"}`, dialects(), "the root refers to a schema that is not in the document"},
		{"not JSON", `{`, dialects(), "the schema is not JSON"},
		{"a list", `[]`, dialects(), "the schema is not a JSON object"},
		{"an anchor", tool(`{"$ref":"#a"}`), strictOnes(dialect.GeminiSchema), "it refers to #a; only # and paths within the schema are followed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, d := range tt.dialects {
				_, err := dialect.Convert(json.RawMessage(tt.schema), d)
				var refusal *dialect.RefusalError
				require.ErrorAs(t, err, &refusal, "%s", d)
				require.ErrorContains(t, err, strings.TrimPrefix(tt.want, "p: a list")) // the place of a count is the whole
			}
		})
	}
}

func strictOnes(more ...dialect.Dialect) []dialect.Dialect {
	return append([]dialect.Dialect{dialect.AnthropicStrict, dialect.OpenAIStrict}, more...)
}

// TestLimitsAreReached makes sure that what is just within the limits is converted.
func TestLimitsAreReached(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		tool(nested(9)),
		`{"type":"object","properties":{` + many(4990, `"p%d":{"type":"string"}`) + `}}`,
		tool(`{"enum":[` + many(1000, `"%d"`) + `]}`),
	} {
		c, err := dialect.Convert(json.RawMessage(text), dialect.OpenAIStrict)
		require.NoError(t, err)
		require.Empty(t, check(t, c.Schema, dialect.OpenAIStrict))
	}
}

// TestHostileSchemasCostLittle converts schemas that would be huge if everything
// were written out.
func TestHostileSchemasCostLittle(t *testing.T) {
	t.Parallel()
	doubling := `"d0":{"type":"string"}`
	for i := range 60 {
		doubling += fmt.Sprintf(`,"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i+1, i, i)
	}
	product := many(40, `{"anyOf":[{"type":"string","minLength":%[1]d},{"type":"integer"},{"pattern":"%[1]d"}]}`)
	tests := map[string]string{
		"references that double":    `{"type":"object","properties":{"p":{"$ref":"#/$defs/d60"}},"$defs":{` + doubling + `}}`,
		"a product of choices":      tool(`{"allOf":[` + product + `]}`),
		"allOf that grows":          `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{"n":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}},"b":{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}}}}}`,
		"many alternatives":         tool(`{"oneOf":[` + many(1200, `{"type":"object","properties":{"k":{"const":%d}},"required":["k"]}`) + `]}`),
		"many values, many times":   tool(`{"allOf":[` + many(4, `{"enum":[`+many(1000, `"x%[1]d"`)+`,"y%[1]d"]}`) + `]}`),
		"deep":                      tool(strings.Repeat(`{"type":"array","items":`, 90) + `{"type":"string"}` + strings.Repeat(`}`, 90)),
		"a reference to a choice":   tool(`{"anyOf":[{"$ref":"#/properties/p/anyOf/1"},{"type":"array","items":{"$ref":"#/properties/p"}}]}`),
		"a description of anything": tool(`{"type":"string","not":{"enum":[` + many(1500, `"%d"`) + `]}}`),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(json.RawMessage(text))
			require.NoError(t, err)
			for _, d := range dialects() {
				start := time.Now()
				c, err := dialect.Convert(json.RawMessage(text), d)
				require.Less(t, time.Since(start), time.Minute, "%s", d)
				if err == nil {
					require.Less(t, len(c.Schema), 4<<20)
					require.Empty(t, check(t, c.Schema, d), "%s", d)
				}
			}
		})
	}
}
