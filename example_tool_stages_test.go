package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type mailInput struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
}

// mailTool has a func for each stage of a call.
func mailTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[mailInput, string]{
		Info:        pegboard.Info{Name: "SendMail"},
		Description: "Sends a mail.",
		Inspect: func(in mailInput, _ *pegboard.Call) pegboard.Traits {
			_, host, _ := strings.Cut(in.To, "@")
			return pegboard.Traits{OpenWorld: true, Targets: []policy.Target{{Kind: policy.Host, Value: host}}}
		},
		Validate: func(_ context.Context, in mailInput, _ *pegboard.Call) error {
			if !strings.Contains(in.To, "@") {
				return errors.New("to is no address; write it as name@host")
			}
			return nil
		},
		Permit: func(_ context.Context, in mailInput, _ *pegboard.Call) policy.Decision {
			if strings.HasSuffix(in.To, "@example.com") {
				return policy.Decision{}
			}
			return policy.Decision{Behavior: policy.Ask, Reason: "the mail leaves the company"}
		},
		Summary: func(in mailInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Mail to " + in.To, While: "Mailing " + in.To}
		},
		ClassifierInput: func(in mailInput, _ *pegboard.Call) string { return "mail to " + in.To + ": " + in.Subject },
		Equivalent:      pegboard.SameInput[mailInput],
		Preview: func(context.Context, mailInput, *pegboard.Call) ([]pegboard.Diff, error) {
			return []pegboard.Diff{{Path: "/var/mail/sent", New: true}}, nil
		},
		Call: func(context.Context, mailInput, *pegboard.Call) (string, error) { return "sent", nil },
	})
}

// A page for authors of tools shows the stages of a call and does not run it. The executor takes
// each call through the same stages.
func ExampleTool_stages() {
	ctx := context.Background()
	pool := pool(pegboard.SessionConfig{}, mailTool())
	tool, c, err := pool.Rebuild(pegboard.Call{Name: "SendMail", Input: []byte(`{"to":"ada@example.org","subject":"Hi"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("traits:", tool.Traits(c).OpenWorld, tool.Traits(c).Targets)
	fmt.Println("valid:", tool.Validate(ctx, c))
	fmt.Println("opinion:", tool.Permit(ctx, c).Behavior, tool.Permit(ctx, c).Reason)
	fmt.Println("before:", tool.Summary(c).Before)
	fmt.Println("classifier:", tool.ClassifierInput(c))
	fmt.Println("same twice:", tool.Equivalent(c, c))
	if p, ok := tool.(pegboard.Previewer); ok {
		diffs, err := p.Preview(ctx, c)
		fmt.Println("writes:", diffs[0].Path, err)
	}
	// Output:
	// traits: true [write example.org]
	// valid: <nil>
	// opinion: ask the mail leaves the company
	// before: Mail to ada@example.org
	// classifier: mail to ada@example.org: Hi
	// same twice: true
	// writes: /var/mail/sent <nil>
}
