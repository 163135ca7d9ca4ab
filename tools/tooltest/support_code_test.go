package tooltest_test

import (
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// codeCalls are the calls of package code.
func codeCalls() []shownCall {
	gopls := filepath.Join(os.Getenv(reference.Variable), "bin", string(reference.Gopls))
	tool := code.LSP(code.Options{Servers: []code.Server{{
		Name: "gopls", Command: []string{gopls}, Languages: map[string]string{".go": "go"}, Roots: []string{"go.mod"},
	}}})
	return []shownCall{{
		made: "code.LSP", tool: tool, needs: gopls,
		files: map[string]string{"go.mod": "module a\n\ngo 1.26\n", "a.go": "package a\n\nfunc A() { A() }\n"},
		input: `{"operation":"goToDefinition","filePath":"a.go","line":3,"character":12}`,
		want: pegboard.View{
			Title: "Ask language server", Kind: pegboard.KindSearch, Folds: true,
			Before: "Ask goToDefinition in a.go", While: "Asking goToDefinition in a.go", After: "Found 1 location",
		},
	}}
}
