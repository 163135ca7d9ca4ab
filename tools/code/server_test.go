package code_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// TestKnownRunsNoToolchainOfTheProject has go.mod name a toolchain that leaves a trace.
func TestKnownRunsNoToolchainOfTheProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the toolchain of this test is a shell script")
	}
	known := code.Known()[0]
	require.Equal(t, "gopls", known.Name)
	known.Command = reference.Args(t, reference.Gopls)
	bare := known
	bare.Options = nil
	for _, tt := range []struct {
		name   string
		server code.Server
		runs   bool
	}{
		{name: "bare", server: bare, runs: true},
		{name: "known", server: known},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			trace := filepath.Join(dir, "trace")
			program := "#!/bin/sh\necho ran >> '" + trace + "'\nexit 1\n"
			script.Write(t, filepath.Join(dir, "go1.999.9"), program)
			t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			t.Setenv("GOTOOLCHAIN", "path")
			g := newGround(t, code.Options{Servers: []code.Server{tt.server}}, pegboard.SessionConfig{}, map[string]string{
				"go.mod": "module example.org/a\n\ngo 1.26\n\ntoolchain go1.999.9\n",
				"a.go":   "package a\n\nfunc hello() {}\n\nfunc both() { hello() }\n",
			})
			out := g.ask(t, "goToDefinition", "a.go", 5, 15)
			_, err := os.Stat(trace)
			require.Equal(t, tt.runs, err == nil, out.Result.Text())
			if !tt.runs {
				require.NoError(t, out.Err)
				require.Contains(t, out.Result.Text(), "a.go\n  3:6: func hello() {}")
			}
		})
	}
}

// TestKnownRunsNoTypeScriptOfTheProject has node_modules of the project hold a tsserver that
// leaves a trace.
func TestKnownRunsNoTypeScriptOfTheProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tsserver of this test is found by a symbolic link")
	}
	server := code.Known()[1]
	require.Equal(t, "typescript-language-server", server.Name)
	server.Command = reference.Args(t, reference.TypeScript, "--stdio")
	around, isThere := strings.CutSuffix(server.Command[1], filepath.FromSlash("/typescript-language-server/lib/cli.mjs"))
	require.True(t, isThere, server.Command)
	for _, tt := range []struct {
		name   string
		onPath bool
	}{
		{name: "none on the path"},
		{name: "one on the path", onPath: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir) // the server leaves directories there
			if tt.onPath {
				require.NoError(t, os.Symlink(filepath.Join(around, "typescript", "bin", "tsserver"), filepath.Join(dir, "tsserver")))
			}
			t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			g := newGround(t, code.Options{Servers: []code.Server{server}}, pegboard.SessionConfig{}, map[string]string{
				"package.json":                         `{}`,
				"tsconfig.json":                        `{"compilerOptions": {"types": []}, "include": ["*.ts"]}`,
				"a.ts":                                 "function hello() {}\nhello()\n",
				"node_modules/typescript/package.json": `{"name": "typescript", "version": "5.9.9"}`,
				"node_modules/typescript/lib/tsserver.js":   `require("fs").writeFileSync(__dirname + "/trace", "ran"); process.exit(1)`,
				"node_modules/typescript/lib/typescript.js": ``,
			})
			out := g.ask(t, "goToDefinition", "a.ts", 2, 1)
			_, err := os.Stat(filepath.Join(g.dir, "node_modules", "typescript", "lib", "trace"))
			require.Equal(t, !tt.onPath, err == nil, out.Result.Text())
			if tt.onPath {
				require.NoError(t, out.Err)
				require.Contains(t, out.Result.Text(), "a.ts\n  1:10: function hello() {}")
			}
		})
	}
}
