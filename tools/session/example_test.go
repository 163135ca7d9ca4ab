package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// begin returns a session of that mode and answers, and a pool of the tools of this package.
func begin(mode policy.Mode, ask pegboard.Asker) (*pegboard.Session, *pegboard.Pool) {
	permissions, err := policy.New(mode)
	if err != nil {
		log.Fatal(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Ask: ask})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(append(session.PlanTools(session.PlanOptions{}), session.AskUserQuestion())...); err != nil {
		log.Fatal(err)
	}
	return s, registry.AssemblePool(s, pegboard.PoolConfig{})
}

// A dialog shows the questions as a form, and answers by the texts of questions and options.
func ExampleAskUserQuestion() {
	s, pool := begin(policy.ModeDefault, func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		questions, ok := session.Asked(q)
		if !ok {
			return policy.Decision{Behavior: policy.Deny}, nil // a dialog for permissions would be shown here
		}
		answers := map[string]string{}
		for _, asked := range questions {
			fmt.Printf("[%s] %s\n", asked.Header, asked.Question)
			for _, option := range asked.Options {
				fmt.Printf("  %s: %s\n", option.Label, option.Description)
			}
			answers[asked.Question] = asked.Options[0].Label
		}
		return session.Answer(q, session.Answers{Answers: answers})
	})
	ctx := context.Background()
	defer func() { _ = s.Close(ctx) }()
	var executor pegboard.Executor
	out := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "AskUserQuestion", Input: json.RawMessage(
		`{"questions": [{"question": "Where should the index live?", "header": "Index", "options": [
			{"label": "Memory", "description": "fast, and gone at the end"},
			{"label": "Disk", "description": "slower, and kept"}]}]}`)})[0]
	fmt.Println(out.Result.Text())
	// Output:
	// [Index] Where should the index live?
	//   Memory: fast, and gone at the end
	//   Disk: slower, and kept
	// The user has answered:
	// "Where should the index live?": Memory
}

// A dialog that waited for five minutes says so.
func ExampleAnswer() {
	q := &pegboard.Question{Tool: session.AskUserQuestion(), Call: &pegboard.Call{Name: "AskUserQuestion", Input: json.RawMessage(
		`{"questions": [{"question": "Red or blue?", "header": "Color", "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]}`)}}
	_, err := session.Answer(q, session.Answers{Answers: map[string]string{"Green or blue?": "Green"}})
	fmt.Println(err)
	decision, err := session.Answer(q, session.Answers{Answers: map[string]string{"Red or blue?": "violet"}})
	fmt.Println(decision.Behavior, err)
	// Output:
	// no answer to the question: there is an answer to a question that was not asked: "Green or blue?"
	// allow <nil>
}

// The questions of a call, for a form.
func ExampleAsked() {
	q := &pegboard.Question{Tool: session.AskUserQuestion(), Call: &pegboard.Call{Name: "AskUserQuestion", Input: json.RawMessage(
		`{"questions": [{"question": "Red or blue?", "header": "Color", "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]}`)}}
	questions, ok := session.Asked(q)
	fmt.Println(ok, questions[0].Question, questions[0].Options[1].Label)
	// Output: true Red or blue? Blue
}

// The user refuses a plan, then edits another one and chooses the mode that follows.
func ExamplePlanTools() {
	plans := 0
	s, pool := begin(policy.ModeDefault, func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		if plans++; plans == 1 {
			return policy.Decision{Behavior: policy.Deny, Reason: "add a test"}, nil
		}
		return policy.Decision{
			Behavior: policy.Allow,
			Input:    json.RawMessage(`{"plan": "1. Fix the sum\n2. Test it with an empty list"}`),
			Remember: []policy.Update{{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession}},
		}, nil
	})
	ctx := context.Background()
	defer func() { _ = s.Close(ctx) }()
	var executor pegboard.Executor
	for _, call := range []pegboard.Call{
		{ID: "1", Name: "EnterPlanMode"},
		{ID: "2", Name: "ExitPlanMode", Input: json.RawMessage(`{"plan": "1. Fix the sum"}`)},
		{ID: "3", Name: "ExitPlanMode", Input: json.RawMessage(`{"plan": "1. Fix the sum\n2. Test it"}`)},
		{ID: "4", Name: "VerifyPlanExecution", Input: json.RawMessage(`{"steps": [{"step": "Fix the sum", "done": true, "evidence": "sum.go"}]}`)},
	} {
		out := executor.Run(ctx, pool, call)[0]
		fmt.Println(call.Name, "allowed:", out.Err == nil, "mode:", s.Permissions().Mode())
		if call.ID == "4" {
			fmt.Println(out.Result.Text())
		}
	}
	// Output:
	// EnterPlanMode allowed: true mode: plan
	// ExitPlanMode allowed: false mode: plan
	// ExitPlanMode allowed: true mode: acceptEdits
	// VerifyPlanExecution allowed: true mode: acceptEdits
	// The approved plan has 2 steps.
	// You have not mentioned:
	// - Test it with an empty list
}

// A host shows the plan that was approved.
func ExampleApprovedPlan() {
	s, pool := begin(policy.ModePlan, func(context.Context, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, nil
	})
	ctx := context.Background()
	defer func() { _ = s.Close(ctx) }()
	_, ok := session.ApprovedPlan(s)
	fmt.Println(ok)
	var executor pegboard.Executor
	executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "ExitPlanMode", Input: json.RawMessage(`{"plan": "1. Read the log"}`)})
	plan, ok := session.ApprovedPlan(s)
	fmt.Println(ok, plan.Text, plan.Edited, plan.By)
	// Output:
	// false
	// true 1. Read the log false person
}

// While the user talks of planning, the plan tools need not be searched for.
func ExamplePlanning() {
	deferral := pegboard.Deferral{}
	if session.Planning("Make a plan first, please.") {
		deferral.AlwaysLoad = []string{"EnterPlanMode", "ExitPlanMode"}
	}
	fmt.Println(deferral.AlwaysLoad)
	// Output: [EnterPlanMode ExitPlanMode]
}
