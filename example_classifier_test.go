package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// In auto mode a classifier stands in the place of the person, who is asked where
// it has no answer.
func ExampleClassifier() {
	p, err := pegboard.NewPermissions(pegboard.ModeAuto, pegboard.RuleSet{Ask: []string{"Edit(./notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: p,
		Classifier: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			if q.Call.Name == "Deploy" && q.ClassifierInput == "to production" {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "nothing leaves this machine"}, nil
			}
			return pegboard.Decision{}, nil // the person shall say
		},
		Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the person said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	for _, c := range []pegboard.Call{
		{Name: "Write", Input: []byte(`{"file":"drafts/a.md"}`)}, // an edit, inside the working directory
		{Name: "Deploy", Input: []byte(`{"to":"production"}`)},
		{Name: "Write", Input: []byte(`{"file":"notes.md"}`)}, // an ask rule is for the person
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%s: %v, %s\n", c.Name, d.Behavior, d.Reason)
	}
	// Output:
	// Write: allow, mode auto permits edits inside the working directories
	// Deploy: deny, the classifier: nothing leaves this machine
	// Write: deny, the person said no
}

// A classifier of the host asks the default one first, which calls no model.
func ExampleClassifyByTargets() {
	classify := func(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
		if d, err := pegboard.ClassifyByTargets(ctx, q); err != nil || d.Behavior == pegboard.Deny {
			return d, err
		}
		return pegboard.Decision{Behavior: pegboard.Allow, Reason: "a model found no harm in it"}, nil
	}
	for _, targets := range [][]pegboard.Target{
		{{Kind: pegboard.TargetPath, Value: "drafts"}},
		{{Kind: pegboard.TargetPath, Value: "/home/ada", Tree: true, AskReason: "it removes a home directory"}},
	} {
		d, err := classify(context.Background(), &pegboard.Question{Targets: targets})
		fmt.Println(d.Behavior, d.Reason, err)
	}
	// Output:
	// allow a model found no harm in it <nil>
	// deny it removes a home directory <nil>
}
