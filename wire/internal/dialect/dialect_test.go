package dialect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

func TestDialectsHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range append(dialects(), dialect.Dialect(99)) {
		require.False(t, seen[d.String()])
		seen[d.String()] = true
	}
}
