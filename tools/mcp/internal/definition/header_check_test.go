package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	properties := func(text string) string { return `{"type":"object","properties":{` + text + `}}` }
	tests := []struct {
		name   string
		schema string
		want   string // the error; empty means valid
	}{
		{name: "none", schema: properties(`"a":{"type":"number"}`)},
		{name: "each type", schema: properties(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B"},"c":{"type":"boolean","x-mcp-header":"C-1"}`)},
		{name: "each character", schema: properties("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"aZ09!#$%&'*+-.^_`|~\"}")},
		{name: "deep", schema: properties(`"a":{"type":"object","properties":{"b":{"properties":{"c":{"type":"string","x-mcp-header":"A"}}}}}`)},
		{name: "a property of that name", schema: properties(`"x-mcp-header":{"type":"object"},"properties":{"type":"string","x-mcp-header":"A"}`)},
		{name: "within a value", schema: properties(`"a":{"type":"string","default":{"x-mcp-header":1},"enum":[{"x-mcp-header":1}]}`)},
		{name: "empty", schema: properties(`"a":{"type":"string","x-mcp-header":""}`), want: "it is not a text with at least one character"},
		{name: "a number", schema: properties(`"a":{"type":"string","x-mcp-header":1}`), want: "it is not a text with at least one character"},
		{name: "null", schema: properties(`"a":{"type":"string","x-mcp-header":null}`), want: "it is not a text with at least one character"},
		{name: "escaped", schema: properties(`"a":{"type":"number","x-mcp-h\u0065ader":"A"}`), want: "the property is not a string, an integer or a boolean"},
		{name: "a blank in it", schema: properties(`"a":{"type":"string","x-mcp-header":"My Region"}`), want: `"My Region" is not the name of an HTTP header`},
		{name: "a colon in it", schema: properties(`"a":{"type":"string","x-mcp-header":"A:"}`), want: `"A:" is not the name of an HTTP header`},
		{name: "a line break in it", schema: properties(`"a":{"type":"string","x-mcp-header":"A\r\nB"}`), want: `is not the name of an HTTP header`},
		{name: "a letter that is not ASCII", schema: properties(`"a":{"type":"string","x-mcp-header":"Région"}`), want: `"Région" is not the name of an HTTP header`},
		{name: "a letter that becomes ASCII in lower case", schema: properties(`"a":{"type":"string","x-mcp-header":"\u212a"}`), want: `is not the name of an HTTP header`},
		{name: "a number as a property", schema: properties(`"a":{"type":"number","x-mcp-header":"A"}`), want: "the property is not a string, an integer or a boolean"},
		{name: "an object as a property", schema: properties(`"a":{"type":"object","x-mcp-header":"A"}`), want: "the property is not a string, an integer or a boolean"},
		{name: "several types", schema: properties(`"a":{"type":["string","null"],"x-mcp-header":"A"}`), want: "the property is not a string, an integer or a boolean"},
		{name: "no type", schema: properties(`"a":{"x-mcp-header":"A"}`), want: "the property is not a string, an integer or a boolean"},
		{name: "twice", schema: properties(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"A"}`), want: `at "/properties/b": the one at "/properties/a" names the same header`},
		{name: "twice in other letters", schema: properties(`"a":{"type":"string","x-mcp-header":"Ab"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"aB"}}}`), want: "names the same header"},
		{name: "at the root", schema: `{"type":"object","x-mcp-header":"A"}`, want: "through properties alone"},
		{name: "in the items of a list", schema: properties(`"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`), want: `at "/properties/a/items": only properties that are reached through properties alone can have one`},
		{name: "in a property of such items", schema: properties(`"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}`), want: "through properties alone"},
		{name: "in a part", schema: `{"type":"object","allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, want: "through properties alone"},
		{name: "in an alternative", schema: properties(`"a":{"oneOf":[{"type":"string","x-mcp-header":"A"}]}`), want: "through properties alone"},
		{name: "under a condition", schema: `{"type":"object","if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, want: "through properties alone"},
		{name: "in a definition", schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`, want: "through properties alone"},
		{name: "in a pattern of properties", schema: `{"type":"object","patternProperties":{"^a":{"type":"string","x-mcp-header":"A"}}}`, want: "through properties alone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := `{"name":"get","inputSchema":` + tt.schema + `}`
			_, _, err := attached(t, definition.Server{Name: "srv", MirrorsInput: true}, raw)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
			_, _, err = attached(t, definition.Server{Name: "srv"}, raw)
			require.NoError(t, err, "without headers the annotation has no meaning")
		})
	}
}
