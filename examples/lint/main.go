// Command lint shows each change of a model to a linter, and the report of the linter to the
// model: which problems are new, which were there before, and when all are gone.
// The linter is go vet, in a module that the program makes and removes afterwards.
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
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(1)
	}
}

// vet returns what go vet says about the package of a file, one problem each. A language
// server would be asked for the diagnostics of the file instead.
func vet(ctx context.Context, path string) ([]string, error) {
	if filepath.Ext(path) != ".go" {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, "go", "vet", ".")
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) {
		return nil, err // it did not run, or was ended
	}
	var problems []string
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "#") { // the name of the package
			problems = append(problems, strings.TrimPrefix(line, "vet: "))
		}
	}
	return problems, nil
}

const program = `package main

import "fmt"

func main() {
	fmt.Printf("%d\n", "one")
	who := "world"
	fmt.Println("Hello,", who)
}
`

func run(ctx context.Context, w io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "lint")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for name, text := range map[string]string{"go.mod": "module hello\n\ngo 1.26\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	permissions, err := policy.New(policy.ModeAcceptEdits)
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	// With a cold cache vet compiles the packages that the file imports first.
	options := files.WriteOptions{Diagnose: vet, DiagnoseTimeout: 2 * time.Minute}
	var registry pegboard.Registry
	if err := registry.Add(files.Read(files.ReadOptions{}), files.Edit(options), files.Write(options)); err != nil {
		return err
	}
	var executor pegboard.Executor
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, c := range []struct {
		tool  string
		input map[string]any
	}{
		{"Read", map[string]any{"file_path": "main.go"}},
		{"Edit", map[string]any{"file_path": "main.go", "old_string": "\twho := \"world\"\n", "new_string": "\twho := \"world\"\n\twho = who\n"}},
		{"Edit", map[string]any{"file_path": "main.go", "old_string": "\twho = who\n", "new_string": ""}},
		{"Edit", map[string]any{"file_path": "main.go", "old_string": "%d", "new_string": "%s"}},
	} {
		input, err := json.Marshal(c.input)
		if err != nil {
			return err
		}
		out := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: c.tool, Input: input})[0]
		if _, err := fmt.Fprintf(w, "> %s\n%s\n\n", c.tool, strings.ReplaceAll(out.Result.Text(), dir+string(filepath.Separator), "")); err != nil {
			return err
		}
	}
	return nil
}
