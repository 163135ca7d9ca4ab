// Command code lets a model ask a language server about this repository: the declarations of a
// file, and the uses, the definition and the type of a function. Then the model edits a copy of
// a file, is told which errors the edit brought, and repairs them. The server is gopls. Where
// that is not installed, it is this program once more, with a small server of its own. The model
// is a script; the repository and the answers of the server are real. Run it inside the
// repository.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		err = serve()
	} else {
		err = show(context.Background(), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "code:", err)
		os.Exit(1)
	}
}

// show plays the conversation with gopls if that is on the path.
func show(ctx context.Context, out io.Writer) error {
	if err := os.Setenv("GOPROXY", "off"); err != nil { // for the go command that gopls runs
		return err
	}
	if _, err := exec.LookPath("gopls"); err == nil {
		return run(ctx, out, nil)
	}
	own, err := ownServer()
	if err != nil {
		return err
	}
	return run(ctx, out, []code.Server{own})
}

// ownServer returns the server that this program has.
func ownServer() (code.Server, error) {
	program, err := os.Executable()
	return code.Server{
		Name: "example", Command: []string{program, "serve"}, Languages: map[string]string{".go": "go"}, Roots: []string{"go.mod"},
	}, err
}

// run plays the conversation. Nil servers are those that the package knows.
func run(ctx context.Context, out io.Writer, servers []code.Server) (err error) {
	repository, err := findRepository()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "code")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return err
	}
	if err := copyFile(repository, scratch); err != nil {
		return err
	}
	permissions, err := policy.New(policy.ModeAcceptEdits)
	if err != nil {
		return err
	}
	options := code.Options{Servers: servers}
	h := &host{out: out, scratch: scratch}
	h.session, err = pegboard.NewSession(pegboard.SessionConfig{
		Dir: repository, MoreDirs: []string{scratch}, Permissions: permissions, Hooks: code.Diagnostics(options),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.session.Close(context.WithoutCancel(ctx))) }() // ends the servers
	if err := h.registry.Add(code.LSP(options), files.Read(files.ReadOptions{}), files.Edit(files.WriteOptions{})); err != nil {
		return err
	}
	return h.play(ctx)
}

// findRepository returns the directory of go.mod.
func findRepository() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("run it inside the repository: no go.mod is here or above")
		}
	}
	return "", err
}

// copyFile makes a module of one file of the repository.
func copyFile(repository, scratch string) error {
	text, err := os.ReadFile(filepath.Join(repository, "internal", "ipv4", "ipv4.go"))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(scratch, "ipv4.go"), text, 0o600),
		os.WriteFile(filepath.Join(scratch, "go.mod"), []byte("module example.com/ipv4\n\ngo 1.26\n"), 0o600))
}

// A host has one conversation.
type host struct {
	out      io.Writer
	scratch  string
	session  *pegboard.Session
	registry pegboard.Registry
	calls    int
}

// play plays the conversation.
func (h *host) play(ctx context.Context) error {
	h.say("The model asks about the repository.")
	declared, err := h.ask(ctx, "documentSymbol", code.Location{Path: "internal/excerpt/excerpt.go", Line: 1, Column: 1})
	if err != nil {
		return err
	}
	function, err := find(declared, "counted")
	if err != nil {
		return err
	}
	used, err := h.ask(ctx, "findReferences", function)
	if err != nil {
		return err
	}
	last := used[len(used)-1]
	if _, err := h.ask(ctx, "goToDefinition", last); err != nil {
		return err
	}
	if _, err := h.ask(ctx, "hover", last); err != nil {
		return err
	}

	h.say("\nIt edits a copy of a file, and learns what that broke.")
	file := filepath.Join(h.scratch, "ipv4.go")
	if declared, err = h.ask(ctx, "documentSymbol", code.Location{Path: file, Line: 1, Column: 1}); err != nil {
		return err
	}
	if function, err = find(declared, "parseNumber"); err != nil {
		return err
	}
	h.call(ctx, "Read", map[string]any{"file_path": file, "offset": function.Line, "limit": 1})
	h.call(ctx, "Edit", map[string]any{"file_path": file, "old_string": "bits int) (n uint64, ok bool)", "new_string": "bits int) (n uint64, err error)"})
	h.call(ctx, "Edit", map[string]any{"file_path": file, "old_string": "n, err := strconv.ParseUint(text, base, bits)\n\treturn n, err == nil", "new_string": "return strconv.ParseUint(text, base, bits)"})
	h.call(ctx, "Edit", map[string]any{"file_path": file, "old_string": "n, ok := parseNumber(part, bits)\n\t\tif !ok {", "new_string": "n, err := parseNumber(part, bits)\n\t\tif err != nil {"})
	if used, err = h.ask(ctx, "findReferences", function); err != nil {
		return err
	}
	_, err = h.ask(ctx, "hover", used[len(used)-1])
	return err
}

// find returns the place where a name is declared.
func find(declared []code.Location, name string) (code.Location, error) {
	for _, l := range declared {
		if l.Name == name {
			return l, nil
		}
	}
	return code.Location{}, fmt.Errorf("the server knows no %s", name)
}

// ask asks the language server about a place and returns the places that it names.
func (h *host) ask(ctx context.Context, operation string, at code.Location) ([]code.Location, error) {
	result := h.call(ctx, "LSP", map[string]any{"operation": operation, "filePath": at.Path, "line": at.Line, "character": at.Column})
	output, ok := result.Data.(code.Output)
	if !ok || len(output.Locations) == 0 && output.Hover == "" {
		return nil, fmt.Errorf("%s has no answer", operation)
	}
	return output.Locations, nil
}

// call makes a call and prints the result as the model gets it.
func (h *host) call(ctx context.Context, tool string, input map[string]any) *pegboard.Result {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	h.say(fmt.Sprintf("▸ %s %s", tool, raw))
	h.calls++
	var executor pegboard.Executor
	pool := h.registry.AssemblePool(h.session, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureLSP}}})
	result := executor.Run(ctx, pool, pegboard.Call{ID: fmt.Sprint(h.calls), Name: tool, Input: raw})[0].Result
	for _, part := range append(result.Parts, result.Messages...) {
		h.say("  " + strings.ReplaceAll(strings.TrimSpace(part.Text), "\n", "\n  "))
	}
	return result
}

func (h *host) say(text string) {
	_, _ = fmt.Fprintln(h.out, strings.ReplaceAll(text, h.scratch, "SCRATCH"))
}
