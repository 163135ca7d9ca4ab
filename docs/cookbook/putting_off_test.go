package cookbook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// later puts off every call that would be asked about.
var later = pegboard.Hooks{Permission: func(context.Context, *pegboard.Question) (policy.Decision, error) {
	return policy.Decision{}, fmt.Errorf("the owner answers in the morning: %w", pegboard.ErrDeferred)
}}

// open returns the pool of a process that serves the tickets.
func open(service tickets, hooks pegboard.Hooks) *pegboard.Pool {
	session, err := pegboard.NewSession(pegboard.SessionConfig{Hooks: hooks})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(closeTicket(service)); err != nil {
		log.Fatal(err)
	}
	return registry.AssemblePool(session, pegboard.PoolConfig{})
}

func Example_puttingOff() {
	ctx, service := context.Background(), tickets{"WEB-7": "open"}
	var executor pegboard.Executor
	out := executor.Run(ctx, open(service, later), tooltest.Call("CloseTicket", `{"ticket": "WEB-7"}`))[0]
	fmt.Println(errors.Is(out.Err, pegboard.ErrDeferred), out.StopTurn) // end the turn, keep the conversation
	saved, err := json.Marshal(pegboard.Call{ID: out.Call.ID, Name: out.Call.Name, Input: out.Call.Sent()})
	if err != nil {
		log.Fatal(err)
	}

	// In the morning, in another process: a person has read what was saved, and said yes.
	var call pegboard.Call
	if err := json.Unmarshal(saved, &call); err != nil {
		log.Fatal(err)
	}
	call = pegboard.ForceDecision(call, policy.Allow, "the owner, 8:15")
	out = executor.Run(ctx, open(service, later), call)[0]
	fmt.Println(out.Result.Text(), "-", out.Decision.Reason)
	// Output:
	// true true
	// WEB-7 is closed - the caller: the owner, 8:15
}
