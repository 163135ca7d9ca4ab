package repair_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/repair"
)

func TestKindStrings(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for k := repair.ControlCharacters; k <= repair.DropNulls; k++ {
		require.True(t, (allText | allValues).Has(k))
		require.NotEqual(t, "unknown", k.String())
		seen[k.String()] = true
	}
	require.Len(t, seen, 6)
	require.Equal(t, "unknown", repair.Kind(0).String())
	require.False(t, repair.Kinds(0).Has(repair.DropNulls))
}
