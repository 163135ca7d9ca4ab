package pegboard_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeShowsTheLoop compares README's first code block with the
// declarations of examples/loop that it shows. Run with PEGBOARD_UPDATE=1 to
// write the block anew.
func TestReadmeShowsTheLoop(t *testing.T) {
	t.Parallel()
	want := declarations(t, "examples/loop/main.go", "note", "writeNote", "loop")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(readme), "```go\n")
	require.True(t, ok, "README has no Go block")
	block, after, ok := strings.Cut(rest, "```\n")
	require.True(t, ok, "README's Go block does not end")
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(before+"```go\n"+want+"```\n"+after), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, want, block, "README has drifted from examples/loop; run PEGBOARD_UPDATE=1 go test -run Readme .")
}

// declarations returns the source of the named top-level declarations.
func declarations(t *testing.T, path string, names ...string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, 0)
	require.NoError(t, err)
	var parts []string
	for _, name := range names {
		for _, d := range file.Decls {
			if declares(d, name) {
				parts = append(parts, string(src[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])+"\n")
			}
		}
	}
	require.Len(t, parts, len(names), "examples/loop lacks a declaration that README shows")
	return strings.Join(parts, "\n")
}

func declares(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name == name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == name {
				return true
			}
			if vs, ok := s.(*ast.ValueSpec); ok && vs.Names[0].Name == name {
				return true
			}
		}
	}
	return false
}
