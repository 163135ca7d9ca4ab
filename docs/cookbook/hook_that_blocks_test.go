package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// quietHours denies calls that a rule is about, outside working hours.
func quietHours(rule string, now func() time.Time) (pegboard.Hooks, error) {
	about, err := policy.ParseRule(policy.Deny, rule)
	if err != nil {
		return pegboard.Hooks{}, err
	}
	return pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		hour := now().Hour()
		if hour >= 8 && hour < 18 || h.Concerns(about) == policy.ConcernNo {
			return policy.Decision{}, nil // no opinion: rules decide
		}
		h.Say(pegboard.Part{Text: "Calls that were refused for the hour may be made after 8."}) // beside the result
		return policy.Decision{Behavior: policy.Deny, Reason: "tickets of the shop are not touched at night"}, nil
	}}, nil
}

func Example_hookThatBlocks() {
	night := func() time.Time { return time.Date(2027, 3, 1, 23, 0, 0, 0, time.UTC) }
	hooks, err := quietHours("CloseTicket(WEB-*)", night)
	if err != nil {
		log.Fatal(err)
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"CloseTicket"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Hooks: hooks})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	tool := closeTicket(tickets{"WEB-7": "open", "OPS-1": "open"})
	for _, input := range []string{`{"ticket": "OPS-1"}`, `{"ticket": "WEB-7"}`} {
		out := tooltest.Run(context.Background(), tool, session, input)
		fmt.Println(out.Result.Text())
		for _, word := range out.Result.Messages {
			fmt.Println("-", word.Text)
		}
	}
	// Output:
	// OPS-1 is closed
	// CloseTicket was denied: tickets of the shop are not touched at night. Do not try the same by other means; do something else or tell the user.
	// - Calls that were refused for the hour may be made after 8.
}
