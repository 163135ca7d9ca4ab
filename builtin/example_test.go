package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// A host gives its loop, and has the tools that a model starts agents with.
func ExampleTools() {
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{}) // a real loop asks a model, and runs its calls
		return agents.Reply{Text: "I was asked: " + parts[len(parts)-1].Text}, err
	}
	set, err := builtin.Tools(builtin.Options{Loop: loop, Without: []builtin.Family{builtin.REPL, builtin.Schedule}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := set.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	var executor pegboard.Executor
	call := pegboard.Call{ID: "1", Name: "Agent", Input: json.RawMessage(`{"description": "look around", "prompt": "What is here?"}`)}
	outcome := executor.Run(ctx, set.Pool(ctx, session), call)[0]
	if report, ok := outcome.Result.Data.(agents.Result); ok {
		fmt.Println(report.Text())
	}
	// Output: I was asked: What is here?
}

// The files that the user of another harness has decide, and nothing else is needed for them.
func ExampleSet_NewSession() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	project := filepath.Join(home, "project")
	for path, text := range map[string]string{
		filepath.Join(home, ".claude", "settings.json"): `{"permissions": {"deny": ["Read(**/.env)"]}}`,
		filepath.Join(project, ".env"):                  "KEY=1\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	ctx := context.Background()
	files := settings.Locate(project, home)
	loaded, err := files.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	set, err := builtin.Tools(builtin.Options{Files: files, Settings: loaded})
	if err != nil {
		log.Fatal(err)
	}
	session, err := set.NewSession(pegboard.SessionConfig{}) // a host sets Ask
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	var executor pegboard.Executor
	outcome := executor.Run(ctx, set.Pool(ctx, session), pegboard.Call{ID: "1", Name: "Read", Input: json.RawMessage(`{"file_path": ".env"}`)})[0]
	fmt.Println(outcome.Result.Text())
	// Output: Read was denied: deny rule "Read(**/.env)" from userSettings covers it. Do not try the same by other means; do something else or tell the user.
}

func ExampleSet_Pool() {
	set, err := builtin.Tools(builtin.Options{Pool: pegboard.PoolConfig{Gates: pegboard.Gates{Simple: true}}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := set.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	for tool := range set.Pool(ctx, session).All() {
		if name := tool.Info().Name; name != "PowerShell" { // on Windows
			fmt.Println(name)
		}
	}
	// Output:
	// Bash
	// Edit
	// Read
}

func ExampleSet_News() {
	set, err := builtin.Tools(builtin.Options{
		Skills: []skills.Skill{{Name: "release", Description: "How we release.", Body: "Ask Ann first."}},
		Pool:   pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOff}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := set.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	for request := range 2 {
		for _, part := range set.News(set.Pool(ctx, session)) {
			fmt.Printf("request %d: %s\n", request+1, part.Text)
		}
	}
	// Output:
	// request 1: These skills can be loaded with the tool Skill, by their names. Load one before you do what it is for:
	// - release: How we release.
}

func ExampleSet_Compacted() {
	set, err := builtin.Tools(builtin.Options{Skills: []skills.Skill{{Name: "release", Description: "How we release.", Body: "Ask Ann first."}}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := set.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(ctx) }()
	var executor pegboard.Executor
	if _, err := set.Skills.Run(ctx, &executor, set.Pool(ctx, session), "release", ""); err != nil { // the user has typed /release
		log.Fatal(err)
	}
	for _, part := range set.Compacted(session) {
		fmt.Println(part.Text)
	}
	// Output:
	// Skill release:
	//
	// Ask Ann first.
}
