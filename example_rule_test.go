package pegboard_test

import (
	"fmt"

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

// A log shows of a rule that an answer has made only what tool it is about.
func ExampleRule_Redacted() {
	for _, source := range []pegboard.RuleSource{pegboard.SourceProject, pegboard.SourceSession} {
		fmt.Println(pegboard.Rule{Behavior: pegboard.Allow, Tool: "Bash", Pattern: "git push *", Source: source}.Redacted())
	}
	// Output:
	// Bash(git push *)
	// Bash(…)
}
