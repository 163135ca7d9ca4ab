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
