package languageserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// TestServerSeesTheDisk changes files between two requests of gopls that it has not open.
func TestServerSeesTheDisk(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{
		"a.go":     "package a\n\nimport \"example.org/a/b\"\n\nfunc F() int { return b.G() }\n",
		"b/b.go":   "package b\n\nfunc G() int { return 1 }\n",
		"c/c.go":   "package c\n\nimport \"example.org/a/b\"\n\nvar X = b.G()\n",
		"c/d/d.go": "package d\n",
	})
	s := serverFor(t, gopls(t), dir)
	file := filepath.Join(dir, "a.go")
	definition := func(line, column int) string {
		t.Helper()
		found, err := s.Definition(t.Context(), file, languageserver.Position{Line: line, Column: column})
		require.NoError(t, err)
		require.Len(t, found, 1)
		return show(dir, found[0])
	}
	references := func() (all []string) {
		t.Helper()
		found, err := s.References(t.Context(), file, languageserver.Position{Line: 5, Column: 25})
		require.NoError(t, err)
		for _, l := range found {
			all = append(all, show(dir, l))
		}
		return all
	}
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}

	require.Equal(t, "b/b.go:3:6", definition(5, 25))
	require.ElementsMatch(t, []string{"b/b.go:3:6", "a.go:5:25", "c/c.go:5:11"}, references())
	write("b/b.go", "package b\n\n// G is one.\n\n\nfunc G() int { return 1 }\n")
	require.Equal(t, "b/b.go:6:6", definition(5, 25))
	write("c/c.go", "package c\n\nimport \"example.org/a/b\"\n\nvar Y, X = b.G(), b.G()\n")
	require.ElementsMatch(t, []string{"b/b.go:6:6", "a.go:5:25", "c/c.go:5:14", "c/c.go:5:21"}, references())
	require.NoError(t, os.Rename(filepath.Join(dir, "b/b.go"), filepath.Join(dir, "b/moved.go")))
	require.Equal(t, "b/moved.go:6:6", definition(5, 25))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "c")))
	require.ElementsMatch(t, []string{"b/moved.go:6:6", "a.go:5:25"}, references())
	write("e/f/f.go", "package f\n\nimport \"example.org/a/b\"\n\nvar Z = b.G()\n")
	require.ElementsMatch(t, []string{"b/moved.go:6:6", "a.go:5:25", "e/f/f.go:5:11"}, references())
	write("a.go", "package a\n\n\nimport \"example.org/a/b\"\n\nfunc F() int { return b.G() }\n")
	require.Equal(t, "b/moved.go:6:6", definition(6, 25))
	require.NoError(t, os.Remove(file))
	_, err := s.Definition(t.Context(), file, languageserver.Position{Line: 6, Column: 25})
	require.ErrorIs(t, err, os.ErrNotExist)
}
