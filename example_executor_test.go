package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// Calls are submitted as their blocks complete. What only reads starts at once.
func ExampleExecutor_Stream() {
	var ex pegboard.Executor
	stream := ex.Stream(context.Background(), pool(pegboard.SessionConfig{}, greet))
	defer stream.Abandon(nil) // if the model's stream breaks off
	stream.Submit(pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	stream.Submit(pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)})
	stream.Finish(pegboard.FinishToolCalls)
	for out := range stream.Wait() {
		fmt.Println(out.Call.ID, out.Result.Text())
	}
	// Output:
	// 1 hello Ada
	// 2 hello Bob
}

// An engine that runs calls elsewhere gets their id, name and bytes, and makes
// them anew on the far side.
func ExamplePool_Rebuild() {
	far := pool(pegboard.SessionConfig{}, greet)
	ex := pegboard.Executor{Invoke: func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		tool, call, err := far.Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: c.Input})
		if err != nil {
			return nil, err
		}
		return tool.Call(ctx, call)
	}}
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Result.Text())
	// Output: hello Ada
}

// The model is told why a call ended early, in words that keep it from arguing.
func ExampleSession_Interrupt() {
	wait := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Session().Interrupt(pegboard.ErrNewMessage) // somebody typed
			<-ctx.Done()
			return "", context.Cause(ctx)
		},
	})
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, wait), pegboard.Call{ID: "1", Name: "Wait"})
	fmt.Println(errors.Is(out[0].Err, pegboard.ErrNewMessage))
	fmt.Println(out[0].Result.Text())
	// Output:
	// true
	// Wait was stopped before it finished; it may have done part of its work: the user sent a new message. Read that first, and repeat the call only if it is still wanted.
}

// A session ends what it was given when it closes, and names what did not end.
func ExampleSession_OnClose() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	session.OnClose("watcher", func(context.Context) error { fmt.Println("watcher ends"); return nil })
	session.OnClose("index", func(context.Context) error { return errors.New("still writing") })
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	fmt.Println(session.Close(ctx))
	// Output:
	// watcher ends
	// index: still writing
}

// A wire makes its form of a definition once. It is remembered with the tool.
func ExampleDeclaration_Encoded() {
	for d := range pool(pegboard.SessionConfig{}, greet).Declarations(pegboard.Builtin) {
		for range 2 {
			form := d.Encoded("my-provider", func(d pegboard.Declaration) []byte {
				fmt.Println("encoding", d.Name)
				return []byte(`{"function":"` + d.Name + `"}`)
			})
			fmt.Println(string(form))
		}
	}
	// Output:
	// encoding Greet
	// {"function":"Greet"}
	// {"function":"Greet"}
}

func ExampleTextResult() {
	fmt.Println(pegboard.TextResult("three files").Text())
	// Output: three files
}
