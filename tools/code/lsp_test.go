package code_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

const goMod = "module example.org/a\n\ngo 1.26\n"

const greetGo = `package a

// Greeter greets.
type Greeter interface{ Greet() string }

type English struct{}

func (English) Greet() string { /* 😀 */ return hello() }

func hello() string { return "hello" }
`

const useGo = `package a

func Use(g Greeter) string { return g.Greet() + hello() }
`

func module() map[string]string {
	return map[string]string{"go.mod": goMod, "greet.go": greetGo, "use.go": useGo}
}

// TestLSPOfAModule holds every operation against a table made by hand.
func TestLSPOfAModule(t *testing.T) {
	g := newGround(t, code.Options{Servers: []code.Server{gopls(t)}}, pegboard.SessionConfig{}, module())
	tests := []struct {
		name, operation, file string
		line, character       int
		want                  string
	}{
		{name: "definition behind an emoji", operation: "goToDefinition", file: "greet.go", line: 8, character: 48, want: "greet.go\n  10:6: func hello() string { return \"hello\" }"},
		{name: "references", operation: "findReferences", file: "greet.go", line: 10, character: 6, want: "greet.go\n  10:6: func hello() string { return \"hello\" }\n  8:48: func (English) Greet() string { /* 😀 */ return hello() }\nuse.go\n  3:49: func Use(g Greeter) string { return g.Greet() + hello() }"},
		{name: "hover", operation: "hover", file: "use.go", line: 3, character: 12, want: "The words of gopls, indented:\n    ```go\n    type Greeter interface{ Greet() string }\n    ```\n    \n    ---\n    \n    Greeter greets."},
		{name: "document symbols", operation: "documentSymbol", file: "greet.go", line: 1, character: 1, want: "greet.go\n  4:6: interface Greeter interface{...}\n    4:25: method Greet func() string\n  6:6: struct English struct{}\n  8:16: method (English).Greet func() string\n  10:6: function hello func() string"},
		{name: "workspace symbols", operation: "workspaceSymbol", file: "use.go", line: 1, character: 1, want: "greet.go\n  6:6: struct English in example.org/a | type English struct{}\n  8:16: method English.Greet in example.org/a | func (English) Greet() string { /* 😀 */ return hello() }"},
		{name: "implementation", operation: "goToImplementation", file: "greet.go", line: 4, character: 6, want: "greet.go\n  6:6: type English struct{}"},
		{name: "call hierarchy", operation: "prepareCallHierarchy", file: "greet.go", line: 10, character: 6, want: "greet.go\n  10:6: function hello | func hello() string { return \"hello\" }"},
		{name: "incoming calls", operation: "incomingCalls", file: "greet.go", line: 10, character: 6, want: "greet.go\n  8:16: function Greet | func (English) Greet() string { /* 😀 */ return hello() } (calls it at 8:48)\nuse.go\n  3:6: function Use | func Use(g Greeter) string { return g.Greet() + hello() } (calls it at 3:49)"},
		{name: "outgoing calls", operation: "outgoingCalls", file: "greet.go", line: 8, character: 16, want: "greet.go\n  10:6: function hello | func hello() string { return \"hello\" } (called at 8:48)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := g.ask(t, tt.operation, tt.file, tt.line, tt.character)
			require.NoError(t, out.Err)
			require.False(t, out.Result.IsError, out.Result.Text())
			if tt.operation == "hover" { // gopls appends links
				require.Contains(t, out.Result.Text(), tt.want)
				return
			}
			require.Equal(t, tt.want, out.Result.Text())
		})
	}
}

