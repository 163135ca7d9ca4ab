package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleParseRule() {
	for _, text := range []string{"Bash", "Bash(git status)", "Edit(/src/main.go)", "mcp__github__*", "Bash(npm run *)", "Agent(model:opus)", "Bash()"} {
		r, err := pegboard.ParseRule(pegboard.Deny, text)
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Printf("%v %s: tool %q, pattern %q\n", r.Behavior, r, r.Tool, r.Pattern)
	}
	// Output:
	// deny Bash: tool "Bash", pattern ""
	// deny Bash(git status): tool "Bash", pattern "git status"
	// deny Edit(/src/main.go): tool "Edit", pattern "/src/main.go"
	// deny mcp__github: tool "mcp__github", pattern ""
	// deny Bash(npm run *): tool "Bash", pattern "npm run *"
	// deny Agent(model:opus): tool "Agent", pattern "model:opus"
	// refused: rule "Bash()": the parentheses are empty; leave them out to mean the whole tool
}

func ExampleNewPermissions() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault,
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Edit(src/)"}, Deny: []string{"Edit(.env)"}},
		pegboard.RuleSet{Source: pegboard.SourceProject, Ask: []string{"WebFetch(domain:example.com)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Rules() { // in the order in which they win
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	_, err = pegboard.NewPermissions("yolo")
	fmt.Println(err)
	// Output:
	// deny Edit(.env) from userSettings
	// ask WebFetch(domain:example.com) from projectSettings
	// allow Edit(src/) from userSettings
	// unknown permission mode "yolo"
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
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: in.File}}}
		},
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) { return "wrote " + in.File, nil },
	})
}

// exampleWrite has the tool called in s and prints what became of it.
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

func ExampleSession_Fork() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Edit(src)"}})
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

	narrower, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Edit(src/generated)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "reviewer", Permissions: narrower})
	if err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(agent, "src/main.go")
	exampleWrite(agent, "src/generated/api.go")

	wider, err := p.WithRules(pegboard.RuleSet{Allow: []string{"Edit(docs)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Permissions: wider})
	fmt.Println(err)
	// Output:
	// src/main.go: allow by Edit(src)
	// src/generated/api.go: deny by Edit(src/generated)
	// a fork cannot add the allow rule "Edit(docs)"; add it to the parent
}

func ExampleSession_SetPermissions() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the user said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "notes.md")

	p, err := s.Permissions().WithRules(pegboard.RuleSet{Source: pegboard.SourceSession, Allow: []string{"Edit(notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.SetPermissions(p); err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(s, "notes.md")
	// Output:
	// notes.md: deny, the user said no
	// notes.md: allow by Edit(notes.md)
}

// A person is asked about what no rule decides. Here it is a policy of the host
// that answers in the person's place.
func ExampleAsker() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			fmt.Println(q.Call.Name, "is asked about, for", q.AgentPath)
			for _, t := range q.Targets {
				if t.Access != pegboard.AccessWrite || t.Kind != pegboard.TargetPath {
					return pegboard.Decision{}, errors.New("not my department")
				}
			}
			// What was answered is decoded, validated and decided like what the
			// model wrote.
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "into the drafts", Input: []byte(`{"file":"drafts/a.md"}`)}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "writer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(agent, "a.md")
	// Output:
	// Write is asked about, for [writer]
	// a.md: allow, into the drafts
}

func ExampleKey() {
	counter := pegboard.NewKey[*atomic.Int64]("files written")
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []*pegboard.Session{agent, s} { // whoever comes first makes it
		counter.GetOrInit(s, func() *atomic.Int64 { return new(atomic.Int64) }).Add(1)
	}
	n, ok := counter.Get(s)
	fmt.Println(n.Load(), ok)
	// Output: 2 true
}

func ExampleSessionFrom() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation 7"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	ctx := pegboard.WithSession(context.Background(), s)

	// Deep inside a tool, where only the context arrives:
	if s, ok := pegboard.SessionFrom(ctx); ok {
		fmt.Println(s.ID())
	}
	_, ok := pegboard.SessionFrom(context.Background())
	fmt.Println(ok)
	// Output:
	// conversation 7
	// false
}

// A tool that walks over files checks what it meets on the way.
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
