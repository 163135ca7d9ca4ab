package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// examplePool returns a pool with the tool of exampleWriter and one named Deploy,
// of which nobody knows what it does.
func examplePool(s *pegboard.Session) (*pegboard.Pool, error) {
	type input struct {
		To string `json:"to"`
	}
	deploy := pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "Deploy"},
		Description: "Brings the program to a place where others use it.",
		Call:        func(_ context.Context, in input, _ *pegboard.Call) (string, error) { return "it is at " + in.To, nil },
	})
	var registry pegboard.Registry
	if err := registry.Add(exampleWriter(), deploy); err != nil {
		return nil, err
	}
	return registry.AssemblePool(s, pegboard.PoolConfig{}), nil
}

// What would become of a call, and by which rule, can be asked without making it.
func ExamplePool_ExplainDecision() {
	p, err := pegboard.NewPermissions(pegboard.ModeDontAsk,
		pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"Deploy(to:production)"}},
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Deploy"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
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
	fmt.Print(pool.ExplainDecision(context.Background(), pegboard.Call{Name: "Deploy", Input: []byte(`{"to":"production"}`)}))

	// The reasons take time to collect. What cannot be read is denied.
	decision := pool.Decide(context.Background(), pegboard.Call{Name: "Deploy", Input: []byte(`{"place":"test"}`)})
	fmt.Println(decision.Behavior)
	// Output:
	// deny: deny rule "Deploy(to:production)" from policySettings is about it
	// = deny: deny rule "Deploy(to:production)" from policySettings covers it
	// deny
}

// An approval dialog or a hook script says what to change in the documented form.
func ExamplePermissions_Apply() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Bash(npm test)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	more, err := p.Apply(
		pegboard.PermissionUpdate{
			Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Destination: pegboard.SourceSession,
			Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: "npm run *"}},
		},
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceSession},
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeBypass, Destination: pegboard.SourceSession}, // it was not available before
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(more.Mode())
	for _, r := range more.Rules() {
		fmt.Println(r.Behavior, r, "from", r.Source)
	}
	fmt.Println("and before:", p.Mode(), len(p.Rules()))

	_, err = more.Apply(
		pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModePlan, Destination: pegboard.SourceSession},
		pegboard.PermissionUpdate{Type: pegboard.UpdateRemoveRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: " "}}})
	fmt.Println(err)
	// Output:
	// acceptEdits
	// allow Bash(npm test) from userSettings
	// allow Bash(npm run *) from session
	// and before: default 1
	// update removeRules: rule "Bash( )": the parentheses are empty; leave them out to mean the whole tool
}

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
			if q.Call.Name == "Deploy" {
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
