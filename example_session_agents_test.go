package pegboard_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
)

// A log line says which agent made a call, and how it came to be.
func ExampleSession_AgentPath() {
	session := begin(pegboard.SessionConfig{ID: "conversation 7"})
	planner, err := session.Fork(pegboard.SessionConfig{AgentID: "planner"})
	if err != nil {
		log.Fatal(err)
	}
	worker, err := planner.Fork(pegboard.SessionConfig{AgentID: "worker", Role: pegboard.RoleAsyncAgent})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range []*pegboard.Session{session, planner, worker} {
		fmt.Printf("%s: %q, %v, from %q\n", s.ID(), s.AgentID(), s.Role(), s.AgentPath())
	}
	// Output:
	// conversation 7: "", main, from []
	// conversation 7: "planner", sub-agent, from ["planner"]
	// conversation 7: "worker", async agent, from ["planner" "worker"]
}

// A prompt names the directories that the agent may work in as the user would.
func ExampleSession_Dirs() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	app, lib := filepath.Join(home, "app"), filepath.Join(home, "lib")
	for _, dir := range []string{app, lib} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			log.Fatal(err)
		}
	}
	s := begin(pegboard.SessionConfig{Home: home, Dir: app, MoreDirs: []string{lib}})
	for _, dir := range s.Dirs() {
		rel, err := filepath.Rel(s.Home(), dir)
		fmt.Println("~/"+rel, err)
	}
	fmt.Println(s.ShortPath(filepath.Join(app, "main.go")))
	fmt.Println(s.ShortPath(filepath.Join(lib, "lib.go")) == filepath.Join(lib, "lib.go"))
	// Output:
	// ~/app <nil>
	// ~/lib <nil>
	// main.go
	// true
}

// A tool has put a download away for the model, which may read it without a question.
func ExampleSession_AllowReads() {
	downloads, err := os.MkdirTemp("", "downloads")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(downloads) }()
	type input struct {
		File string `json:"file"`
	}
	read := pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "Read"},
		Description: "Reads a file.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.File}}}
		},
		Call: func(context.Context, input, *pegboard.Call) (string, error) { return "", nil },
	})
	tools := pool(pegboard.SessionConfig{}, read)
	call := pegboard.Call{Name: "Read", Input: fmt.Appendf(nil, `{"file":%q}`, filepath.Join(downloads, "page.md"))}
	fmt.Println(tools.Decide(context.Background(), call).Behavior)
	tools.Session().AllowReads(downloads)
	fmt.Println(tools.Decide(context.Background(), call).Behavior)
	// Output:
	// ask
	// allow
}
