package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestCallKind(t *testing.T) {
	t.Parallel()
	var all []string
	for k := pegboard.KindOther; k <= pegboard.KindThink; k++ {
		text, err := json.Marshal(k)
		require.NoError(t, err)
		back := pegboard.CallKind(200)
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, k, back)
		all = append(all, k.String())
	}
	require.Equal(t, []string{"other", "search", "read", "list", "edit", "run", "fetch", "think"}, all)
	require.Equal(t, "invalid", (pegboard.KindThink + 1).String())
	kept := pegboard.KindRun
	require.ErrorContains(t, kept.UnmarshalText([]byte("invalid")), `"invalid"`)
	require.Equal(t, pegboard.KindRun, kept)
}

func TestFolding(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"by kind", "always", "never", "invalid"},
		[]string{pegboard.FoldByKind.String(), pegboard.FoldAlways.String(), pegboard.FoldNever.String(), pegboard.Folding(9).String()})
}
