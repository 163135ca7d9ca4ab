package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// searchTree names the environment variable with the tree to search: a large one,
// with nested ignore files, that nothing changes meanwhile.
const searchTree = "PEGBOARD_SEARCH_TREE"

// search is one query, for our tool and for ripgrep.
type search struct {
	name  string
	rg    []string
	tool  string
	input map[string]any
}

// searches are the queries of the budget. All lines are wanted.
func searches() []search {
	grep := func(pattern string, more ...any) map[string]any {
		in := map[string]any{"pattern": pattern, "output_mode": "content", "head_limit": 0}
		for i := 0; i < len(more); i += 2 {
			in[more[i].(string)] = more[i+1]
		}
		return in
	}
	return []search{
		{"literal", []string{"-nF", "context.WithTimeout("}, "Grep", grep(`context\.WithTimeout\(`)},
		{"literal-in-regex", []string{"-n", `func \(\w+ \*\w+\) \w*Close\(`}, "Grep", grep(`func \(\w+ \*\w+\) \w*Close\(`)},
		{"literal-any-case", []string{"-ni", "deadline exceeded"}, "Grep", grep("deadline exceeded", "-i", true)},
		{"literal-files", []string{"-l", "sync.Mutex"}, "Grep", grep("sync.Mutex", "output_mode", "files_with_matches")},
		{"literal-counts", []string{"-c", "TODO"}, "Grep", grep("TODO", "output_mode", "count")},
		{"literal-nowhere", []string{"-nF", "zqxjkvbnmzqx"}, "Grep", grep("zqxjkvbnmzqx")},
		{"no-literal", []string{"-n", "--no-unicode", `[A-Z]\w+[0-9]{3,}\s*=`}, "Grep", grep(`[A-Z]\w+[0-9]{3,}\s*=`)},
		{"multiline", []string{"-nU", `if err != nil \{\n\s+return nil, err`}, "Grep", grep(`if err != nil \{\n\s+return nil, err`, "multiline", true)},
		{"names", []string{"--files", "-uu", "-g", "*.go"}, "Glob", map[string]any{"pattern": "**/*.go"}},
	}
}

// BenchmarkSearch runs the queries through the executor, beside ripgrep with the
// start of its process. No peer has a case.
func BenchmarkSearch(b *testing.B) {
	tree := os.Getenv(searchTree)
	if tree == "" {
		b.Skip(searchTree + " names no tree to search")
	}
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("ripgrep is not installed")
	}
	tree, err = filepath.EvalSymlinks(tree)
	require.NoError(b, err)
	pool := pegPool(b, pegboard.SessionConfig{Dir: tree, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}},
		files.Grep(files.GrepOptions{}), files.Glob(files.GlobOptions{}))
	for _, s := range searches() {
		b.Run("Search/floor-rg-"+s.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), rg, s.rg...)
				cmd.Dir = tree
				if out, err := cmd.Output(); err != nil && len(out) > 0 {
					b.Fatal(err)
				}
			}
		})
		b.Run("Search/pegboard-"+s.name, func(b *testing.B) {
			input, err := json.Marshal(s.input)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				var ex pegboard.Executor
				out := ex.Run(b.Context(), pool, pegboard.Call{ID: "1", Name: s.tool, Input: input})[0]
				require.NoError(b, out.Err)
			}
		})
	}
}

// BenchmarkHuge shows the first lines of a file of 1 GiB.
func BenchmarkHuge(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "huge")
	require.NoError(b, os.WriteFile(path, []byte(strings.Repeat("a line of a usual length, with a few words in it\n", 200_000)), 0o600))
	require.NoError(b, os.Truncate(path, 1<<30))
	b.Run("ReadHuge/floor-head", func(b *testing.B) {
		if _, err := exec.LookPath("head"); err != nil {
			b.Skip("head is not installed")
		}
		for b.Loop() {
			require.NoError(b, exec.CommandContext(b.Context(), "head", "-2000", path).Run())
		}
	})
	b.Run("ReadHuge/pegboard", func(b *testing.B) {
		read := files.Read(files.ReadOptions{MaxTokens: 1 << 20})
		input, err := json.Marshal(map[string]any{"file_path": path, "limit": 2000})
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			var ex pegboard.Executor
			pool := pegPool(b, pegboard.SessionConfig{Dir: dir}, read) // a new conversation has not seen the text
			out := ex.Run(b.Context(), pool, pegboard.Call{ID: "1", Name: "Read", Input: input})[0]
			require.NoError(b, out.Err)
		}
	})
}
