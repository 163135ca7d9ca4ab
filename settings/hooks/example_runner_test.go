package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// guarded are the hooks of a file: one denies, and one keeps the agent from stopping.
const guarded = `{
	"PreToolUse": [{"matcher": "Greet", "hooks": [
		{"type": "command", "command": "grep -q Bob && { echo Bob is asleep >&2; exit 2; }; exit 0"}
	]}],
	"Elicitation": [{"hooks": [
		{"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"Elicitation\", \"action\": \"decline\"}}'"}
	]}],
	"Stop": [{"hooks": [{"type": "command", "command": "echo Run the tests first. >&2; exit 2"}]}]
}`

func guard(o hooks.Options) *hooks.Runner {
	set, _, err := hooks.Parse([]byte(guarded), policy.SourceUser, "settings.json")
	if err != nil {
		log.Fatal(err)
	}
	return hooks.New(set, o)
}

func greeter() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct {
		Name string `json:"name"`
	}, string]{
		Info: pegboard.Info{Name: "Greet"}, Description: "Greets someone.",
		Permit: func(context.Context, struct {
			Name string `json:"name"`
		}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		},
		Call: func(_ context.Context, in struct {
			Name string `json:"name"`
		}, _ *pegboard.Call) (string, error) {
			return "Hello " + in.Name, nil
		},
	})
}

// open returns a session with hooks.
func open(r *hooks.Runner) *pegboard.Session {
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Hooks: r.Hooks(), Elicit: r.Elicit(nil)})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// The scripts of the user guard the calls of a model. Strict means that they must be passed.
func ExampleRunner_Hooks() {
	s := open(guard(hooks.Options{Strict: true}))
	defer func() { _ = s.Close(context.Background()) }()
	var registry pegboard.Registry
	if err := registry.Add(greeter()); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name": "Ada"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name": "Bob"}`)}) {
		fmt.Println(out.Result.Text())
	}
	// Output:
	// Hello Ada
	// Greet was denied: PreToolUse hook "Greet" of settings.json: Bob is asleep. Do not try the same by other means; do something else or tell the user.
}

// The loop of an agent fires the events that are not about calls.
func ExampleRunner_Fire() {
	r := guard(hooks.Options{})
	s := open(r)
	defer func() { _ = s.Close(context.Background()) }()
	answer, err := r.Fire(context.Background(), s, "Stop", hooks.StopFields{LastAssistantMessage: "All done."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Block, answer.Reason)
	// Output:
	// true [The Stop hook of settings.json says, in words that are not the user's:]
	// <hook-words>
	// Run the tests first.
	// </hook-words>
}

// Hooks answer the forms of servers before the user does.
func ExampleRunner_Elicit() {
	s := open(guard(hooks.Options{}))
	defer func() { _ = s.Close(context.Background()) }()
	filled, err := s.Elicit(pegboard.WithSession(context.Background(), s), pegboard.Elicitation{From: "forge", Message: "Log in?", URL: "https://example.com/login"})
	fmt.Println(filled.Action, err)
	// Output: decline <nil>
}

// A file that was changed takes effect between two turns.
func ExampleRunner_Replace() {
	r := guard(hooks.Options{})
	s := open(r)
	defer func() { _ = s.Close(context.Background()) }()
	r.Replace(hooks.Set{})
	answer, err := r.Fire(context.Background(), s, "Stop", nil)
	fmt.Println(answer.Block, err)
	// Output: false <nil>
}

// The program hears of hooks that cannot run.
func ExampleNew() {
	set, _, err := hooks.Parse([]byte(`{"Stop": [{"hooks": [{"type": "prompt", "prompt": "Is everything done?"}]}]}`), policy.SourceProject, ".claude/settings.json")
	if err != nil {
		log.Fatal(err)
	}
	hooks.New(set, hooks.Options{OnProblem: func(_ hooks.Handler, err error) { fmt.Println(err) }})
	// Output: Stop hook of settings.json: it is left out: the program asks no model for hooks
}

// The scripts of the user may refuse tasks, and their completion.
func ExampleRunner_TaskHooks() {
	set, _, err := hooks.Parse([]byte(`{"TaskCompleted": [{"hooks": [
		{"type": "command", "command": "grep -q test && { echo Show that the tests pass first. >&2; exit 2; }; exit 0"}
	]}]}`), policy.SourceUser, "settings.json")
	if err != nil {
		log.Fatal(err)
	}
	r := hooks.New(set, hooks.Options{})
	list, err := tasks.Open("", r.TaskHooks())
	if err != nil {
		log.Fatal(err)
	}
	s := open(r)
	defer func() { _ = s.Close(context.Background()) }()
	var registry pegboard.Registry
	if err := registry.Add(list.Tools()...); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "TaskCreate", Input: json.RawMessage(`{"subject": "Mend the test", "description": ""}`)},
		pegboard.Call{ID: "2", Name: "TaskUpdate", Input: json.RawMessage(`{"taskId": "1", "status": "completed"}`)}) {
		fmt.Println(out.Result.Text())
	}
	// Output:
	// Task #1 was added: Mend the test
	// the task was not completed: TaskCompleted hook of settings.json: Show that the tests pass first.
}

// The scripts of the user see agents end, and may have them go on.
func ExampleRunner_AgentHooks() {
	set, _, err := hooks.Parse([]byte(`{"SubagentStop": [{"hooks": [
		{"type": "command", "command": "grep -q 'All tests pass' || { echo Run the tests first. >&2; exit 2; }"}
	]}]}`), policy.SourceUser, "settings.json")
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	group, err := agents.New(agents.Options{
		Hooks:       hooks.New(set, hooks.Options{}).AgentHooks(),
		Registry:    &registry,
		Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			parts, err := a.Next(ctx, agents.Usage{})
			if err == nil && strings.Contains(parts[len(parts)-1].Text, "Run the tests first.") {
				return agents.Reply{Text: "All tests pass."}, nil
			}
			return agents.Reply{Text: "It is mended."}, err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	result, err := group.Start(context.Background(), session, agents.Request{Prompt: "Mend the parser."})
	fmt.Println(result.Text(), err)
	// Output: All tests pass. <nil>
}

// The scripts of the user make the worktrees, as for repositories that are not of git.
func ExampleRunner_WorktreeHooks() {
	set, _, err := hooks.Parse([]byte(`{
		"WorktreeCreate": [{"hooks": [{"type": "command", "command": "mktemp -d"}]}],
		"WorktreeRemove": [{"hooks": [{"type": "command", "command": "jq -r .worktree_path | xargs rmdir"}]}]
	}`), policy.SourceUser, "settings.json")
	if err != nil {
		log.Fatal(err)
	}
	options := hooks.New(set, hooks.Options{}).WorktreeHooks(session.WorktreeOptions{})
	var registry pegboard.Registry
	if err := registry.Add(session.Worktree(options)...); err != nil {
		log.Fatal(err)
	}
	fmt.Println(options.Create != nil, options.Remove != nil)
	// Output: true true
}
