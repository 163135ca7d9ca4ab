package hooks_test

import (
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// The hooks of a file, and what in it has no effect.
func ExampleParse() {
	set, problems, err := hooks.Parse([]byte(`{
		"PreToolUse": [
			{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./format.sh", "timeout": 5}]},
			{"matcher": "mcp__memory", "hooks": [{"type": "command", "command": "./log.sh"}]}
		]
	}`), policy.SourceProject, ".claude/settings.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range set.Handlers("PreToolUse") {
		fmt.Println(h.Matcher, h.Command, h.Timeout)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// Edit|Write ./format.sh 5s
	// mcp__memory ./log.sh 0s
	// .claude/settings.json: hooks.PreToolUse[1].matcher: no tool is named "mcp__memory"; for all tools of that server write "mcp__memory__.*"
}

// A hook that stands in two files runs once.
func ExampleJoin() {
	parse := func(source policy.Source) hooks.Set {
		set, _, err := hooks.Parse([]byte(`{"Stop": [{"hooks": [{"type": "command", "command": "./bell.sh"}]}]}`), source, "")
		if err != nil {
			log.Fatal(err)
		}
		return set
	}
	joined := hooks.Join(parse(policy.SourceProject), parse(policy.SourceUser))
	for _, h := range joined.Handlers("Stop") {
		fmt.Println(h.Command, h.Source)
	}
	// Output: ./bell.sh projectSettings
}

// In strict mode a host refuses a file that loses a hook which may block.
func ExampleProblem() {
	_, problems, err := hooks.Parse([]byte(`{
		"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "./check.sh"}]}],
		"Stop":       [{"hooks": [{"type": "command", "command": "./bell.sh", "timeout": "5"}]}]
	}`), policy.SourceUser, "settings.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range problems {
		fmt.Println(p.Skipped && p.Guards, p)
	}
	// Output:
	// true settings.json: hooks.PreToolUse[0].hooks[0]: there is no type; write "type": "command", "http", "mcp_tool", "prompt" or "agent"
	// false settings.json: hooks.Stop[0].hooks[0].timeout: there is a string, so the default counts; write a number of seconds
}

// The rules of a project's file are about its own folder. In a session that works elsewhere,
// they are spelled with that folder.
func ExampleSet_WithRules() {
	set, _, err := hooks.Parse([]byte(`{"PostToolUse": [{"hooks": [{"type": "command", "command": "./format.sh", "if": "Edit(/src/**)"}]}]}`), policy.SourceProject, "")
	if err != nil {
		log.Fatal(err)
	}
	set = set.WithRules(func(_ hooks.Handler, r policy.Rule) []policy.Rule {
		spelled, err := policy.ParseRule(policy.Deny, r.Tool+"(//project"+r.Pattern+")")
		if err != nil {
			log.Fatal(err)
		}
		return []policy.Rule{spelled}
	})
	for _, h := range set.Handlers("PostToolUse") {
		fmt.Println(h.If, h.Rules())
	}
	// Output: Edit(/src/**) [Edit(//project/src/**)]
}

// The hooks that run before a call.
func ExampleSet_Match() {
	set, _, err := hooks.Parse([]byte(`{"PreToolUse": [
		{"matcher": "Task",                "hooks": [{"type": "command", "command": "./agents.sh"}]},
		{"matcher": "^(Edit|Write)$|^mcp", "hooks": [{"type": "command", "command": "./writes.sh"}]},
		{                                  "hooks": [{"type": "command", "command": "./all.sh"}]}
	]}`), policy.SourceUser, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, names := range [][]string{{"Agent", "Task"}, {"Write"}, {"mcp__github__search"}} {
		for _, h := range set.Match("PreToolUse", names...) {
			fmt.Println(names[0], h.Command)
		}
	}
	// Output:
	// Agent ./agents.sh
	// Agent ./all.sh
	// Write ./writes.sh
	// Write ./all.sh
	// mcp__github__search ./writes.sh
	// mcp__github__search ./all.sh
}

// A list of hooks for the user names the events that have any, and which would run before one
// tool, by its name or an alias.
func ExampleHandler_Matches() {
	set, _, err := hooks.Parse([]byte(`{
		"PreToolUse": [
			{"matcher": "Task",  "hooks": [{"type": "command", "command": "./agents.sh"}]},
			{"matcher": "Write", "hooks": [{"type": "command", "command": "./writes.sh"}]}
		],
		"Stop": [{"hooks": [{"type": "command", "command": "./bell.sh"}]}]
	}`), policy.SourceUser, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, event := range set.Events() {
		for _, h := range set.Handlers(event) {
			fmt.Println(event, h.Command, h.Matches("Agent", "Task"))
		}
	}
	// Output:
	// PreToolUse ./agents.sh true
	// PreToolUse ./writes.sh false
	// Stop ./bell.sh true
}
