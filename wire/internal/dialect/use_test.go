package dialect_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

func TestUseOf(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/d"}}]},"e":{"$ref":"#/$defs/d"}},"required":["a"],
		"$defs":{"d":{"type":"object","properties":{"x":{"type":["integer","null"]}}}}}`
	require.Equal(t, dialect.Use{Tools: 1, Optional: 3 + 2, Unions: 2 + 2}, dialect.UseOf(json.RawMessage(schema)))

	var sum dialect.Use
	for i := range 20 {
		require.True(t, sum.Add(dialect.Use{Tools: 1, Optional: 1}), "%d", i)
	}
	require.False(t, sum.Add(dialect.Use{Tools: 1}))
	require.Equal(t, dialect.Use{Tools: 20, Optional: 20}, sum, "what does not fit is not added")
	require.False(t, (&dialect.Use{}).Add(dialect.Use{Optional: 25}))
	require.False(t, (&dialect.Use{}).Add(dialect.Use{Unions: 17}))

	doubling := `"d0":{"type":["string","null"]}`
	for i := range 100 {
		doubling += fmt.Sprintf(`,"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	use := dialect.UseOf(json.RawMessage(`{"type":"object","properties":{"p":{"$ref":"#/$defs/d100"}},"$defs":{` + doubling + `}}`))
	require.Greater(t, use.Unions, dialect.MaxUse().Unions)
}
