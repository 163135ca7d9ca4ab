package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func ExampleExecutor_Run() {
	var ex pegboard.Executor
	outcomes := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"nam":"Bob"}`)},
		pegboard.Call{ID: "3", Name: "Great", Input: json.RawMessage(`{}`)})
	for _, o := range outcomes {
		fmt.Println(o.Call.ID, o.Result.Text(), errors.Is(o.Err, pegboard.ErrInvalidInput))
	}
	// Output:
	// 1 hello Ada false
	// 2 Greet was not run, its input is wrong:
	// missing required property "name" (string)
	// unknown property "nam"; did you mean "name"?
	// Correct the input and call it again. true
	// 3 Great is not a registered tool. Did you mean Greet? Call one of the tools you were given. false
}

// Calls are submitted as their blocks complete. What only reads starts at once.
func ExampleExecutor_Stream() {
	var ex pegboard.Executor
	stream := ex.Stream(context.Background(), pool(pegboard.SessionConfig{}, greet))
	defer stream.Abandon(nil) // if the model's stream breaks off
	stream.Submit(pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	stream.Submit(pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)})
	stream.Finish(pegboard.FinishToolCalls)
	for out := range stream.Outcomes() {
		fmt.Println(out.Call.ID, out.Result.Text())
	}
	// Output:
	// 1 hello Ada
	// 2 hello Bob
}

// A hook ends the turn when all calls have ended, and all outcomes were yielded before.
func ExampleStream_StopTurn() {
	hooks := pegboard.Hooks{Batch: func(_ context.Context, outcomes []pegboard.Outcome) error {
		outcomes[0].StopTurn = true
		return nil
	}}
	var ex pegboard.Executor
	stream := ex.Stream(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet))
	stream.Submit(pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	for yielded := false; !yielded; {
		for out := range stream.Ready() {
			yielded = true
			fmt.Println(out.Result.Text(), out.StopTurn)
		}
	}
	stream.Finish(pegboard.FinishToolCalls)
	for range stream.Outcomes() {
	}
	fmt.Println(stream.StopTurn())
	// Output:
	// hello Ada false
	// true
}

// A framework calls the tools of a message one at a time, each on a goroutine of its own. Gather
// tells the Executor which calls belong together, and in which order.
func ExampleExecutor_Gather() {
	ctx := context.Background()
	var ex pegboard.Executor
	tools := pool(pegboard.SessionConfig{}, greet)
	message := []pegboard.Call{
		{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)},
		{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)},
	}
	gathering := ex.Gather(ctx, tools, message...)

	var framework sync.WaitGroup
	for _, c := range slices.Backward(message) {
		framework.Go(func() { ex.Run(ctx, tools, c) })
	}
	framework.Wait()

	for _, out := range gathering.End() {
		fmt.Println(out.Call.ID, out.Result.Text())
	}
	// Output:
	// 1 hello Ada
	// 2 hello Bob
}

// A call that the framework has dropped is given up.
func ExampleGathering_End() {
	ctx := context.Background()
	var ex pegboard.Executor
	tools := pool(pegboard.SessionConfig{}, greet)
	gathering := ex.Gather(ctx, tools,
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)})
	ex.Run(ctx, tools, pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	for _, out := range gathering.End() {
		fmt.Println(out.Call.ID, out.Result.Text())
	}
	// Output:
	// 1 hello Ada
	// 2 Greet was not run: the program did not hand it in. Nobody refused the call; repeat it if it is still wanted.
}

func ExampleLogEvents() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "elapsed" {
				return slog.Attr{}
			}
			return a
		},
	}))
	ex := pegboard.Executor{OnEvent: pegboard.LogEvents(logger)}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet), pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"nam":1}`)})
	// Output: level=WARN msg="tool call finished" tool=Greet call=1 failed=true error="decode: invalid input"
}

