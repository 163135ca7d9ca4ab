package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type followInput struct {
	Host string `json:"host"`
}

// redirects says where each host leads.
var redirects = map[string]string{"docs.example": "cdn.example", "cdn.example": "tracker.example"}

var follow = pegboard.Build(pegboard.Definition[followInput, string]{
	Info:        pegboard.Info{Name: "Follow"},
	Description: "Says where an address ends.",
	Inspect: func(in followInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{Targets: []policy.Target{policy.Reaches(in.Host)}, ReadOnly: true, OpenWorld: true}
	},
	Call: func(ctx context.Context, in followInput, c *pegboard.Call) (string, error) {
		for host := in.Host; ; {
			next := redirects[host]
			if next == "" {
				return "it ends at " + host, nil
			}
			// Decided like the first one: by rules, and by the user if no rule does.
			if err := c.Check(ctx, policy.Target{Kind: policy.Host, Access: policy.Read, Value: next}); err != nil {
				return "it leads to " + host, err
			}
			host = next
		}
	},
})

func Example_askingInMidCall() {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Allow: []string{"WebFetch(domain:docs.example)"}, Deny: []string{"WebFetch(domain:tracker.example)"},
	})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		fmt.Println("asked about", q.Targets)
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	fmt.Println(tooltest.Run(context.Background(), follow, session, `{"host": "docs.example"}`).Result.Text())
	// Output:
	// asked about [read cdn.example]
	// denied: deny rule "WebFetch(domain:tracker.example)" covers it
	// it leads to cdn.example
}
