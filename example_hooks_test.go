package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func ExampleJoinHooks() {
	noBob := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		if string(h.Call.Input) == `{"name":"Bob"}` {
			return policy.Decision{Behavior: policy.Deny, Reason: "Bob is asleep"}, nil
		}
		return policy.Decision{}, nil
	}}
	loud := pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
		return policy.Decision{Input: json.RawMessage(`{"name":"Ada","loud":true}`)}, nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: pegboard.JoinHooks(noBob, loud)}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Result.Text())
	fmt.Println(out[1].Result.Text())
	// Output:
	// Greet was denied: Bob is asleep. Do not try the same by other means; do something else or tell the user.
	// HELLO Ada
}

// A host counts the calls that came to nothing, and helps a model that keeps to a tool of
// another harness.
func ExampleHooks_notRun() {
	hooks := pegboard.Hooks{NotRun: func(_ context.Context, h *pegboard.HookCall) error {
		var why *pegboard.CallError
		errors.As(h.Outcome.Err, &why)
		fmt.Printf("%s was not run, at the stage %s: %v\n", h.Call.ToolName(), why.Stage, why.Sentinel())
		if h.Call.Name == "say_hello" {
			h.Say(pegboard.Part{Text: "say_hello is called Greet here."})
		}
		return nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet),
		pegboard.Call{ID: "1", Name: "say_hello", Input: json.RawMessage(`{"name":"Ada"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"nam":"Ada"}`)})
	fmt.Println(out[0].Result.Messages[0].Text)
	// Unordered output:
	// say_hello was not run, at the stage lookup: unknown tool
	// Greet was not run, at the stage decode: invalid input
	// say_hello is called Greet here.
}

// A hook tells the model something, although the call is denied.
func ExampleHookCall_Say() {
	hooks := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		h.Say(pegboard.Part{Text: "Ada is in the next room."})
		return policy.Decision{Behavior: policy.Deny, Reason: "no shouting"}, nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada","loud":true}`)})
	fmt.Println(out[0].Result.Text())
	fmt.Println(out[0].Result.Messages[0].Text) // a wire's Results writes it after the results
	// Output:
	// Greet was denied: no shouting. Do not try the same by other means; do something else or tell the user.
	// Ada is in the next room.
}

func ExampleSayInBatch() {
	hooks := pegboard.Hooks{Batch: func(ctx context.Context, outcomes []pegboard.Outcome) error {
		pegboard.SayInBatch(ctx, pegboard.Part{Text: fmt.Sprintf("%d people were greeted.", len(outcomes))})
		return nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)})
	fmt.Println(out[1].Result.Messages[0].Text)
	// Output:
	// 2 people were greeted.
}

// A hook looks at calls that a rule is about, and at those of which that cannot be told.
func ExampleHookCall_Concerns() {
	ada, err := policy.ParseRule(policy.Deny, "Greet(name:Ada)")
	if err != nil {
		log.Fatal(err)
	}
	hooks := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		concern := h.Concerns(ada)
		fmt.Println(string(h.Call.Input), concern)
		if concern != policy.ConcernNo {
			return policy.Decision{Behavior: policy.Deny, Reason: "Ada is asleep"}, nil
		}
		return policy.Decision{}, nil
	}}
	var ex pegboard.Executor
	p := pool(pegboard.SessionConfig{Hooks: hooks}, greet)
	for _, input := range []string{`{"name":"Ada"}`, `{"name":"Bob"}`} {
		ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(input)})
	}
	// Output:
	// {"name":"Ada"} yes
	// {"name":"Bob"} no
}

// A hook keeps when a call began, until it has ended.
func ExampleHookCall_Identity() {
	var began sync.Map
	hooks := pegboard.Hooks{
		Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
			began.Store(h.Identity(), time.Now())
			return policy.Decision{}, nil
		},
		Post: func(_ context.Context, h *pegboard.HookCall) error {
			_, known := began.LoadAndDelete(h.Identity())
			fmt.Println(known)
			return nil
		},
	}
	var ex pegboard.Executor
	ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	// Output: true
}

// A program without a user puts a call off, and answers it when a person has looked at it: by
// running the same call again.
func ExampleHooks_deferred() {
	approved := false
	hooks := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		if !approved {
			return policy.Decision{}, fmt.Errorf("it waits for the morning: %w", pegboard.ErrDeferred)
		}
		return policy.Decision{Behavior: policy.Allow}, nil
	}}
	var ex pegboard.Executor
	p := pool(pegboard.SessionConfig{Hooks: hooks}, greet)
	call := pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)}
	out := ex.Run(context.Background(), p, call)[0]
	fmt.Println(errors.Is(out.Err, pegboard.ErrDeferred), out.StopTurn)
	approved = true
	out = ex.Run(context.Background(), p, call)[0]
	fmt.Println(out.Result.Text())
	// Output:
	// true true
	// hello Ada
}

// A hook takes a part of an output out, whatever the tool makes of the rest.
func ExampleHookCall_ResultOf() {
	type found struct {
		Names []string `json:"names"`
	}
	search := pegboard.Build(pegboard.Definition[struct{}, found]{
		Info: pegboard.Info{Name: "Find"}, Description: "Finds names.",
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (found, error) {
			return found{[]string{"Ada", "Bob"}}, nil
		},
		Result: func(out found) *pegboard.Result {
			return pegboard.TextResult(fmt.Sprint(len(out.Names), " found: ", out.Names))
		},
	})
	hooks := pegboard.Hooks{Post: func(_ context.Context, h *pegboard.HookCall) error {
		r, err := h.ResultOf(json.RawMessage(`{"names": ["Ada"]}`))
		if err == nil {
			h.Outcome.Result = r
		}
		return err
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, search), pegboard.Call{ID: "1", Name: "Find"})
	fmt.Println(out[0].Result.Text())
	// Output: 1 found: [Ada]
}

// A slow hook reports its progress, so that the user knows why the call has not begun.
func ExampleHookCall_Emit() {
	hooks := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		h.Emit("looking " + h.Call.ToolName() + " up in the policy")
		return policy.Decision{}, nil
	}}
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventHook {
			fmt.Println(e.Text)
		}
	}}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	// Output:
	// looking Greet up in the policy
}
