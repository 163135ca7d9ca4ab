package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

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