// The service is overloaded twice, and says when to come back. The tool marks that as
// Transient; the policy says how often the call is attempted.
func ExampleTransient() {
	overloaded := 2
	rate := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Rate", Timeout: time.Minute,
			Retry: pegboard.RetryPolicy{Attempts: 4, Delay: time.Millisecond}},
		Description: "Returns an exchange rate.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
			if overloaded > 0 {
				overloaded--
				return "", pegboard.Transient(errors.New("the service is overloaded"), 2*time.Millisecond)
			}
			return "1.08", nil
		},
	})
	p := pool(pegboard.SessionConfig{}, rate)
	var ex pegboard.Executor
	for range 2 {
		out := ex.Run(context.Background(), p, pegboard.Call{Name: "Rate"})[0]
		fmt.Println(out.Attempts, out.Result.Text())
		overloaded = 9
	}
	// Output:
	// 3 1.08
	// 4 the service is overloaded (try again after 2ms) (tried 4 times)
}

// A call that changes something is attempted again only if it says that twice has the
// effect of once.
func ExampleRetryPolicy() {
	for _, idempotent := range []bool{false, true} {
		attempts := 0
		put := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info:        pegboard.Info{Name: "Put", Retry: pegboard.RetryPolicy{Attempts: 2, Delay: time.Millisecond}},
			Description: "Sets the price.",
			Traits:      pegboard.Traits{Idempotent: idempotent},
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
				attempts++
				return "", pegboard.Transient(errors.New("the connection broke"), 0)
			},
		})
		permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Put"}})
		if err != nil {
			fmt.Println(err)
			return
		}
		var ex pegboard.Executor
		out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Permissions: permissions}, put), pegboard.Call{Name: "Put"})[0]
		fmt.Println(attempts, out.Result.Text())
	}
	// Output:
	// 1 the connection broke
	// 2 the connection broke (tried 2 times)
}

// A model wraps its input in a code fence, or writes a list where the schema has a string.
// The host permits both repairs. They count for read-only calls only; the outcome lists
// them, so that a host can see how often a model needs them.
func ExampleRepair() {
	ex := pegboard.Executor{Repair: pegboard.Repair{Syntax: true, Values: true}}
	for _, o := range ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage("```json\n{\"name\":\"Ada\"}\n```")},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":["Ada","Bob"]}`)},
		pegboard.Call{ID: "3", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)}) {
		fmt.Printf("%s %q %q\n", o.Call.ID, o.Result.Text(), o.Repairs)
	}
	// Output:
	// 1 "hello Ada" ["The code fence around the value was removed."]
	// 2 "hello Ada\nBob" ["A list of 2 strings was joined to one."]
	// 3 "hello Ada" []
}

// The error of an outcome is for the host: the stage at which the call failed, and a cause
// to compare with. The text of the result is for the model.
func ExampleCallError() {
	var ex pegboard.Executor
	for _, o := range ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet, exampleWriter()),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":true}`)},
		pegboard.Call{ID: "2", Name: "Write", Input: json.RawMessage(`{"file":"a.md"}`)},
		pegboard.Call{ID: "3", Name: "Read", Input: json.RawMessage(`{}`)}) {
		var failed *pegboard.CallError
		if !errors.As(o.Err, &failed) {
			continue
		}
		fmt.Println(failed.CallID, failed.Tool, failed.Stage)
		switch {
		case errors.Is(o.Err, pegboard.ErrInvalidInput):
			fmt.Println("  the model reads what was wrong with the input")
		case errors.Is(o.Err, pegboard.ErrDenied):
			fmt.Println("  decided by", o.Decision.By)
		case errors.Is(o.Err, pegboard.ErrUnknownTool):
			fmt.Println("  " + o.Result.Text())
		}
	}
	// Output:
	// 1 Greet decode
	//   the model reads what was wrong with the input
	// 2 Write permission
	//   decided by nobody
	// 3 Read lookup
	//   Read is not a registered tool. Call one of the tools you were given.
}

