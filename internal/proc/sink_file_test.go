package proc_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestFile(t *testing.T) {
	t.Parallel()
	const all = "a\xff\x00b€c" // what the role prints
	tests := []struct {
		name    string
		maxFile int64
		want    string
	}{
		{name: "all", want: all},
		{name: "one byte less", maxFile: int64(len(all)) - 1, want: all[:len(all)-1]},
		{name: "just all", maxFile: int64(len(all)), want: all},
		{name: "room for more", maxFile: 1 << 20, want: all},
		{name: "inside a character", maxFile: 5, want: all[:5]},
		{name: "one byte", maxFile: 1, want: "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := own(t, "bytes")
			c.File = filepath.Join(t.TempDir(), "out")
			c.MaxFile = tt.maxFile
			exit := run(t.Context(), t, c)
			require.NoError(t, exit.Err)
			require.NoError(t, exit.FileErr)
			require.Equal(t, tt.want, content(t, c.File))
			require.Equal(t, int64(len(tt.want)), exit.Stored)
			require.Equal(t, int64(len(all)), exit.Output.Total)
			require.Equal(t, all, string(exit.Output.Head))
		})
	}
}

func TestFileThatCannotBeMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
	tests := []struct {
		name string
		file string
		want error
	}{
		{name: "it exists", file: old, want: fs.ErrExist},
		{name: "a folder", file: dir, want: fs.ErrExist},
		{name: "no folder", file: filepath.Join(dir, "no", "out"), want: fs.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			c := own(t, "print")
			c.File = tt.file
			p, err := table.Start(t.Context(), c)
			require.NoError(t, err)
			_, fileErr := p.Stored() // known at once
			require.ErrorIs(t, fileErr, tt.want)
			exit := p.Exit()
			require.NoError(t, exit.Err)
			require.Equal(t, fileErr, exit.FileErr)
			require.Zero(t, exit.Stored)
			require.Equal(t, "outerr", exit.Output.Text())
		})
	}
	require.Equal(t, "old", content(t, old))
}

func TestNoFileWithoutACommand(t *testing.T) {
	t.Parallel()
	var table proc.Table
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	_, err := table.Start(t.Context(), proc.Command{Args: []string{filepath.Join(dir, "missing")}, Dir: dir, File: file})
	require.Error(t, err)
	require.NoFileExists(t, file)
	require.Zero(t, table.Live())
}

// Others read the file while the command goes on.
func TestFileGrows(t *testing.T) {
	t.Parallel()
	var table proc.Table
	c := own(t, "echo")
	c.Stdin = true
	c.File = filepath.Join(t.TempDir(), "out")
	p := start(t.Context(), t, &table, c)
	require.Empty(t, content(t, c.File))
	var want string
	for _, word := range []string{"one\n", "two\n", "three\n"} {
		_, err := io.WriteString(p.Stdin(), word)
		require.NoError(t, err)
		require.Equal(t, word, p.line(t))
		want += word
		require.Equal(t, want, content(t, c.File))
		stored, err := p.Stored()
		require.NoError(t, err)
		require.Equal(t, int64(len(want)), stored)
	}
	require.False(t, isDone(p))
	require.NoError(t, p.Stdin().Close())
	require.Equal(t, int64(len(want)), p.Exit().Stored)
	require.Equal(t, want, content(t, c.File))
}
