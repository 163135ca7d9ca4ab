package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type dropInput struct {
	Table string `json:"table"`
}

var dropTable = pegboard.Build(pegboard.Definition[dropInput, string]{
	Info:        pegboard.Info{Name: "DropTable"},
	Description: "Deletes a table with all of its rows.",
	Inspect: func(in dropInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{
			Targets:     []policy.Target{{Kind: policy.Resource, Value: in.Table}},
			Destructive: true, // it cannot be undone
		}
	},
	Call: func(_ context.Context, in dropInput, _ *pegboard.Call) (string, error) {
		return in.Table + " is gone", nil
	},
})

// careful is a Guard: the user is asked about such a call, even if a rule allows it.
func careful(_ context.Context, q *pegboard.Question) (d policy.Decision, _ error) {
	if q.Call.Facts().Destructive {
		d = policy.Decision{Behavior: policy.Ask, Reason: "this cannot be undone"}
	}
	return d, nil
}

func Example_dangerousTool() {
	allowed, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"DropTable(tmp*)"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, config := range []pegboard.SessionConfig{{}, {Permissions: allowed}, {Permissions: allowed, Guard: careful}} {
		session, err := pegboard.NewSession(pegboard.SessionConfig{
			Permissions: config.Permissions, Guard: config.Guard,
			Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
				fmt.Println("asked:", q.Reason)
				return policy.Decision{Behavior: policy.Allow}, nil
			},
		})
		if err != nil {
			log.Fatal(err)
		}
		defer session.Close(context.Background())
		fmt.Println(tooltest.Run(context.Background(), dropTable, session, `{"table": "tmp7"}`).Result.Text())
	}
	// Output:
	// asked: no rule allows it: DropTable wants to write tmp7 and cannot be undone
	// tmp7 is gone
	// tmp7 is gone
	// asked: this cannot be undone
	// tmp7 is gone
}
