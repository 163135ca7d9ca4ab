package tooltest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A loop is tested with the real permissions of a tool that changes files, and nothing is
// changed.
func ExampleStandIn() {
	write := tooltest.StandIn(files.Write(files.WriteOptions{}), tooltest.Reply{Text: "written"})
	permissions, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Edit(.env)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	for _, name := range []string{".env", "notes.md"} {
		out := tooltest.Run(context.Background(), write, session, fmt.Sprintf(`{"file_path":%q,"content":"x"}`, name))
		_, err := os.Stat(filepath.Join(session.Dir(), name))
		fmt.Println(name, out.Decision.Behavior, out.Err == nil, errors.Is(err, os.ErrNotExist))
	}
	fmt.Println(len(write.Calls()), "call has run")
	// Output:
	// .env deny false true
	// notes.md allow true true
	// 1 call has run
}

// A host runs calls in another process. In its test the fake is the tool on the far side, which
// gets a call that was decided here.
func ExampleFake_Call() {
	deploy := tooltest.NewFake("Deploy", tooltest.Reply{Text: "deployed"})
	var registry pegboard.Registry
	if err := registry.Add(deploy); err != nil {
		log.Fatal(err)
	}
	session, err := tooltest.NewSession("")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	executor := pegboard.Executor{Invoke: func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		_, far, err := pool.Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: c.Input}) // as it was sent
		if err != nil {
			return nil, err
		}
		return deploy.Call(ctx, far)
	}}
	out := executor.Run(context.Background(), pool, tooltest.Call("Deploy", `{"to":"test"}`))
	fmt.Println(out[0].Result.Text(), len(deploy.Calls()))
	// Output:
	// deployed 1
}

// The tools of a host meet at a barrier in its own code: two calls run at the same time, or the
// second waits for the first until the barrier gives up.
func ExampleBarrier_Wait() {
	for _, concurrency := range []pegboard.Concurrency{pegboard.Shared, pegboard.Exclusive} {
		both := tooltest.Barrier{N: 2, Timeout: 50 * time.Millisecond}
		if concurrency == pegboard.Shared {
			both.Timeout = 0 // they meet, however slow the machine is
		}
		look := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info:        pegboard.Info{Name: "Look"},
			Description: "Looks.",
			Traits:      pegboard.Traits{ReadOnly: true, Concurrency: concurrency},
			Call:        func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) { return "met", both.Wait(ctx) },
		})
		outcomes, err := runAll([]pegboard.Tool{look}, tooltest.Call("Look", `{}`), tooltest.Call("Look", `{}`))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(outcomes[0].Err == nil, outcomes[1].Err == nil)
	}
	// Output:
	// true true
	// false false
}

// A tool that needs files is checked in a session of the test's own.
func ExampleChecker_Check() {
	dir, err := os.MkdirTemp("", "checked")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("milk\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	session, err := tooltest.NewSession(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	checker := tooltest.Checker{Session: session, Grace: time.Minute}
	fmt.Println(checker.Check(files.Read(files.ReadOptions{}), `{"file_path":"notes.md"}`))
	// Output:
	// <nil>
}

// A loop asks the model until it makes no calls. One that forgets an outcome is found.
func ExampleModel_Reply() {
	greet := tooltest.NewFake("Greet", tooltest.Reply{Text: "hello"}, tooltest.Reply{Text: "hello"})
	for _, forgets := range []bool{false, true} {
		model := tooltest.NewModel(
			tooltest.Turn{Calls: []pegboard.Call{tooltest.Call("Greet", `{}`)}},
			tooltest.Turn{Text: "I have greeted."})
		turn, err := model.Reply(nil)
		for err == nil && len(turn.Calls) > 0 {
			var outcomes []pegboard.Outcome
			if !forgets {
				outcomes, err = runAll([]pegboard.Tool{greet}, turn.Calls...)
			}
			if err == nil {
				turn, err = model.Reply(outcomes)
			}
		}
		fmt.Printf("%q, %v\n", turn.Text, err)
	}
	// Output:
	// "I have greeted.", <nil>
	// "", turn 1: no outcome was handed over for turn-1-call-1, a call of Greet
}
