package walk_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// BenchmarkRun walks the tree that PEGBOARD_SEARCH_TREE names, beside the
// program that does the same.
func BenchmarkRun(b *testing.B) {
	tree := os.Getenv("PEGBOARD_SEARCH_TREE")
	if tree == "" {
		b.Skip("PEGBOARD_SEARCH_TREE names no tree")
	}
	dir, err := filepath.EvalSymlinks(tree)
	require.NoError(b, err)
	benchmarks := []struct {
		name    string
		options walk.Options
		args    []string
		info    bool
	}{
		{name: "default"},
		{name: "glob", options: walk.Options{Globs: []string{"*.go"}}, args: []string{"-g", "*.go"}},
		{name: "glob-info", options: walk.Options{Globs: []string{"*.go"}}, args: []string{"-g", "*.go"}, info: true},
		{name: "everything", options: walk.Options{NoIgnore: true, Hidden: true}, args: []string{"-uu"}},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name+"/walk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, run(b.Context(), b, dir, bb.options, func(_ int, e *walk.Entry) error {
					if !bb.info {
						return nil
					}
					_, err := e.Info()
					return err
				}))
			}
		})
		b.Run(bb.name+"/rg", func(b *testing.B) {
			if _, err := exec.LookPath("rg"); err != nil {
				b.Skip("rg is not installed")
			}
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "rg", append([]string{"--files"}, bb.args...)...)
				cmd.Dir = dir
				require.NoError(b, cmd.Run())
			}
		})
	}
}
