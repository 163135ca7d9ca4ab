package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// askOnce is the Ask of a session: its user chooses "yes, and do not ask again".
func askOnce(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	fmt.Println(q.Reason)
	alternatives := q.Suggestions(policy.SourceLocal) // the narrowest first
	for i, updates := range alternatives {
		fmt.Println(" ", i, updates)
	}
	return policy.Decision{Behavior: policy.Allow, Remember: alternatives[0]}, nil
}

// save is the OnRemember of a session.
func save(_ context.Context, updates []policy.Update) error {
	fmt.Println("to save:", updates)
	return nil
}

func Example_rememberingAnswers() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{Ask: askOnce, OnRemember: save})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	tool := closeTicket(tickets{"WEB-7": "open", "OPS-1": "open"})
	for _, input := range []string{`{"ticket": "WEB-7"}`, `{"ticket": "WEB-7"}`, `{"ticket": "OPS-1"}`} {
		out := tooltest.Run(context.Background(), tool, session, input)
		fmt.Println(out.Result.Text(), "by", out.Decision.By)
	}
	// Output:
	// no rule allows it: CloseTicket wants to write WEB-7, beyond this machine
	//   0 [allow CloseTicket(WEB-7) in localSettings]
	//   1 [allow CloseTicket in localSettings]
	// to save: [allow CloseTicket(WEB-7) in localSettings]
	// WEB-7 is closed by person
	// WEB-7 is closed by rule
	// no rule allows it: CloseTicket wants to write OPS-1, beyond this machine
	//   0 [allow CloseTicket(OPS-1) in localSettings]
	//   1 [allow CloseTicket in localSettings]
	// to save: [allow CloseTicket(OPS-1) in localSettings]
	// OPS-1 is closed by person
}
