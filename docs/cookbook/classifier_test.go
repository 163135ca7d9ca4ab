package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type postInput struct {
	Text string `json:"text"`
}

var postNote = pegboard.Build(pegboard.Definition[postInput, string]{
	Info:            pegboard.Info{Name: "PostNote"},
	Description:     "Posts a note into the team's channel.",
	Traits:          pegboard.Traits{OpenWorld: true},
	ClassifierInput: func(in postInput, _ *pegboard.Call) string { return "post to the team: " + in.Text },
	Call:            func(context.Context, postInput, *pegboard.Call) (string, error) { return "posted", nil },
})

// judge stands for a model that reads what the call would do.
func judge(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	switch {
	case strings.Contains(q.ClassifierInput, "password"):
		return policy.Decision{Behavior: policy.Deny, Reason: "it would tell a secret"}, nil
	case len(q.ClassifierInput) < 60:
		return policy.Decision{Behavior: policy.Allow, Reason: "a short note"}, nil
	}
	return policy.Decision{}, nil // the user shall say
}

func Example_classifier() {
	permissions, err := policy.New(policy.ModeAuto)
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: permissions, Classifier: judge,
		Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "too long for the channel"}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	for _, text := range []string{"lunch?", "the password is xyzzy", strings.Repeat("long ", 20)} {
		out := tooltest.Run(context.Background(), postNote, session, fmt.Sprintf(`{"text": %q}`, text))
		fmt.Println(out.Decision.Behavior, "by", out.Decision.By, "-", out.Decision.Reason)
	}
	// Output:
	// allow by classifier - the classifier: a short note
	// deny by classifier - the classifier: it would tell a secret
	// deny by person - too long for the channel
}
