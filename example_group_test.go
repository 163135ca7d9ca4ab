package pegboard_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
)

// One browser for the whole conversation: of the tools in its group one call runs at once,
// whichever agents make them, and however many calls a message has.
func ExampleGroupLimit() {
	var using atomic.Int32
	inBrowser := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info:        pegboard.Info{Name: name, Group: "browser"},
			Description: "Does something in the browser.",
			Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
				defer using.Add(-1)
				return fmt.Sprint(using.Add(1), " at once"), nil
			},
		})
	}
	p := pool(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{
		"browser":     {Parallel: 1},
		"mcp__github": {PerSecond: 5, Burst: 10}, // all tools of a source
	}}, inBrowser("Open"), inBrowser("Click"))
	var texts []string
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), p, pegboard.Call{Name: "Open"}, pegboard.Call{Name: "Click"}, pegboard.Call{Name: "Open"}) {
		texts = append(texts, out.Result.Text())
	}
	fmt.Println(strings.Join(texts, ", "))
	// Output: 1 at once, 1 at once, 1 at once
}
