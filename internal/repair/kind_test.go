package repair_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/repair"
)

func TestKindsOf(t *testing.T) {
	t.Parallel()
	for k := repair.ControlCharacters; k <= repair.Scalars; k++ {
		require.True(t, (allText | allValues).Has(k))
		require.True(t, repair.KindsOf(k).Has(k))
		require.False(t, repair.KindsOf().Has(k))
	}
	require.Equal(t, allText|allValues, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText,
		repair.JSONInString, repair.JoinStrings, repair.DropNulls, repair.Scalars))
}
