package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that files a complaint adds what the model said when it made the call.
func ExampleWithMessage() {
	type message struct{ Text string } // of the host's client
	report := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Report"},
		Description: "Tells the developers what went wrong.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			m, _ := c.Message().(*message)
			if m == nil { // another host, or a test
				return "Reported.", nil
			}
			return fmt.Sprintf("Reported, with %q.", m.Text), nil
		},
	})
	m := &message{Text: "The build fails for a reason I do not see."}
	ctx := pegboard.WithMessage(context.Background(), m)
	var executor pegboard.Executor
	out := executor.Run(ctx, pool(pegboard.SessionConfig{}, report), pegboard.Call{ID: "1", Name: "Report"})
	fmt.Println(out[0].Result.Text())
	// Output:
	// Reported, with "The build fails for a reason I do not see.".
}
