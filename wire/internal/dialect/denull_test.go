package dialect_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

func TestDenull(t *testing.T) {
	t.Parallel()
	const inner = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"integer"}},"required":["c"]}`
	tests := []struct {
		name, schema, input, want string
	}{
		{"optional", inner, `{"a":null,"c":1}`, `{"c":1}`},
		{"the rest keeps its bytes", inner, `{ "c": 1e0, "a" : null, "x":"\u0061" }`, `{"c":1e0,"x":"\u0061"}`},
		{"nothing to do", inner, ` { "c" : 1 } `, ` { "c" : 1 } `},
		{"a name that stands twice", inner, `{"a":null,"a":"x","c":1}`, `{"a":null,"a":"x","c":1}`},
		{"null that fits", inner, `{"b":null,"c":1}`, `{"b":null,"c":1}`},
		{"null that is required", inner, `{"c":null}`, `{"c":null}`},
		{"null that is not declared", inner, `{"c":1,"x":null}`, `{"c":1,"x":null}`},
		{"the word in a text", inner, `{"a":"null","c":1}`, `{"a":"null","c":1}`},
		{"below lists and objects", `{"properties":{"l":{"type":"array","items":{"properties":{"o":` + inner + `}}}}}`, `{"l":[{"o":{"a":null,"c":1}},{"o":{"c":2}}]}`, `{"l":[{"o":{"c":1}},{"o":{"c":2}}]}`},
		{"below a reference", `{"properties":{"o":{"$ref":"#/$defs/o"}},"$defs":{"o":` + inner + `}}`, `{"o":{"a":null,"c":1}}`, `{"o":{"c":1}}`},
		{"recursion", `{"properties":{"name":{"type":"string"},"next":{"$ref":"#"}}}`, `{"name":null,"next":{"name":"x","next":{"name":null,"next":null}}}`, `{"next":{"name":"x","next":{}}}`},
		{
			"the alternative that fits", `{"properties":{"o":{"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"string"}}},{"properties":{"k":{"const":"b"},"x":{"type":["string","null"]}}}]}}}`,
			`{"o":{"k":"a","x":null}}`, `{"o":{"k":"a"}}`,
		},
		{
			"the other alternative", `{"properties":{"o":{"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"string"}}},{"properties":{"k":{"const":"b"},"x":{"type":["string","null"]}}}]}}}`,
			`{"o":{"k":"b","x":null}}`, `{"o":{"k":"b","x":null}}`,
		},
		{
			"an alternative that requires what is null", `{"properties":{"o":{"oneOf":[{"properties":{"k":{"type":"string"},"l":{"type":["integer","null"]}},"required":["k","l"]},{"properties":{"k":{"type":"integer"},"l":{"type":"integer"}}}]}}}`,
			`{"o":{"k":null,"l":null}}`, `{"o":{}}`,
		},
		{"values that are listed", `{"properties":{"a":{"enum":["x"]},"b":{"enum":["x",null]},"c":{"const":1}}}`, `{"a":null,"b":null,"c":null}`, `{"b":null}`},
		{"of both alternatives null fits", `{"properties":{"a":{"oneOf":[{"type":"null"},{"enum":[null]}]}}}`, `{"a":null}`, `{}`},
		{"items by their place", `{"properties":{"l":{"prefixItems":[{"type":"string"},` + inner + `]}}}`, `{"l":["x",{"a":null,"c":1}]}`, `{"l":["x",{"c":1}]}`},
		{"further properties", `{"additionalProperties":` + inner + `}`, `{"k":{"a":null,"c":1}}`, `{"k":{"c":1}}`},
		{"no JSON", inner, `{"a":null`, `{"a":null`},
		{"no object", inner, `null`, `null`},
		{"no schema", `[`, `{"a":null}`, `{"a":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := dialect.Denull(json.RawMessage(tt.input), json.RawMessage(tt.schema))
			require.Equal(t, tt.want, string(got))
			require.Equal(t, tt.want, string(dialect.Denull(got, json.RawMessage(tt.schema))), "once is enough")
		})
	}
}

// TestDenullGivesUp makes sure that hostile schemas and inputs cost little, and
// change nothing.
func TestDenullGivesUp(t *testing.T) {
	t.Parallel()
	wide := json.RawMessage(`{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#"}}},"anyOf":[` +
		many(1000, `{"properties":{"k":{"const":%d},"n":{"$ref":"#"}}}`) + `]}`)
	listOf := func(n int) json.RawMessage {
		return json.RawMessage(`{"l":[` + strings.Join(slices.Repeat([]string{`{"n":null}`}, n), ",") + `]}`)
	}
	require.Equal(t, `{"l":[{},{}]}`, string(dialect.Denull(listOf(2), wide)))
	require.Equal(t, string(listOf(1000)), string(dialect.Denull(listOf(1000), wide)))

	chain := json.RawMessage(`{"type":"object","properties":{"n":{"$ref":"#"}}}`)
	deep := func(n int) string { return strings.Repeat(`{"n":`, n) + `{"n":null}` + strings.Repeat(`}`, n) }
	require.NotContains(t, string(dialect.Denull(json.RawMessage(deep(100)), chain)), "null")
	require.Equal(t, deep(9000), string(dialect.Denull(json.RawMessage(deep(9000)), chain)))
}

func BenchmarkDenull(b *testing.B) {
	text := json.RawMessage(tool(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}`))
	for name, input := range map[string]string{"none": `{"p":{"a":"x"}}`, "one": `{"p":{"a":"x","b":null}}`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dialect.Denull(json.RawMessage(input), text)
			}
		})
	}
}
