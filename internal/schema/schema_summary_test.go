package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 25 {
		many = append(many, fmt.Sprintf(`"p%02d":{"type":"string"}`, i))
	}
	tests := []struct {
		name   string
		schema string
		want   string
	}{
		{name: "nothing declared", schema: `{"type":"object"}`, want: "no properties that are declared"},
		{
			name:   "required first",
			schema: `{"type":"object","properties":{"days":{"type":"integer"},"city":{"type":"string"},"any":{}},"required":["city"]}`,
			want:   `"city": string, required; "any"; "days": integer`,
		},
		{
			name:   "choices and inner objects",
			schema: `{"type":"object","properties":{"unit":{"enum":["C","F"]},"at":{"type":"object","properties":{"lat":{}},"required":["lat"]}}}`,
			want:   `"at": object with "lat"; "unit": one of "C", "F"`,
		},
		{name: "required and not declared", schema: `{"type":"object","required":["x"]}`, want: `"x", required`},
		{
			name:   "behind a reference",
			schema: `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{"a":{"type":"boolean"}}}}}`,
			want:   `"a": boolean`,
		},
		{
			name:   "many",
			schema: `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
			want:   ` and 5 more`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tt.schema))
			require.NoError(t, err)
			if strings.HasPrefix(tt.want, " and") {
				require.True(t, strings.HasSuffix(s.Summary(), tt.want), s.Summary())
				return
			}
			require.Equal(t, tt.want, s.Summary())
		})
	}
}