// A server promised another output than it sends. The model reads the result all the same.
func ExampleOutcome_outputErr() {
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:         pegboard.Info{Name: "rate"},
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"rate":{"type":"number"}}}`),
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			r := pegboard.TextResult("one for two")
			r.Data = json.RawMessage(`{"rate":"1:2"}`)
			return r, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	executor := pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}
	p, err := policy.New(policy.ModeBypass, policy.RuleSet{})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := executor.Run(context.Background(), pool(pegboard.SessionConfig{Permissions: p}, tool), pegboard.Call{ID: "1", Name: "rate"})[0]
	fmt.Println(out.Result.Text())
	fmt.Println(errors.Is(out.OutputErr, pegboard.ErrInvalidOutput))
	fmt.Println(out.OutputErr)
	// Output:
	// one for two
	// true
	// result rate: invalid output: rate: got string "1:2", want number
}

// openPage is a tool of the user's browser: this program knows its schema and its rules, the
// browser does the work.
var openPage = pegboard.Build(pegboard.Definition[struct {
	URL string `json:"url"`
}, struct {
	Title string `json:"title"`
}]{
	Info:        pegboard.Info{Name: "OpenPage", ExternalResult: true, Interrupt: pegboard.InterruptCancel},
	Description: "Opens a page in the user's browser.",
	Traits:      pegboard.Traits{OpenWorld: true, Concurrency: pegboard.Shared},
})

// browserSession returns a session in which pages may be opened.
func browserSession() *pegboard.Session {
	permissions, err := policy.New("", policy.RuleSet{Allow: []string{"OpenPage"}})
	if err != nil {
		panic(err)
	}
	return begin(pegboard.SessionConfig{Permissions: permissions})
}

// fakeBrowser stands for an extension at the other end of a connection: it is sent what to
// do, and sends back what came of it.
func fakeBrowser(session *pegboard.Session, todo <-chan *pegboard.ExternalCall) {
	for a := range todo {
		fmt.Println("browser:", string(a.Call.Input))
		if err := session.SubmitResult(a.ID, pegboard.ExternalResult{Output: []byte(`{"name":"Example"}`)}); errors.Is(err, pegboard.ErrInvalidOutput) {
			fmt.Println("not accepted, and still awaited")
		}
		if err := session.SubmitResult(a.ID, pegboard.ExternalResult{Output: []byte(`{"title":"Example"}`)}); err != nil {
			fmt.Println(err)
		}
	}
}

// A tool without a Call: the host has each call executed by a browser, and supplies what the
// browser answers.
func ExampleSession_SubmitResult() {
	session, todo := browserSession(), make(chan *pegboard.ExternalCall)
	defer close(todo)
	go fakeBrowser(session, todo)

	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventExternal {
			todo <- e.External
		}
	}}
	var registry pegboard.Registry
	if err := registry.Add(openPage); err != nil {
		fmt.Println(err)
		return
	}
	out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "OpenPage", Input: []byte(`{"url":"https://example.com"}`)})[0]
	fmt.Println(out.Result.Text(), out.Err)
	// Output:
	// browser: {"url":"https://example.com"}
	// not accepted, and still awaited
	// {"title":"Example"} <nil>
}

// A program that is about to end puts off the calls that are still awaited. It writes them
// down with the conversation, and the next one supplies their outcomes.
func ExampleExecutor_SubmitResult() {
	var registry pegboard.Registry
	if err := registry.Add(openPage); err != nil {
		fmt.Println(err)
		return
	}
	session := browserSession()
	awaited := make(chan bool)
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventExternal {
			close(awaited)
		}
	}}
	go func() {
		<-awaited // and the program is told to end
		for _, a := range session.ExternalCalls() {
			if err := a.Submit(pegboard.ExternalResult{Err: pegboard.ErrDeferred}); err != nil {
				fmt.Println(err)
			}
		}
	}()
	made := pegboard.Call{ID: "1", Name: "OpenPage", Input: []byte(`{"url":"https://example.com"}`)}
	first := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), made)[0]
	fmt.Println(errors.Is(first.Err, pegboard.ErrDeferred), first.Result.Text())

	// In the next process, with the call as it was written down.
	next := registry.AssemblePool(browserSession(), pegboard.PoolConfig{})
	var later pegboard.Executor
	out, err := later.SubmitResult(context.Background(), next, made, pegboard.ExternalResult{Output: []byte(`{"title":"Example"}`)})
	fmt.Println(out.Result.Text(), err)
	// Output:
	// true OpenPage has not been answered yet. The answer comes later.
	// {"title":"Example"} <nil>
}

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
	outcomes, err = executor.Resume(context.Background(), pool, &loaded, map[string]policy.Decision{question.ID: {Behavior: policy.Allow}})
	if err != nil {
		panic(err)
	}
	fmt.Println(outcomes[0].Result.Text())
	value, err = session.Suspension(outcomes)
	fmt.Println(value, err)

	_, err = executor.Resume(context.Background(), pool, &loaded, map[string]policy.Decision{question.ID: {Behavior: policy.Allow}})
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

// journalStep has the columns of the unique index.
type journalStep struct {
	session, turn  string
	place, attempt int
	state          pegboard.JournalState
}

// tableJournal is a Journal as a host makes it of a table of its database. Here the table is a
// map.
type tableJournal struct {
	rows  map[journalStep]pegboard.JournalEntry
	order []journalStep
}

func (t *tableJournal) Append(_ context.Context, e pegboard.JournalEntry) error {
	key := journalStep{e.Session, e.Turn, e.Place, e.Attempt, e.State}
	if _, taken := t.rows[key]; taken { // a violation of the index
		return fmt.Errorf("%w: %s of call %d", pegboard.ErrDuplicate, e.State, e.Place)
	}
	t.rows[key] = e
	t.order = append(t.order, key)
	return nil
}

func (t *tableJournal) Entries(_ context.Context, session, turn string) (list []pegboard.JournalEntry, err error) {
	for _, key := range t.order {
		if key.session == session && key.turn == turn {
			list = append(list, t.rows[key])
		}
	}
	return list, nil
}

// A journal of the host's own: each step of a call is added once.
func ExampleJournal() {
	var journal pegboard.Journal = &tableJournal{rows: map[journalStep]pegboard.JournalEntry{}}
	session := begin(pegboard.SessionConfig{ID: "conversation-1", Suspend: &pegboard.Suspending{Key: make([]byte, 32), Journal: journal}})
	var registry pegboard.Registry
	if err := registry.Add(inert("Nod")); err != nil {
		panic(err)
	}
	ctx := pegboard.WithTurn(context.Background(), "message-1")
	var executor pegboard.Executor
	executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Nod"})

	entries, err := journal.Entries(ctx, "conversation-1", "message-1")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		fmt.Println(e.CallID, e.Tool, e.State)
	}
	err = journal.Append(ctx, entries[0])
	fmt.Println(errors.Is(err, pegboard.ErrDuplicate))
	// Output:
	// 1 Nod proposed
	// true
}

// Files of turns that are older than any value that may be resumed are of no use.
func ExampleFileJournal_Sweep() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	journal, err := pegboard.NewFileJournal(dir)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := journal.Append(ctx, pegboard.JournalEntry{Session: "conversation-1", Turn: "message-1", State: pegboard.JournalProposed, Data: []byte(`{}`)}); err != nil {
		panic(err)
	}
	for _, age := range []time.Duration{7 * 24 * time.Hour, -time.Second} {
		if err := journal.Sweep(time.Now().Add(-age)); err != nil {
			panic(err)
		}
		entries, err := journal.Entries(ctx, "conversation-1", "message-1")
		fmt.Println(len(entries), err)
	}
	// Output:
	// 1 <nil>
	// 0 <nil>
}
