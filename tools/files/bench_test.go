package files_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// BenchmarkReadHugeFile shows the first 2,000 lines of a file of 1 GiB, beside
// the program that does the same.
func BenchmarkReadHugeFile(b *testing.B) {
	g := newGround(b, pegboard.SessionConfig{}, allLines())
	path := g.put(b, "huge", strings.Repeat("a line of a usual length, with a few words in it\n", 200_000))
	require.NoError(b, os.Truncate(path, 1<<30))
	b.Run("Read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := g.call(b.Context(), b, "Read", map[string]any{"file_path": path})
			require.NoError(b, out.Err)
		}
	})
	b.Run("head", func(b *testing.B) {
		if _, err := exec.LookPath("head"); err != nil {
			b.Skip("head is not installed")
		}
		for b.Loop() {
			require.NoError(b, exec.CommandContext(b.Context(), "head", "-2000", path).Run())
		}
	})
}

// allLines returns a Read that shows what it is asked for, each time.
func allLines() pegboard.Tool {
	return files.Read(files.ReadOptions{MaxTokens: 1 << 20}.With(files.ReadLimits{Again: true}))
}

// BenchmarkReadFarOffset shows the last lines of a file of 100 MB.
func BenchmarkReadFarOffset(b *testing.B) {
	g := newGround(b, pegboard.SessionConfig{}, allLines())
	const count = 2_000_000
	path := g.put(b, "long", strings.Repeat("a line of a usual length, with a few words in it\n", count))
	b.SetBytes(count * 49)
	for b.Loop() {
		out := g.call(b.Context(), b, "Read", map[string]any{"file_path": path, "offset": count - 10})
		require.NoError(b, out.Err)
	}
}

// BenchmarkGlob searches a tree of 10,000 files for a tenth of them.
func BenchmarkGlob(b *testing.B) {
	g := newGround(b, pegboard.SessionConfig{})
	for i := range 10_000 {
		kind := "txt"
		if i%10 == 0 {
			kind = "go"
		}
		dir := filepath.Join(fmt.Sprint(i%10), fmt.Sprint(i/10%10), fmt.Sprint(i/100%10))
		g.put(b, filepath.Join(dir, fmt.Sprintf("%d.%s", i, kind)), "")
	}
	b.ReportAllocs()
	for b.Loop() {
		out := g.call(b.Context(), b, "Glob", map[string]any{"pattern": "**/*.go"})
		require.NoError(b, out.Err)
	}
}

// BenchmarkEdit changes a word of a file of 1,000 lines, there and back.
func BenchmarkEdit(b *testing.B) {
	g := editable(b)
	g.put(b, "f", strings.Repeat("a line of a usual length, with a few words in it\n", 500)+"one\n"+strings.Repeat("and more of them\n", 500))
	g.read(b, map[string]any{"file_path": "f"})
	from, to := "one\n", "two\n"
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, g.edit(b, "f", from, to).Err)
		from, to = to, from
	}
}

// BenchmarkWrite replaces a file of 1,000 lines of which one changes.
func BenchmarkWrite(b *testing.B) {
	g := editable(b)
	lines := strings.Repeat("a line of a usual length, with a few words in it\n", 500)
	g.put(b, "f", lines)
	g.read(b, map[string]any{"file_path": "f"})
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		require.NoError(b, g.write(b, "f", fmt.Sprint(lines, i, "\n", lines)).Err)
	}
}
