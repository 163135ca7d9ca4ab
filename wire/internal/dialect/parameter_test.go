package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

func TestConvertRenamesParameters(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 80)
	for _, test := range []struct {
		name   string
		schema string
		to     dialect.Dialect
		want   dialect.Parameters
	}{
		{name: "names that can stay", schema: `{"properties":{"a":{},"_b1":{}}}`, to: dialect.GeminiJSON},
		{name: "a dash", schema: `{"properties":{"-i":{},"pattern":{}}}`, to: dialect.GeminiJSON, want: dialect.Parameters{"_i": "-i"}},
		{name: "a dash where it is taken", schema: `{"properties":{"-i":{}}}`, to: dialect.Anthropic},
		{name: "one that is taken", schema: `{"properties":{"-i":{},"_i":{}}}`, to: dialect.GeminiJSON, want: dialect.Parameters{"_i_444c8974fcf3": "-i"}},
		{name: "two that fold to the same", schema: `{"properties":{"a b":{},"a-b":{}}}`, to: dialect.GeminiJSON, want: dialect.Parameters{"a_b": "a b", "a_b_d44362d67d92": "a-b"}},
		{name: "a digit first", schema: `{"properties":{"1st":{}}}`, to: dialect.GeminiJSON, want: dialect.Parameters{"_1st": "1st"}},
		{name: "no name", schema: `{"properties":{"":{}}}`, to: dialect.Anthropic, want: dialect.Parameters{"_": ""}},
		{name: "other letters", schema: `{"properties":{"größe":{}}}`, to: dialect.Anthropic, want: dialect.Parameters{"gr__e": "größe"}},
		{name: "a long one", schema: `{"properties":{"` + long + `":{}}}`, to: dialect.Anthropic, want: dialect.Parameters{long[:51] + "_d929cdeea7e6": long}},
		{name: "in an alternative of the root", schema: `{"anyOf":[{"properties":{"$x":{"type":"string"}},"required":["$x"]},{"properties":{"y":{}}}]}`, to: dialect.Anthropic, want: dialect.Parameters{"_x": "$x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			converted, err := dialect.Convert(json.RawMessage(test.schema), test.to)
			require.NoError(t, err)
			require.Equal(t, test.want, converted.Parameters)
			require.Equal(t, test.want, dialect.DecodeParameters(converted.Parameters.Encode()))
			require.Empty(t, check(t, converted.Schema, test.to))
			for api, own := range test.want {
				require.Contains(t, string(converted.Schema), fmt.Sprintf("Other texts call it %s.", strings.ReplaceAll(fmt.Sprintf("%q", own), `"`, `\"`)))
				there := converted.Parameters.ToAPI(json.RawMessage(fmt.Sprintf(`{"other":1,%q:{"%s":2}}`, own, own)))
				require.Equal(t, fmt.Sprintf(`{"other":1,%q:{"%s":2}}`, api, own), string(there), "only at the root")
				require.Equal(t, fmt.Sprintf(`{"other":1,%q:{"%s":2}}`, own, own), string(converted.Parameters.ToTool(there)))
			}
		})
	}
}

// TestRenamedParametersStayRequired, and keep their schemas.
func TestRenamedParametersStayRequired(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"-n":{"type":"integer","description":"How many."},"p":{"type":"string"}},"required":["p","-n"]}`
	converted, err := dialect.Convert(json.RawMessage(schema), dialect.GeminiSchema)
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"OBJECT","properties":{"_n":{"type":"INTEGER","description":"How many. Other texts call it \"-n\"."},"p":{"type":"STRING"}},"required":["p","_n"],"propertyOrdering":["_n","p"]}`,
		string(converted.Schema))
}

func TestParametersLeaveOtherInputAlone(t *testing.T) {
	t.Parallel()
	names := dialect.Parameters{"_i": "-i"}
	for _, input := range []string{``, `null`, `[1]`, `"_i"`, `{`, `{"_i":1} x`, `{"a":{"_i":1}}`, `{ "i" : 1 }`} {
		require.Equal(t, input, string(names.ToTool(json.RawMessage(input))))
	}
	require.Equal(t, `{"-i":1,"-i":2}`, string(names.ToTool(json.RawMessage(`{"_i":1,"-i":2}`))), "a repeated name is refused when it is decoded")
}
