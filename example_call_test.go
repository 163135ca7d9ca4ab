package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that walks over files checks each file that it meets on the way.
func ExampleCall_Check() {
	file := func(name string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: name}
	}
	walk := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Walk"},
		Description: "Reads all there is.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, name := range []string{"main.go", ".env"} {
				fmt.Println(name, c.Filter(file(name))) // never asks
			}
			return "", c.Check(ctx, file(".env")) // asks if it must
		},
	})
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(.env)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	var registry pegboard.Registry
	if err := registry.Add(walk); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	out := executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{Name: "Walk"})[0]
	fmt.Println(out.Result.Text())
	fmt.Println(errors.Is(out.Err, pegboard.ErrDenied))
	// Output:
	// main.go true
	// .env false
	// denied: deny rule "Read(.env)" covers it
	// true
}

// An engine that runs calls elsewhere gets their id, name and bytes, and makes
// them anew on the far side.
func ExamplePool_Rebuild() {
	far := pool(pegboard.SessionConfig{}, greet)
	ex := pegboard.Executor{Invoke: func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		tool, call, err := far.Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: c.Input})
		if err != nil {
			return nil, err
		}
		return tool.Call(ctx, call)
	}}
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Result.Text())
	// Output: hello Ada
}

// A tool reports its progress as a text for people and as data for a progress bar.
func ExampleCall_EmitData() {
	type progress struct{ Done, All int }
	convert := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Convert"},
		Description: "Converts the pictures.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for i, name := range []string{"a.png", "b.png"} {
				c.EmitData(name, progress{Done: i + 1, All: 2})
			}
			return "done", nil
		},
	})
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if p, ok := e.Data.(progress); ok {
			fmt.Printf("%d%% %s\n", 100*p.Done/p.All, e.Text)
		}
	}}
	executor.Run(context.Background(), pool(pegboard.SessionConfig{}, convert), pegboard.Call{ID: "1", Name: "Convert"})
	// Output:
	// 50% a.png
	// 100% b.png
}

// A log has one name for each tool, whatever the model called it.
func ExampleCall_ToolName() {
	agent := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Agent", Aliases: []string{"Task"}},
		Description: "Starts an agent.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call:        func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
	})
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished {
			fmt.Printf("%s, called %s\n", e.Call.ToolName(), e.Call.Name)
		}
	}}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{}, agent), pegboard.Call{Name: "Task"})
	// Output: Agent, called Task
}
