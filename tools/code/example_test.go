package code_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// The host names the servers. A file that none of them knows is an error for the model.
func ExampleLSP() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("a note\n"), 0o600); err != nil {
		panic(err)
	}
	lsp := code.LSP(code.Options{Servers: []code.Server{{
		Name: "gopls", Command: []string{"gopls"}, Languages: map[string]string{".go": "go"}, Roots: []string{"go.mod"},
	}}})
	s, err := tooltest.NewSession(dir)
	if err != nil {
		panic(err)
	}
	out := tooltest.Run(context.Background(), lsp, s, `{"operation":"hover","filePath":"notes.txt","line":1,"character":1}`)
	fmt.Println(out.Result.Text())
	fmt.Println(s.Close(context.Background()))
	// Output:
	// no language server for files such as notes.txt is set up. Use Grep and Read instead
	// <nil>
}

// Known is a table that a host may change before it uses it.
func ExampleKnown() {
	for _, server := range code.Known() {
		fmt.Println(server.Name, server.Roots[0])
	}
	// Output:
	// gopls go.work
	// typescript-language-server tsconfig.json
	// pyright pyrightconfig.json
	// rust-analyzer Cargo.toml
	// clangd compile_commands.json
}

// The hooks ask servers that run already, here none.
func ExampleDiagnostics() {
	hooks := code.Diagnostics(code.Options{})
	s, err := pegboard.NewSession(pegboard.SessionConfig{Hooks: hooks})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Close(context.Background()))
	// Output: <nil>
}
