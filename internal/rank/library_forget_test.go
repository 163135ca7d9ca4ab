package rank_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/rank"
)

func TestReviewForget(t *testing.T) {
	t.Parallel()
	var l rank.Library
	l.Forget("nothing was asked for yet")
	a, b := source("a", "paint"), source("b", "sing")
	x := l.Index([]rank.Source{a, b})
	l.Forget("c")
	require.Same(t, x, l.Index([]rank.Source{a, b}), "another source")
	l.Forget("b")
	require.Equal(t, [][2]int{{1, 0}}, first(x, "sing"), "an index stays what it is")
	require.Equal(t, [][2]int{{1, 0}}, first(l.Index([]rank.Source{a, b}), "sing"))
}
