package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHoldText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "the background task t1 (a b)", holdText("t1", "a\n  b"))
}
