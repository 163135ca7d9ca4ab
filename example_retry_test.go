package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// The service is overloaded twice, and says when to come back. The tool marks that as
// Transient; the policy says how often the call is attempted.
func ExampleTransient() {
	overloaded := 2
	rate := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Rate", Timeout: time.Minute,
			Retry: pegboard.RetryPolicy{Attempts: 4, Delay: time.Millisecond}},
		Description: "Returns an exchange rate.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
			if overloaded > 0 {
				overloaded--
				return "", pegboard.Transient(errors.New("the service is overloaded"), 2*time.Millisecond)
			}
			return "1.08", nil
		},
	})
	p := pool(pegboard.SessionConfig{}, rate)
	var ex pegboard.Executor
	for range 2 {
		out := ex.Run(context.Background(), p, pegboard.Call{Name: "Rate"})[0]
		fmt.Println(out.Attempts, out.Result.Text())
		overloaded = 9
	}
	// Output:
	// 3 1.08
	// 4 the service is overloaded (try again after 2ms) (tried 4 times)
}

// A call that changes something is attempted again only if it says that twice has the
// effect of once.
func ExampleRetryPolicy() {
	for _, idempotent := range []bool{false, true} {
		attempts := 0
		put := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info:        pegboard.Info{Name: "Put", Retry: pegboard.RetryPolicy{Attempts: 2, Delay: time.Millisecond}},
			Description: "Sets the price.",
			Traits:      pegboard.Traits{Idempotent: idempotent},
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
				attempts++
				return "", pegboard.Transient(errors.New("the connection broke"), 0)
			},
		})
		permissions, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Put"}})
		if err != nil {
			fmt.Println(err)
			return
		}
		var ex pegboard.Executor
		out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Permissions: permissions}, put), pegboard.Call{Name: "Put"})[0]
		fmt.Println(attempts, out.Result.Text())
	}
	// Output:
	// 1 the connection broke
	// 2 the connection broke (tried 2 times)
}
