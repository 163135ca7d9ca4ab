package languageserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// gopls returns the configuration of a server that is installed.
func gopls(t *testing.T) languageserver.Config {
	t.Helper()
	return languageserver.Config{Name: "gopls", Command: reference.Args(t, reference.Gopls), Languages: map[string]string{".go": "go"}}
}

const moduleA = "package a\n\n// Greeter greets.\ntype Greeter interface{ Greet() string }\n\ntype English struct{}\n\nfunc (English) Greet() string { /* 😀 */ return hello() }\n\nfunc hello() string { return \"hello\" }\n"

// module writes a module and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	files["go.mod"] = "module example.org/a\n\ngo 1.26\n"
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestServerGopls(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"a.go": moduleA})
	file := filepath.Join(dir, "a.go")
	pool := languageserver.NewPool()
	defer func() { require.NoError(t, pool.Close(t.Context())) }()
	s, err := pool.Server(gopls(t), dir)
	require.NoError(t, err)
	at := func(line, column int) languageserver.Position {
		return languageserver.Position{Line: line, Column: column}
	}
	in := func(line, from, to int) []languageserver.Location {
		return []languageserver.Location{{URI: "file://" + file, Path: file, Range: languageserver.Range{Start: at(line, from), End: at(line, to)}}}
	}

	found, err := s.Definition(t.Context(), file, at(8, 48))
	require.NoError(t, err)
	require.Equal(t, in(10, 6, 11), found)
	found, err = s.References(t.Context(), file, at(10, 6))
	require.NoError(t, err)
	require.Equal(t, append(in(10, 6, 11), in(8, 48, 53)...), found)
	found, err = s.Implementation(t.Context(), file, at(4, 6))
	require.NoError(t, err)
	require.Equal(t, in(6, 6, 13), found)
	hover, err := s.Hover(t.Context(), file, at(4, 6))
	require.NoError(t, err)
	require.Contains(t, hover.Text, "Greeter greets.")
	symbols, err := s.DocumentSymbols(t.Context(), file)
	require.NoError(t, err)
	require.Len(t, symbols, 4)
	require.Equal(t, "Greet", symbols[0].Children[0].Name)
	symbols, err = s.WorkspaceSymbols(t.Context(), "", "English")
	require.NoError(t, err)
	require.Equal(t, in(6, 6, 13)[0].Path, symbols[0].Location.Path)
	items, err := s.PrepareCallHierarchy(t.Context(), file, at(10, 6))
	require.NoError(t, err)
	require.Equal(t, "hello", items[0].Name)
	calls, err := s.IncomingCalls(t.Context(), file, at(10, 6))
	require.NoError(t, err)
	require.Equal(t, in(8, 48, 53), calls[0].Places)
	calls, err = s.OutgoingCalls(t.Context(), file, at(8, 17))
	require.NoError(t, err)
	require.Equal(t, "hello", calls[0].Item.Name)
	require.Equal(t, in(8, 48, 53), calls[0].Places)
}
