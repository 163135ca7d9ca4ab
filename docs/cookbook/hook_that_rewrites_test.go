package cookbook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"regexp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type searchInput struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty" jsonschema:"default=100"`
}

var searchMail = pegboard.Build(pegboard.Definition[searchInput, string]{
	Info:        pegboard.Info{Name: "SearchMail"},
	Description: "Searches the mailbox.",
	Traits:      pegboard.Traits{ReadOnly: true},
	Call: func(_ context.Context, in searchInput, _ *pegboard.Call) (string, error) {
		return fmt.Sprintf("searched %q for %d mails: from ada@example.com", in.Query, in.Limit), nil
	},
})

var address = regexp.MustCompile(`\w+@[\w.]+`)

// modest limits what is searched, and takes addresses out of what is found.
var modest = pegboard.Hooks{
	Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		var in map[string]any
		if h.Call.Name != "SearchMail" || json.Unmarshal(h.Call.Input, &in) != nil {
			return policy.Decision{}, nil
		}
		in["limit"] = 10
		input, err := json.Marshal(in)
		return policy.Decision{Input: input}, err // no Behavior: it changes the input and has no opinion
	},
	Post: func(_ context.Context, h *pegboard.HookCall) error {
		h.Outcome.Result = pegboard.TextResult(address.ReplaceAllString(h.Outcome.Result.Text(), "(address)"))
		return nil
	},
}

func Example_hookThatRewrites() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{Hooks: modest})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	out := tooltest.Run(context.Background(), searchMail, session, `{"query": "invoice"}`)
	fmt.Println(out.Result.Text())
	fmt.Println(string(out.Call.Sent()), "became", string(out.Call.Input))
	// Output:
	// searched "invoice" for 10 mails: from (address)
	// {"query": "invoice"} became {"limit":10,"query":"invoice"}
}