// TestLSPIsThatOfTheDisk changes files between calls in every way a program may.
func TestLSPIsThatOfTheDisk(t *testing.T) {
	t.Parallel()
	g := newGround(t, code.Options{Servers: []code.Server{gopls(t)}}, pegboard.SessionConfig{Permissions: acceptEdits(t)}, module())
	where := func(file string, line, character int) string {
		t.Helper()
		out := g.ask(t, "goToDefinition", file, line, character)
		require.NoError(t, out.Err, out.Result.Text())
		return out.Result.Text()
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", g.dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	require.Contains(t, where("use.go", 3, 49), "greet.go\n  10:6:")

	require.NoError(t, g.call(t, "Read", map[string]any{"file_path": filepath.Join(g.dir, "greet.go")}).Err)
	edited := g.call(t, "Edit", map[string]any{"file_path": filepath.Join(g.dir, "greet.go"), "old_string": "func hello()", "new_string": "// hello is a word.\nfunc hello()"})
	require.NoError(t, edited.Err, edited.Result.Text())
	require.Contains(t, where("use.go", 3, 49), "greet.go\n  11:6:")

	git("checkout", "-q", "--", "greet.go")
	require.Contains(t, where("use.go", 3, 49), "greet.go\n  10:6:")

	require.NoError(t, os.Rename(filepath.Join(g.dir, "greet.go"), filepath.Join(g.dir, "renamed.go")))
	require.Contains(t, where("use.go", 3, 49), "renamed.go\n  10:6:")

	require.NoError(t, os.Remove(filepath.Join(g.dir, "use.go")))
	require.Contains(t, g.ask(t, "findReferences", "renamed.go", 10, 6).Result.Text(), "renamed.go")
	require.NotContains(t, g.ask(t, "findReferences", "renamed.go", 10, 6).Result.Text(), "use.go")
	require.Contains(t, g.ask(t, "hover", "use.go", 1, 1).Result.Text(), "does not exist")
}

// TestLSPShowsNoDeniedFile denies the file with the declaration, and expects that nothing of
// it is shown.
func TestLSPShowsNoDeniedFile(t *testing.T) {
	t.Parallel()
	permissions, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Deny: []string{"Read(greet.go)"}})
	require.NoError(t, err)
	g := newGround(t, code.Options{Servers: []code.Server{gopls(t)}}, pegboard.SessionConfig{Permissions: permissions}, module())
	for _, operation := range []string{"goToDefinition", "hover", "workspaceSymbol"} {
		text := g.ask(t, operation, "use.go", 3, 49).Result.Text()
		require.Contains(t, text, "left out, in files that may not be read", operation)
		require.NotContains(t, text, "greet.go", operation)
		require.NotContains(t, text, "func hello", operation)
	}
	text := g.ask(t, "findReferences", "use.go", 3, 49).Result.Text()
	require.Contains(t, text, "use.go\n  3:49:")
	require.Contains(t, text, "[2 locations left out")
	require.ErrorIs(t, g.ask(t, "hover", "greet.go", 4, 6).Err, pegboard.ErrDenied)
}

func TestLSPOfBadInput(t *testing.T) {
	texts := module()
	texts["a.txt"], texts["latin.go"], texts["wide.go"] = "x", "package a // \xe9\n", "\xff\xfep\x00a\x00c\x00k\x00a\x00g\x00e\x00 \x00a\x00\n\x00"
	texts["large.go"] = "package a\n" + string(make([]byte, 20<<20))
	g := newGround(t, code.Options{Servers: []code.Server{gopls(t), {Name: "gone", Command: []string{"no-such-program"}, Languages: map[string]string{".gone": "gone"}}}}, pegboard.SessionConfig{}, texts)
	g.put(t, "a.gone", "x")
	g.put(t, "../outside.go", "package b\n")
	tests := []struct {
		name, file      string
		line, character int
		says            string
	}{
		{name: "missing", file: "no.go", line: 1, character: 1, says: "no.go does not exist. Look for it with Glob."},
		{name: "directory", file: ".", line: 1, character: 1, says: "is a directory"},
		{name: "no server", file: "a.txt", line: 1, character: 1, says: "no language server for files such as a.txt is set up"},
		{name: "outside", file: "../outside.go", line: 1, character: 1, says: "outside"},
		{name: "too large", file: "large.go", line: 1, character: 1, says: "larger than"},
		{name: "not UTF-8", file: "latin.go", line: 1, character: 1, says: "not text"},
		{name: "line 0", file: "use.go", line: 0, character: 1, says: "line"},
		{name: "behind the end", file: "use.go", line: 99, character: 1, says: "3 lines"},
		{name: "column behind the end", file: "use.go", line: 1, character: 99, says: "counted from 1"},
		{name: "missing program", file: "a.gone", line: 1, character: 1, says: "Use Grep and Read instead, and tell the user."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := g.ask(t, "hover", tt.file, tt.line, tt.character)
			require.Error(t, out.Err, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
		})
	}
	out := g.ask(t, "documentSymbol", "wide.go", 1, 1)
	require.NoError(t, out.Err, out.Result.Text())
}

func TestLSPCountsTheRest(t *testing.T) {
	t.Parallel()
	g := newGround(t, code.Options{Servers: []code.Server{gopls(t)}, Max: 2}, pegboard.SessionConfig{}, module())
	out := g.ask(t, "findReferences", "greet.go", 10, 6)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "[Cut: the first 2 of 3 locations.")
	data, ok := out.Result.Data.(code.Output)
	require.True(t, ok)
	require.Len(t, data.Locations, 2)
	require.Equal(t, 3, data.Total)
	require.Equal(t, code.Location{Path: "greet.go", Line: 10, Column: 6, EndLine: 10, EndColumn: 11, Text: `func hello() string { return "hello" }`}, data.Locations[0])
}

func TestLSPKeepsTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(code.LSP(code.Options{Servers: []code.Server{}}),
		`{"operation":"hover","filePath":"a.go","line":1,"character":1}`, `{"operation":"workspaceSymbol","filePath":"a.go","line":1,"character":1,"query":"a"}`))
}

// acceptEdits returns permissions under which edits need no question.
func acceptEdits(t *testing.T) pegboard.Permissions {
	t.Helper()
	p, err := pegboard.NewPermissions(pegboard.ModeAcceptEdits)
	require.NoError(t, err)
	return p
}
