// Command files edits a small tree as an agent would, in a directory that it removes
// afterwards, and prints the result of each call. Files with Windows line ends and a
// byte order mark keep them. An edit of a file that changed since it was read is
// refused with the current text. Four concurrent edits of one file are all in the file
// in the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for name, text := range map[string]string{
		"main.go":    "package main\n\nfunc main() {\n\tgreet(\"world\")\n}\n",
		"greet.go":   "\uFEFFpackage main\r\n\r\nimport \"fmt\"\r\n\r\nfunc greet(who string) {\r\n\tfmt.Println(\"Hello, \" + who)\r\n}\r\n",
		"numbers":    "one\ntwo\nthree\nfour\n",
		".gitignore": "*.log\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Edit(.gitignore)"}})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	var registry pegboard.Registry
	if err := registry.Add(files.Tools()...); err != nil {
		return err
	}
	a := agent{pool: registry.AssemblePool(session, pegboard.PoolConfig{})}

	a.do(ctx, call("Grep", "pattern", "hello", "-i", true, "output_mode", "content"))
	a.do(ctx, call("Edit", "file_path", "greet.go", "old_string", "Hello", "new_string", "Good morning")) // unread: refused
	a.do(ctx, call("Read", "file_path", "greet.go"), call("Read", "file_path", "numbers"))
	a.do(ctx, call("Edit", "file_path", "greet.go", "old_string", "Hello", "new_string", "Good morning"))
	a.do(ctx, call("Write", "file_path", "cmd/wave/main.go", "content", "package main\n"))
	a.do(ctx, call("Edit", "file_path", ".gitignore", "old_string", "", "new_string", "secret")) // denied
	a.do(ctx,
		call("Edit", "file_path", "numbers", "old_string", "one", "new_string", "1"),
		call("Edit", "file_path", "numbers", "old_string", "two", "new_string", "2"),
		call("Edit", "file_path", "numbers", "old_string", "three", "new_string", "3"),
		call("Edit", "file_path", "numbers", "old_string", "four", "new_string", "4"))

	// Another program changes the file.
	if err := os.WriteFile(filepath.Join(dir, "numbers"), []byte("zero\n1\n2\n3\n4\n4\n"), 0o600); err != nil {
		return err
	}
	a.do(ctx, call("Edit", "file_path", "numbers", "old_string", "4", "new_string", "IV"))            // refused: there are two places now
	a.do(ctx, call("Edit", "file_path", "numbers", "old_string", "3\n4\n4", "new_string", "3\n4\n5")) // the refusal showed the text
	a.do(ctx, call("Glob", "pattern", "**"))

	greet, err := os.ReadFile(filepath.Join(dir, "greet.go"))
	fmt.Printf("greet.go on disk: %.60q…\n", greet)
	return err
}

// An agent stands in for a model: it makes the calls that it is given.
type agent struct {
	executor pegboard.Executor
	pool     *pegboard.Pool
}

// do runs calls as one turn and prints their results.
func (a *agent) do(ctx context.Context, calls ...pegboard.Call) {
	for i := range calls {
		calls[i].ID = fmt.Sprint("call ", i)
	}
	for i, out := range a.executor.Run(ctx, a.pool, calls...) {
		fmt.Printf("▸ %s %s\n", calls[i].Name, calls[i].Input)
		text := out.Result.Text()
		if len(out.Result.Diffs) > 0 { // a host shows them to the user
			text = out.Result.Diffs[0].Unified()
		}
		fmt.Println("  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  "))
	}
	fmt.Println()
}

// call returns a call as a model would make it.
func call(name string, pairs ...any) pegboard.Call {
	input := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		input[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // the pairs above are strings and bools
	}
	return pegboard.Call{Name: name, Input: raw}
}
