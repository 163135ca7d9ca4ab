// Command stream shows a turn whose tools finish before the model's message does. The
// model, a script, completes one call, goes on writing for a while, and completes
// another one. A call that only reads starts at once; a call that writes waits until
// the message is complete.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type item struct {
	Name string `json:"name"`
	Ms   int    `json:"ms"`
}

// work returns a tool that takes a given time.
func work(name string, readOnly bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[item, string]{
		Info:        pegboard.Info{Name: name},
		Description: "Takes a while.",
		Traits:      pegboard.Traits{ReadOnly: readOnly, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in item, _ *pegboard.Call) (string, error) {
			time.Sleep(time.Duration(in.Ms) * time.Millisecond)
			return in.Name, nil
		},
	})
}

func main() {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Store"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer session.Close(ctx)
	var registry pegboard.Registry
	if err := registry.Add(work("Look", true), work("Store", false)); err != nil {
		log.Fatal(err)
	}

	begin := time.Now()
	say := func(what string) {
		fmt.Printf("%3d ms  %s\n", time.Since(begin).Round(10*time.Millisecond).Milliseconds(), what)
	}
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted || e.Kind == pegboard.EventFinished {
			say(fmt.Sprintf("        %s %s %s", e.Call.ToolName(), e.Call.ID, e.Kind))
		}
	}}
	stream := executor.Stream(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}))
	for i, c := range []struct{ name, input string }{
		{"Look", `{"name":"a","ms":50}`}, {"Store", `{"name":"b","ms":50}`}, {"Look", `{"name":"c","ms":50}`},
	} {
		say("model closes the block of call " + fmt.Sprint(i+1))
		stream.Submit(pegboard.Call{ID: fmt.Sprint(i + 1), Name: c.name, Input: json.RawMessage(c.input)})
		time.Sleep(100 * time.Millisecond) // the model goes on writing
	}
	for range stream.Ready() {
		say("first result is ready before the message has ended")
	}
	say("model ends its message")
	stream.Finish(pegboard.FinishToolCalls)
	for outcome := range stream.Outcomes() {
		say("result of call " + outcome.Call.ID + ": " + outcome.Result.Text())
	}
}
