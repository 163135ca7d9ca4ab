package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The text of a tool names another one only where the model has it.
func ExampleScope() {
	count := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Count"},
		Description: "Counts lines.", // for people
		Prompt: func(s pegboard.Scope) string {
			text := "Counts the lines of a file."
			if s.Has("Grep") {
				text += " To count matches use Grep."
			}
			return text
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "0", nil },
	})
	all := pool(pegboard.SessionConfig{}, count, inert("Grep"))
	for _, p := range []*pegboard.Pool{all, all.Restrict(pegboard.Restriction{Without: []string{"Grep"}})} {
		for d := range p.Declarations(pegboard.Builtin) {
			if d.Name == "Count" {
				fmt.Printf("%s - %s\n", d.About, d.Description)
			}
		}
	}
	// Output:
	// Counts lines. - Counts the lines of a file. To count matches use Grep.
	// Counts lines. - Counts the lines of a file.
}

// A tool that runs scripts tells the model which tools its scripts can call.
func ExampleScope_CanRun() {
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "REPL"},
		Description: "Runs a script.",
		Prompt: func(s pegboard.Scope) string {
			text := "Runs a script, which may call:"
			for _, name := range []string{"Bash", "Read", "REPL"} {
				if s.CanRun(name) {
					text += " " + name
				}
			}
			return text
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	reg := toolset("Read")
	if err := reg.Add(script); err != nil {
		fmt.Println(err)
		return
	}
	s := begin(pegboard.SessionConfig{})
	gates := pegboard.Gates{REPL: true} // hides Read behind REPL
	for d := range reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates}).Declarations(pegboard.Builtin) {
		fmt.Println(d.Name, "-", d.Description)
	}
	// Output:
	// REPL - Runs a script, which may call: Read
}
