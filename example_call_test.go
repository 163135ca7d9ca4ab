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
		Traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{ // the files are checked one by one
			{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "list of files"},
		}},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, name := range []string{"main.go", ".env"} {
				fmt.Println(name, c.Filter(file(name)), c.Behavior(file(name))) // never ask
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
	// main.go true allow
	// .env false deny
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

// A tool with a long output reports each line. The user sees the latest, the model the result.
func ExampleCall_Emit() {
	build := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Compile"},
		Description: "Compiles the program.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, line := range []string{"compile main.go", "link"} {
				c.Emit(line)
			}
			return "compiled", nil
		},
	})
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			fmt.Println("progress:", e.Text)
		}
	}}
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, build), pegboard.Call{ID: "1", Name: "Compile"})
	fmt.Println("result:", out[0].Result.Text())
	// Output:
	// progress: compile main.go
	// progress: link
	// result: compiled
}

// A program that rehearses runs what changes nothing and no other call.
func ExampleCall_ReadOnly() {
	rehearsal := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		if !h.Call.ReadOnly() {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "this is a rehearsal"}, nil
		}
		return pegboard.Decision{}, nil
	}}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: rehearsal}, greet, exampleWriter()),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)},
		pegboard.Call{ID: "2", Name: "Write", Input: json.RawMessage(`{"file":"a.md"}`)}) {
		fmt.Println(out.Decision.Behavior, out.Decision.Reason)
	}
	// Output:
	// allow its tool says that it only reads, on this machine, and nothing that rules are about
	// deny this is a rehearsal
}

// A script may call a tool as the model does. The model gets a summary, the script all of it.
func ExampleCall_Parent() {
	list := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "List"},
		Description: "Lists the users.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			if c.Parent() == nil {
				return "3 users", nil
			}
			return "Ada, Bob, Cem", nil
		},
	})
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Script"},
		Description: "Runs a script.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			value, err := c.Run(ctx, pegboard.Call{ID: "2", Name: "List"})[0].Value()
			return fmt.Sprint("the script gets ", value), err
		},
	})
	var ex pegboard.Executor
	p := pool(pegboard.SessionConfig{}, list, script)
	for _, name := range []string{"List", "Script"} {
		fmt.Println(ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: name})[0].Result.Text())
	}
	// Output:
	// 3 users
	// the script gets Ada, Bob, Cem
}

// A tool that gives advice names only tools that the model has.
func ExampleCall_Pool() {
	help := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Help"},
		Description: "Says how to find text.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			if _, ok := c.Pool().Lookup("Grep"); ok {
				return "use Grep", nil
			}
			return "read the files one by one", nil
		},
	})
	var ex pegboard.Executor
	for _, p := range []*pegboard.Pool{pool(pegboard.SessionConfig{}, help), pool(pegboard.SessionConfig{}, help, inert("Grep"))} {
		fmt.Println(ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Help"})[0].Result.Text())
	}
	// Output:
	// read the files one by one
	// use Grep
}
