package pegboard_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxCookbookLines is how long a page of the cookbook may be, so that it is read at a glance.
const maxCookbookLines = 60

// TestDocsCookbookPages holds each page of the cookbook against its form: at most 60 lines,
// code first, and no Go code but what the test file of the same name runs.
func TestDocsCookbookPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/cookbook/*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), 9)
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			code := cookbookCode(page)
			require.LessOrEqual(t, strings.Count(string(text), "\n"), maxCookbookLines, "lines; the cookbook answers one question on a page")
			require.Regexp(t, "^# [^\n]+\n\n<!-- quote "+regexp.QuoteMeta(code)+"[ \\w]* -->\n", string(text), "the code comes first")
			require.Len(t, quoteMark.FindAll(text, -1), strings.Count(string(text), "```go"), "a Go block that no test runs; quote it from %s", code)
			require.Empty(t, unquotedExamples(t, code, string(text)), "Examples of %s that the page does not show", code)
			require.Empty(t, unexplainedNames(t, string(text)), "the page uses these without showing or naming them, so a reader cannot paste it")
		})
	}
}

// TestDocsCookbookCodeIsRun expects each Example of the cookbook to be compared with what it
// prints, and to have a page. The go command only compiles one without an output.
func TestDocsCookbookCodeIsRun(t *testing.T) {
	t.Parallel()
	codes, err := filepath.Glob("docs/cookbook/*_test.go")
	require.NoError(t, err)
	for _, code := range codes {
		examples := examplesOf(t, code)
		require.NotEmpty(t, examples, "%s has no Example", code)
		for _, example := range examples {
			require.NotEmpty(t, example.Output, "%s: Example%s prints nothing that is compared", code, example.Name)
		}
		page := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(code), "_test.go"), "_", "-") + ".md"
		require.FileExists(t, filepath.Join("docs/cookbook", page), "of %s", code)
	}
}

// TestDocsCookbookFirstPageRunsInAnEmptyModule follows the first page as a newcomer would: its
// code is saved under the name that the page gives, and tested.
func TestDocsCookbookFirstPageRunsInAnEmptyModule(t *testing.T) {
	t.Parallel()
	out := runPasted(t, "docs/cookbook/first-tool.md", "first_tool_test.go", "test", "-v")
	require.Contains(t, out, "--- PASS: Example_firstTool")
}

// cookbookCode returns the path of the test file that runs the code of a page.
func cookbookCode(page string) string {
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	return "docs/cookbook/" + strings.ReplaceAll(name, "-", "_") + "_test.go"
}

// examplesOf returns the Examples of a test file.
func examplesOf(t *testing.T, path string) []*doc.Example {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	require.NoError(t, err)
	return doc.Examples([]*ast.File{file}...)
}

// unquotedExamples returns the Examples of a test file that no block of a page shows.
func unquotedExamples(t *testing.T, code, page string) (missing []string) {
	t.Helper()
	shown := map[string]bool{}
	for _, mark := range quoteMark.FindAllStringSubmatch(page, -1) {
		names := strings.Fields(mark[2])
		if mark[1] == code && len(names) == 0 {
			return nil // the whole file
		}
		for _, name := range names {
			shown[name] = mark[1] == code
		}
	}
	for _, example := range examplesOf(t, code) {
		if name := "Example" + example.Name; !shown[name] {
			missing = append(missing, name)
		}
	}
	return missing
}

// unexplainedNames returns the declarations of the cookbook that the code of a page uses, and
// that the page neither shows nor names in its text.
func unexplainedNames(t *testing.T, page string) (missing []string) {
	t.Helper()
	codes, err := filepath.Glob("docs/cookbook/*_test.go")
	require.NoError(t, err)
	unexplained := map[string]bool{}
	for _, code := range codes {
		file, err := parser.ParseFile(token.NewFileSet(), code, nil, 0)
		require.NoError(t, err)
		for _, name := range topLevelNames(file) {
			unexplained[name] = !strings.Contains(page, "`"+name+"`")
		}
	}
	var blocks []*ast.File
	for _, mark := range quoteMark.FindAllStringSubmatch(page, -1) {
		text := mark[3]
		if len(strings.Fields(mark[2])) > 0 {
			text = "package p\n" + text
		}
		block, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		require.NoError(t, err)
		for _, name := range topLevelNames(block) {
			unexplained[name] = false
		}
		blocks = append(blocks, block)
	}
	for _, block := range blocks {
		for name := range usedNames(block) {
			if unexplained[name] {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// topLevelNames returns the names that a file declares, without methods.
func topLevelNames(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				names = append(names, decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// usedNames returns the identifiers of a file that stand for themselves: not those behind a
// dot.
func usedNames(file *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
			return false
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	})
	return used
}
