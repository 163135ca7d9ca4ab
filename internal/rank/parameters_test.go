package rank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/rank"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		want         []rank.Parameter
	}{
		{name: "nothing"},
		{name: "no JSON", schema: `{"properties":{"a":{}}`},
		{name: "no object", schema: `true`},
		{name: "by name", schema: `{"properties":{"b":{"description":"B."},"a":{}}}`,
			want: []rank.Parameter{{Name: "a"}, {Name: "b", Description: "B."}}},
		{name: "nested", schema: `{"properties":{"a":{"properties":{"z":{}}},"b":{"items":{"properties":{"y":{}}}}}}`,
			want: []rank.Parameter{{Name: "a"}, {Name: "z"}, {Name: "b"}, {Name: "y"}}},
		{name: "alternatives", schema: `{"anyOf":[{"properties":{"a":{}}}],"oneOf":[{"properties":{"b":{}}}],"allOf":[{"properties":{"c":{}}}]}`,
			want: []rank.Parameter{{Name: "a"}, {Name: "b"}, {Name: "c"}}},
		{name: "definitions", schema: `{"$defs":{"y":{"properties":{"b":{}}},"x":{"properties":{"a":{}}}}}`,
			want: []rank.Parameter{{Name: "a"}, {Name: "b"}}},
		{name: "further properties", schema: `{"additionalProperties":{"properties":{"a":{}}}}`, want: []rank.Parameter{{Name: "a"}}},
		{name: "wrong types", schema: `{"additionalProperties":false,"items":[1],"anyOf":{},"properties":{"a":true,"b":{"description":7}}}`,
			want: []rank.Parameter{{Name: "a"}, {Name: "b"}}},
		{name: "values", schema: `{"properties":{"a":{"description":"A.","enum":["x",1,"y"],"default":"z","examples":["e"]}}}`,
			want: []rank.Parameter{{Name: "a", Description: "A.\nx\ny\nz\ne"}}},
		{name: "values of items", schema: `{"properties":{"a":{"items":{"enum":["x"]}}}}`, want: []rank.Parameter{{Name: "a", Description: "x"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, rank.Parameters([]byte(test.schema)))
		})
	}
}

func TestParametersAreBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"properties":{"a":`, 1000) + "{}" + strings.Repeat("}}", 1000)
	require.Len(t, rank.Parameters([]byte(deep)), 17)
	var wide strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&wide, `,"p%d":{}`, i)
	}
	require.Len(t, rank.Parameters([]byte(`{"properties":{`+wide.String()[1:]+`}}`)), 500)
}

func FuzzParameters(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"enum":["x"],"items":{"anyOf":[{"properties":{"b":{}}}]}}}}`))
	f.Add([]byte(`{"$defs":{"a":{"properties":null}},"items":[]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		found := rank.Parameters(schema)
		require.LessOrEqual(t, len(found), 500)
		require.Equal(t, found, rank.Parameters(schema))
	})
}
