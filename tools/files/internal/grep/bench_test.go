package grep_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

// BenchmarkSearch runs the queries of the benchmark on the tree that
// PEGBOARD_SEARCH_TREE names, by ripgrep with the start of its process, and by
// us.
func BenchmarkSearch(b *testing.B) {
	needRipgrep(b)
	dir := bigTree(b)
	root, err := os.OpenRoot(dir)
	require.NoError(b, err)
	defer func() { _ = root.Close() }()
	for _, c := range commands() {
		b.Run(c.name+"/rg", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "rg", append([]string{"--no-config"}, c.rg...)...)
				cmd.Dir = dir
				out, _ := cmd.Output() // it fails if nothing is found
				b.ReportMetric(float64(len(out)), "bytes")
			}
		})
		b.Run(c.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := grep.Compile(c.query)
				require.NoError(b, err)
				require.NoError(b, grep.NewSearch(p, grep.Limits{}).Tree(b.Context(), root, dir, "", walked(c.globs)))
			}
		})
	}
}
