package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/seed49eaa51d/pegboard"
)

// payments returns the pool of a process whose session suspends calls.
func payments(dir string) (*pegboard.Pool, *pegboard.Session) {
	journal, err := pegboard.NewFileJournal(dir)
	if err != nil {
		panic(err)
	}
	session := begin(pegboard.SessionConfig{ID: "conversation-1", Suspend: &pegboard.Suspending{
		Key: []byte("32 bytes that only the host knows"), Journal: journal,
	}})
	var registry pegboard.Registry
	if err := registry.Add(pegboard.Build(pegboard.Definition[struct {
		To string `json:"to"`
	}, string]{
		Info: pegboard.Info{Name: "Pay"}, Description: "Pays an invoice.",
		Call: func(_ context.Context, in struct {
			To string `json:"to"`
		}, _ *pegboard.Call) (string, error) {
			return "paid " + in.To, nil
		},
	})); err != nil {
		panic(err)
	}
	return registry.AssemblePool(session, pegboard.PoolConfig{}), session
}

// One process suspends a call and ends. Another one goes on when the user has answered.
func ExampleExecutor_Resume() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := pegboard.WithTurn(context.Background(), "message-1")
	var executor pegboard.Executor

	pool, session := payments(dir)
	outcomes := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "Pay", Input: json.RawMessage(`{"to":"Ada"}`)})
	fmt.Println(errors.Is(outcomes[0].Err, pegboard.ErrSuspended))
	value, err := session.Suspension(outcomes)
	if err != nil {
		panic(err)
	}
	saved, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}

	var loaded pegboard.Suspension
	if err := json.Unmarshal(saved, &loaded); err != nil {
		panic(err)
	}
	question := loaded.Questions[0]
	fmt.Println(question.Tool, string(question.Input))
	pool, session = payments(dir)
	outcomes, err = executor.Resume(context.Background(), pool, &loaded, map[string]pegboard.Decision{question.ID: {Behavior: pegboard.Allow}})
	if err != nil {
		panic(err)
	}
	fmt.Println(outcomes[0].Result.Text())
	value, err = session.Suspension(outcomes)
	fmt.Println(value, err)

	_, err = executor.Resume(context.Background(), pool, &loaded, map[string]pegboard.Decision{question.ID: {Behavior: pegboard.Allow}})
	fmt.Println(errors.Is(err, pegboard.ErrQuestionClosed))
	// Output:
	// true
	// Pay {"to":"Ada"}
	// paid Ada
	// <nil> <nil>
	// true
}

// A process that dies while calls run has left no value. The same calls under the same name go
// on, and what has finished is not run again.
func ExampleWithTurn() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	journal, err := pegboard.NewFileJournal(dir)
	if err != nil {
		panic(err)
	}
	runs := 0
	count := pegboard.Build(pegboard.Definition[struct{}, int]{
		Info: pegboard.Info{Name: "Count"}, Description: "Counts.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (int, error) { runs++; return runs, nil },
	})
	for range 2 { // processes
		session := begin(pegboard.SessionConfig{ID: "conversation-1", Suspend: &pegboard.Suspending{Key: make([]byte, 32), Journal: journal}})
		var registry pegboard.Registry
		if err := registry.Add(count); err != nil {
			panic(err)
		}
		var executor pegboard.Executor
		outcomes := executor.Run(pegboard.WithTurn(context.Background(), "message-1"), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Count"})
		fmt.Println(outcomes[0].Result.Text(), runs)
	}
	// Output:
	// 1 1
	// 1 1
}
