package realpath_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// TestExpandHidesNothing: what a shell may find is found, or the pattern refused.
func TestExpandHidesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ pattern, file string }{
		{pattern: "[[:alpha:]]x", file: "ax"},
		{pattern: `\.x*`, file: ".xy"},
		{pattern: "[a[!]x", file: "!x"},
		{pattern: ".*/secret", file: "../secret"},
	}
	for _, tc := range tests {
		dir := filepath.Join(tempDir(t), "d")
		write(t, filepath.Join(dir, "keep"))
		write(t, filepath.Join(dir, tc.file))
		if found, ok := realpath.Expand(dir, tc.pattern, 100); ok {
			require.Contains(t, found, dir+"/"+tc.file)
		}
	}
}
