package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// What a skill allows ends with the turn.
func ExampleSession_NewTurn() {
	session := begin(pegboard.SessionConfig{})
	err := session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.WithRules(policy.RuleSet{Source: policy.SourceTurn, Allow: []string{"Bash(git status)"}})
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(session.Permissions().Rules())
	session.NewTurn()
	fmt.Println(session.Permissions().Rules())
	// Output:
	// [Bash(git status)]
	// []
}

func ExampleSession_SetPermissions() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "the user said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "notes.md")

	p, err := s.Permissions().WithRules(policy.RuleSet{Source: policy.SourceSession, Allow: []string{"Edit(notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.SetPermissions(p); err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(s, "notes.md")
	// Output:
	// notes.md: deny, the user said no
	// notes.md: allow by Edit(notes.md)
}

// What would become of a call, and by which rule, can be asked without making it.
func ExamplePool_ExplainDecision() {
	p, err := policy.New(policy.ModeDontAsk,
		policy.RuleSet{Source: policy.SourceManaged, Deny: []string{"Deploy(to:production)"}},
		policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Deploy"}})
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

// A tool that runs something in a sandbox says so in its traits: the sandbox is why the call
// may run, although no rule allows it.
func ExampleCall_Decision() {
	build := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Build"},
		Description: "Builds the project in a container.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Sandboxed: true}
		},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Decision().Reason, nil
		},
	})
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	var registry pegboard.Registry
	if err := registry.Add(build); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	fmt.Println(executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Build"})[0].Result.Text())
	// Output: it runs in a sandbox, inside the working directories
}

// A person allowed the call before the program was restarted. It runs without a second
// question.
func ExampleForceDecision() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
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
	deploy := pegboard.Call{ID: "1", Name: "Deploy", Input: []byte(`{"to":"production"}`)}
	for _, c := range []pegboard.Call{
		deploy,
		pegboard.ForceDecision(deploy, policy.Allow, "approved before the restart"),
		pegboard.ForceDecision(deploy, policy.Deny, "not on a Friday"),
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%v by %v: %s\n", d.Behavior, d.By, d.Reason)
	}
	// Output:
	// deny by nobody: no rule allows it: Deploy wants to do something unknown, and nobody can be asked; the allow rule Deploy would permit it
	// allow by caller: the caller: approved before the restart
	// deny by caller: not on a Friday
}

// The program has its own word about every call, also where a rule allows it.
func ExampleGuard() {
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Deploy", "Write"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: p,
		Guard: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			if q.Call.Name == "Deploy" {
				return policy.Decision{Behavior: policy.Deny, Reason: "the budget of this month is spent"}, nil
			}
			return policy.Decision{}, nil // as it was decided
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
		{ID: "1", Name: "Deploy", Input: []byte(`{"to":"production"}`)},
		{ID: "2", Name: "Write", Input: []byte(`{"file":"a.md"}`)},
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%s: %v by %v: %s\n", c.Name, d.Behavior, d.By, d.Reason)
	}
	// Output:
	// Deploy: deny by guard: the budget of this month is spent
	// Write: allow by rule: allow rule "Write" covers it
}

// In auto mode a classifier stands in the place of the person, who is asked where
// it has no answer.
func ExampleClassifier() {
	p, err := policy.New(policy.ModeAuto, policy.RuleSet{Ask: []string{"Edit(./notes.md)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: p,
		Classifier: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			if q.Call.Name == "Deploy" && q.ClassifierInput == "to production" {
				return policy.Decision{Behavior: policy.Deny, Reason: "nothing leaves this machine"}, nil
			}
			return policy.Decision{}, nil // the person shall say
		},
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "the person said no"}, nil
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
	classify := func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		if d, err := pegboard.ClassifyByTargets(ctx, q); err != nil || d.Behavior == policy.Deny {
			return d, err
		}
		return policy.Decision{Behavior: policy.Allow, Reason: "a model found no harm in it"}, nil
	}
	for _, targets := range [][]policy.Target{
		{{Kind: policy.Path, Value: "drafts"}},
		{{Kind: policy.Path, Value: "/home/ada", Tree: true, AskReason: "it removes a home directory"}},
	} {
		d, err := classify(context.Background(), &pegboard.Question{Targets: targets})
		fmt.Println(d.Behavior, d.Reason, err)
	}
	// Output:
	// allow a model found no harm in it <nil>
	// deny it removes a home directory <nil>
}

// Once all tools are there, a host shows the rules that its user has misspelt.
func ExamplePool_RuleProblems() {
	p, err := policy.New(policy.ModeDefault,
		policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Deploy(too:production)", "deploy"}, Allow: []string{"Deploy"}})
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
	for _, problem := range pool.RuleProblems() {
		fmt.Println(problem.Rule, problem.Near)
	}
	// Output:
	// Deploy(too:production) [to]
	// deploy [Deploy]
}
