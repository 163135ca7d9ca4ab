package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStdinShellsRunScripts(t *testing.T) {
	t.Parallel()
	for name := range stdinShells {
		require.Contains(t, scriptRunners, name)
	}
}
