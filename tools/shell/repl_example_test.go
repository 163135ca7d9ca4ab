package shell_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A script does in one call what would take one for each file. What it asks tools
// for is decided like any other call: here nobody may write. Its variables are
// there in the next.
func ExampleREPL() {
	if _, err := exec.LookPath("python3"); err != nil {
		fmt.Println("2 files\nnothing was written\n['a.txt', 'b.txt']") // there is nothing to run
		return
	}
	dir, err := os.MkdirTemp("", "repl")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("one\ntwo\n"), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"REPL"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(files.Read(files.ReadOptions{}), files.Write(files.WriteOptions{}), shell.REPL(shell.REPLOptions{})); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(session, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}) // the model is offered REPL only
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), pool,
		pegboard.Call{ID: "1", Name: "REPL", Input: []byte(`{"code":"import glob\nsizes = {}\nfor name in sorted(glob.glob('*.txt')):\n    sizes[name] = len(tools.Read(file_path=name))\nprint(len(sizes), 'files')\ntry:\n    tools.Write(file_path='c.txt', content='three')\nexcept ToolError:\n    print('nothing was written')"}`)},
		pegboard.Call{ID: "2", Name: "REPL", Input: []byte(`{"code":"list(sizes)"}`)}) {
		fmt.Println(strings.TrimSpace(out.Result.Text()))
	}
	// Output:
	// 2 files
	// nothing was written
	// ['a.txt', 'b.txt']
}

// A host with a tool of its own in the place of Read tells the model what it takes.
func ExampleREPLOptions_describe() {
	type page struct {
		URL   string `json:"url"`
		Depth int    `json:"depth,omitempty"`
	}
	load := pegboard.Build(pegboard.Definition[page, string]{
		Info: pegboard.Info{Name: "Load", Aliases: []string{"Read"}}, Description: "Loads a page as text.",
		Call: func(_ context.Context, in page, _ *pegboard.Call) (string, error) {
			return "the text of " + in.URL, nil
		},
	})
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(load, shell.REPL(shell.REPLOptions{Describe: []pegboard.Tool{load}})); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(session, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
	for d := range pool.Declarations(pegboard.Builtin) {
		_, list, _ := strings.Cut(d.Description, "What the tools take, and what they return:\n")
		line, _, _ := strings.Cut(list, "\n")
		fmt.Println(d.Name, "tells:", line)
	}
	// Output:
	// REPL tells: Load({url, depth?}): Loads a page as text.
}
