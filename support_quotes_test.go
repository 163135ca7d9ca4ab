package pegboard_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// quoteMark stands above a Go block of a document. It names a file, and the declarations
// of it that the block shows; without names, the block shows all of the file from the
// package clause on.
var quoteMark = regexp.MustCompile(`<!-- quote (\S+\.go)((?: \w+)*) -->\n` + "```go\n((?s:.*?))```\n")

// withQuotes returns a document whose blocks show the code as it is now, and the number
// of those blocks.
func withQuotes(t *testing.T, document string) (text string, blocks int) {
	t.Helper()
	text = quoteMark.ReplaceAllStringFunc(document, func(block string) string {
		blocks++
		mark := quoteMark.FindStringSubmatch(block)
		head, _, _ := strings.Cut(block, "```go\n")
		return head + "```go\n" + quotedCode(t, mark[1], strings.Fields(mark[2])...) + "```\n"
	})
	return text, blocks
}

// quotedCode returns the source of the named top-level declarations with their comments,
// or all of the file from the package clause on.
func quotedCode(t *testing.T, path string, names ...string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	require.NoError(t, err)
	if len(names) == 0 {
		return string(src[fset.Position(file.Package).Offset:])
	}
	var parts []string
	for _, name := range names {
		i := slices.IndexFunc(file.Decls, func(d ast.Decl) bool { return declares(d, name) })
		require.GreaterOrEqual(t, i, 0, "%s has no declaration of %s, which a document quotes", path, name)
		d := file.Decls[i]
		start := d.Pos()
		if doc := commentOf(d); doc != nil {
			start = doc.Pos()
		}
		parts = append(parts, string(src[fset.Position(start).Offset:fset.Position(d.End()).Offset])+"\n")
	}
	return strings.Join(parts, "\n")
}

func commentOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// declares reports whether d declares the name; a method is named like a function.
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
