package pegboard_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type greeting struct {
	Name string `json:"name" jsonschema:"description=Whom to greet"`
	Loud bool   `json:"loud,omitempty"`
}

var greet = pegboard.Build(pegboard.Definition[greeting, string]{
	Info:        pegboard.Info{Name: "Greet"},
	Description: "Greets somebody.",
	Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
	Call: func(_ context.Context, in greeting, _ *pegboard.Call) (string, error) {
		if in.Loud {
			return "HELLO " + in.Name, nil
		}
		return "hello " + in.Name, nil
	},
})

// pool returns a pool of tools in a new session.
func pool(cfg pegboard.SessionConfig, tools ...pegboard.Tool) *pegboard.Pool {
	s, err := pegboard.NewSession(cfg)
	if err != nil {
		log.Fatal(err)
	}
	var reg pegboard.Registry
	if err := reg.Add(tools...); err != nil {
		log.Fatal(err)
	}
	return reg.AssemblePool(s, pegboard.PoolConfig{})
}

// begin returns a new session.
func begin(cfg pegboard.SessionConfig) *pegboard.Session {
	s, err := pegboard.NewSession(cfg)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// toolset returns a registry with a tool of each name that does nothing.
func toolset(names ...string) *pegboard.Registry {
	var reg pegboard.Registry
	if err := reg.Add(inerts(names...)...); err != nil {
		log.Fatal(err)
	}
	return &reg
}

// shelf returns a registry with a server of two tools, and ToolSearch.
func shelf() *pegboard.Registry {
	reg := toolset("Read")
	if err := reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{})); err != nil {
		log.Fatal(err)
	}
	describe := func(name, text string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[map[string]string, string]{
			Info: pegboard.Info{Name: name}, Description: text,
			Call: func(context.Context, map[string]string, *pegboard.Call) (string, error) { return "done", nil },
		})
	}
	if _, err := reg.Attach("github", describe("create_issue", "Opens an issue."), describe("list_branches", "Lists branches.")); err != nil {
		log.Fatal(err)
	}
	return reg
}

// exampleWriter is a tool that would write the file it is told to.
func exampleWriter() pegboard.Tool {
	type input struct {
		File string `json:"file"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "Write"},
		Description: "Writes a file.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Access: policy.Write, Value: in.File}}}
		},
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) { return "wrote " + in.File, nil },
	})
}

// exampleWrite has the tool called in s and prints the decision.
func exampleWrite(s *pegboard.Session, file string) {
	var registry pegboard.Registry
	if err := registry.Add(exampleWriter()); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	input := fmt.Sprintf(`{"file":%q}`, file)
	out := executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Write", Input: []byte(input)})[0]
	if out.Decision.Rule != nil {
		fmt.Printf("%s: %v by %s\n", file, out.Decision.Behavior, out.Decision.Rule)
		return
	}
	fmt.Printf("%s: %v, %s\n", file, out.Decision.Behavior, out.Decision.Reason)
}

// examplePool returns a pool with the tool of exampleWriter and one named Deploy, which
// says nothing about its effects.
func examplePool(s *pegboard.Session) (*pegboard.Pool, error) {
	type input struct {
		To string `json:"to"`
	}
	deploy := pegboard.Build(pegboard.Definition[input, string]{
		Info:            pegboard.Info{Name: "Deploy"},
		Description:     "Brings the program to a place where others use it.",
		ClassifierInput: func(in input, _ *pegboard.Call) string { return "to " + in.To },
		Call:            func(_ context.Context, in input, _ *pegboard.Call) (string, error) { return "it is at " + in.To, nil },
	})
	var registry pegboard.Registry
	if err := registry.Add(exampleWriter(), deploy); err != nil {
		return nil, err
	}
	return registry.AssemblePool(s, pegboard.PoolConfig{}), nil
}

// log100 prints 100 lines.
func log100() string { return strings.Repeat("something happened\n", 100) }
