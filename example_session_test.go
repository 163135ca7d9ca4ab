package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A session says what one conversation may do: its permissions, its directory, and who is
// asked about what no rule decides. Without an asker that is denied.
func ExampleNewSession() {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Source: policy.SourceUser, Allow: []string{"Edit(drafts)"}, Deny: []string{"Edit(drafts/final.md)"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		ID:          "conversation 7",
		Permissions: permissions,
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			fmt.Println("asked:", q.Call.Name, string(q.Call.Input))
			return policy.Decision{Behavior: policy.Allow}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "drafts/a.md")
	exampleWrite(s, "drafts/final.md")
	exampleWrite(s, "main.go")

	_, err = pegboard.NewSession(pegboard.SessionConfig{Dir: "no such folder"})
	fmt.Println("no folder:", errors.Is(err, fs.ErrNotExist))
	// Output:
	// drafts/a.md: allow by Edit(drafts)
	// drafts/final.md: deny by Edit(drafts/final.md)
	// asked: Write {"file":"main.go"}
	// main.go: allow, a person answered: allow
	// no folder: true
}

func ExampleSession_Fork() {
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(src)"}})
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

	narrower, err := policy.New("", policy.RuleSet{Deny: []string{"Edit(src/generated)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "reviewer", Permissions: narrower})
	if err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(agent, "src/main.go")
	exampleWrite(agent, "src/generated/api.go")

	wider, err := p.WithRules(policy.RuleSet{Allow: []string{"Edit(docs)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Permissions: wider})
	fmt.Println(err)
	// Output:
	// src/main.go: allow by Edit(src)
	// src/generated/api.go: deny by Edit(src/generated)
	// a fork cannot add the allow rule "Edit(docs)"; add it to the parent
}

// The model is told why a call ended early, in words that keep it from arguing.
func ExampleSession_Interrupt() {
	wait := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Session().Interrupt(pegboard.ErrNewMessage) // the user typed
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

// A message of the user stops the calls of agents that their caller waits for. One that was
// moved to the background goes on.
func ExampleSession_MoveToBackground() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	wait := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
			s.Interrupt(pegboard.ErrNewMessage) // the user typed
			return "done", context.Cause(ctx)
		},
	})
	agent, err := s.Fork(pegboard.SessionConfig{AgentID: "reviewer"})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(wait); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	p := registry.AssemblePool(agent, pegboard.PoolConfig{})
	waitedFor := ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Wait"})
	agent.MoveToBackground()
	moved := ex.Run(context.Background(), p, pegboard.Call{ID: "2", Name: "Wait"})
	fmt.Println(errors.Is(waitedFor[0].Err, pegboard.ErrNewMessage), moved[0].Err)
	// Output:
	// true <nil>
}

// What all agents share ends with the conversation, whichever of them has started it.
func ExampleSession_OnMainClose() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	agent, err := session.Fork(pegboard.SessionConfig{AgentID: "reviewer"})
	if err != nil {
		log.Fatal(err)
	}
	agent.OnMainClose("cache", func(context.Context) error { fmt.Println("cache ends"); return nil })
	fmt.Println(agent.Close(context.Background()))
	fmt.Println(session.Close(context.Background()))
	// Output:
	// <nil>
	// cache ends
	// <nil>
}

// Close calls the functions that were given to OnClose, newest first, and names those
// that failed.
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

// A tool that started a loop of its own names it, if it does not end when it should.
func ExampleSession_Detach() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	returned := session.Detach("the loop of agent 7")
	fmt.Println(session.Detached())
	returned()
	fmt.Println(session.Detached())
	// Output:
	// [the loop of agent 7]
	// []
}

func ExampleSessionFrom() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation 7"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	ctx := pegboard.WithSession(context.Background(), s)

	// Deep inside a tool, where only the context arrives:
	if s, ok := pegboard.SessionFrom(ctx); ok {
		fmt.Println(s.ID())
	}
	_, ok := pegboard.SessionFrom(context.Background())
	fmt.Println(ok)
	// Output:
	// conversation 7
	// false
}

// A tool gets a context that carries its session. A host whose own code works in a session
// makes such a context itself.
func ExampleWithSession() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{AgentType: "reviewer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background())         //nolint:errcheck // it owns nothing that could fail
	label := func(ctx context.Context) string { // of a log line, wherever it is written
		if s, ok := pegboard.SessionFrom(ctx); ok {
			return s.AgentType()
		}
		return "no session"
	}
	fmt.Println(label(context.Background()))
	fmt.Println(label(pegboard.WithSession(context.Background(), s)))
	// Output:
	// no session
	// reviewer
}

// A log line says which agent made a call, and how it came to be.
func ExampleSession_AgentPath() {
	session := begin(pegboard.SessionConfig{ID: "conversation 7"})
	planner, err := session.Fork(pegboard.SessionConfig{AgentID: "planner"})
	if err != nil {
		log.Fatal(err)
	}
	worker, err := planner.Fork(pegboard.SessionConfig{AgentID: "worker", Role: pegboard.RoleAsyncAgent})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range []*pegboard.Session{session, planner, worker} {
		fmt.Printf("%s: %q, %v, from %q\n", s.ID(), s.AgentID(), s.Role(), s.AgentPath())
	}
	// Output:
	// conversation 7: "", main, from []
	// conversation 7: "planner", sub-agent, from ["planner"]
	// conversation 7: "worker", async agent, from ["planner" "worker"]
}

// A prompt names the directories that the agent may work in as the user would.
func ExampleSession_Dirs() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	app, lib := filepath.Join(home, "app"), filepath.Join(home, "lib")
	for _, dir := range []string{app, lib} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			log.Fatal(err)
		}
	}
	s := begin(pegboard.SessionConfig{Home: home, Dir: app, MoreDirs: []string{lib}})
	for _, dir := range s.Dirs() {
		rel, err := filepath.Rel(s.Home(), dir)
		fmt.Println("~/"+rel, err)
	}
	fmt.Println(s.ShortPath(filepath.Join(app, "main.go")))
	fmt.Println(s.ShortPath(filepath.Join(lib, "lib.go")) == filepath.Join(lib, "lib.go"))
	// Output:
	// ~/app <nil>
	// ~/lib <nil>
	// main.go
	// true
}

// A tool has put a download away for the model, which may read it without a question.
func ExampleSession_AllowReads() {
	downloads, err := os.MkdirTemp("", "downloads")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(downloads) }()
	type input struct {
		File string `json:"file"`
	}
	read := pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "Read"},
		Description: "Reads a file.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.File}}}
		},
		Call: func(context.Context, input, *pegboard.Call) (string, error) { return "", nil },
	})
	tools := pool(pegboard.SessionConfig{}, read)
	call := pegboard.Call{Name: "Read", Input: fmt.Appendf(nil, `{"file":%q}`, filepath.Join(downloads, "page.md"))}
	fmt.Println(tools.Decide(context.Background(), call).Behavior)
	tools.Session().AllowReads(downloads)
	fmt.Println(tools.Decide(context.Background(), call).Behavior)
	// Output:
	// ask
	// allow
}

// A session goes down into a worktree, and back to where it was made.
func ExampleSession_SetDir() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(project) }()
	tree := filepath.Join(project, ".claude", "worktrees", "fix")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: project})
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close(context.Background()) }()

	shown := func() string {
		rel, err := filepath.Rel(project, session.Dir())
		return fmt.Sprintln(filepath.ToSlash(rel), err)
	}
	fmt.Println(session.SetDir(".claude/worktrees/fix"))
	fmt.Print(shown())
	fmt.Println(errors.Is(session.SetDir(filepath.Dir(tree)), policy.ErrOutside)) // it may not go up
	fmt.Print(shown())
	fmt.Println(session.SetDir(project)) // but home
	fmt.Print(shown())
	// Output:
	// <nil>
	// .claude/worktrees/fix <nil>
	// true
	// .claude/worktrees/fix <nil>
	// <nil>
	// . <nil>
}

// After a cd of the shell, relative paths start elsewhere, and rules are as before. A host that
// resumes a conversation does the same.
func ExampleSession_Chdir() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(project) }()
	if err := os.Mkdir(filepath.Join(project, "web"), 0o755); err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: project})
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close(context.Background()) }()

	fmt.Println(session.Chdir("web"))
	fmt.Println(filepath.Base(session.Cwd()), session.Dir() == project)
	fmt.Println(errors.Is(session.Chdir("/"), policy.ErrOutside))
	// Output:
	// <nil>
	// web true
	// true
}

// A host is told of each change, for example to fire its hooks of CwdChanged.
func ExampleSession_OnChdir() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(project) }()
	if err := os.Mkdir(filepath.Join(project, "tree"), 0o755); err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: project})
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close(context.Background()) }()

	session.OnChdir("hooks", func(from, to string) {
		fmt.Println(from == project, filepath.Base(to))
	})
	fmt.Println(session.Chdir("tree"))
	// Output:
	// true tree
	// <nil>
}

// A tool that ignores its end keeps what it may still write. The host has asked the user, who
// says that the program is gone.
func ExampleSession_Forget() {
	release := make(chan struct{})
	deploy := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Deploy", Timeout: 50 * time.Millisecond}, Description: "Puts the program on the server.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { <-release; return "late", nil },
	})
	permissions, err := policy.New(policy.ModeBypass)
	if err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		panic(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(deploy); err != nil {
		panic(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	executor := pegboard.Executor{Grace: time.Millisecond, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}

	executor.Run(context.Background(), pool, pegboard.Call{ID: "first", Name: "Deploy"})
	fmt.Println(session.Detached())
	fmt.Println(executor.Run(context.Background(), pool, pegboard.Call{ID: "second", Name: "Deploy"})[0].Err)
	fmt.Println(session.Forget("first"))

	close(release)
	_ = session.Close(context.Background())
	// Output:
	// [Deploy]
	// targets Deploy: call did not return: Deploy; Session.Forget("first") gives back what it holds
	// true
}

// A server asks for a value in the middle of a call. What does not fit its schema goes back
// to the user.
func ExampleSession_Elicit() {
	typed := []string{`{"port":"eighty"}`, `{"port":80}`}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Elicit: func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
			fmt.Printf("%s asks: %s %q\n", f.From, f.Message, f.Problem)
			content := typed[0]
			typed = typed[1:]
			return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(content)}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	filled, err := s.Elicit(context.Background(), pegboard.Elicitation{
		From: "deploy", Message: "Which port?",
		Schema: json.RawMessage(`{"type":"object","properties":{"port":{"type":"integer"}},"required":["port"]}`),
	})
	fmt.Println(filled.Action, string(filled.Content), err)
	// Output:
	// deploy asks: Which port? ""
	// deploy asks: Which port? "port: got string \"eighty\", want integer"
	// accept {"port":80} <nil>
}

// Something that belongs to no call has words for the model. The loop asks for them before each
// request.
func ExampleSession_Notify() {
	session := begin(pegboard.SessionConfig{})
	session.Notify(pegboard.Part{Text: "The linter has found nothing."})
	for _, part := range session.Notifications() {
		fmt.Println(part.Text)
	}
	fmt.Println(len(session.Notifications()), "are left")
	// Output:
	// The linter has found nothing.
	// 0 are left
}

// What an agent has not been told when it ends, the main agent is told.
func ExampleSession_Notifications() {
	session := begin(pegboard.SessionConfig{})
	agent, err := session.Fork(pegboard.SessionConfig{AgentID: "a1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent.Notify(pegboard.Part{Text: "The tests of package a fail."})
	if err := agent.Close(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(session.Notifications()[0].Text)
	// Output:
	// The tests of package a fail.
}

// A mailbox keeps messages until the loop asks.
func ExampleSession_OnNotifications() {
	session := begin(pegboard.SessionConfig{})
	mailbox := []string{"Ann: the build is green."}
	session.OnNotifications("mailbox", func() (parts []pegboard.Part) {
		for _, message := range mailbox {
			parts = append(parts, pegboard.Part{Text: message})
		}
		mailbox = nil
		return parts
	})
	fmt.Println(session.Notifications()[0].Text)
	fmt.Println(len(session.Notifications()), "are left")
	// Output:
	// Ann: the build is green.
	// 0 are left
}

// A loop that is idle waits until there is something for the model, and polls nothing.
func ExampleSession_Notified() {
	session := begin(pegboard.SessionConfig{})
	go session.Notify(pegboard.Part{Text: "The tests have passed."})
	<-session.Notified()
	fmt.Println(session.Notifications()[0].Text)
	// Output:
	// The tests have passed.
}

// A mailbox tells those who wait that it has something.
func ExampleSession_AnnounceNotifications() {
	session := begin(pegboard.SessionConfig{})
	mailbox := make(chan string, 1)
	session.OnNotifications("mailbox", func() []pegboard.Part {
		session.AnnounceNotifications("mailbox", false)
		return []pegboard.Part{{Text: <-mailbox}}
	})
	mailbox <- "Ann: the build is green."
	session.AnnounceNotifications("mailbox", true)
	<-session.Notified()
	fmt.Println(session.Notifications()[0].Text)
	// Output:
	// Ann: the build is green.
}

func ExampleKey() {
	counter := pegboard.NewKey[*atomic.Int64]("files written")
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []*pegboard.Session{agent, s} { // the first call makes the counter
		counter.GetOrInit(s, func() *atomic.Int64 { return new(atomic.Int64) }).Add(1)
	}
	n, ok := counter.Get(s)
	fmt.Println(n.Load(), ok)
	// Output: 2 true
}

// A value that a background agent sets is its own, so that the conversation of the user does
// not change. SetRoot writes a value that all agents share.
func ExampleKey_SetRoot() {
	s := begin(pegboard.SessionConfig{})
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: "indexer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, version := pegboard.NewKey[string]("goal"), pegboard.NewKey[int]("version of the index")
	goal.Set(s, "a release")
	goal.Set(agent, "an index") // the agent's own
	version.SetRoot(agent, 7)   // of the conversation
	main, _ := goal.Get(s)
	number, _ := version.Get(s)
	fmt.Println(main, number)
	// Output: a release 7
}

// The agent that needs the index first opens it, for the conversation.
func ExampleKey_GetOrInitRoot() {
	s := begin(pegboard.SessionConfig{})
	index := pegboard.NewKey[*atomic.Int64]("queries")
	for _, id := range []string{"a", "b"} {
		agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: id})
		if err != nil {
			fmt.Println(err)
			return
		}
		queries := index.GetOrInitRoot(agent, func() *atomic.Int64 {
			fmt.Println("opened by", id)
			return new(atomic.Int64)
		})
		fmt.Println(queries.Add(1))
	}
	// Output:
	// opened by a
	// 1
	// 2
}

// Each agent has a list of the files that it has read. It begins with a copy of its parent's.
func ExampleNewClonedKey() {
	read := pegboard.NewClonedKey("files read", maps.Clone[map[string]bool])
	s := begin(pegboard.SessionConfig{})
	read.Set(s, map[string]bool{"main.go": true})
	agent, err := s.Fork(pegboard.SessionConfig{AgentID: "reviewer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	its, _ := read.Get(agent)
	its["go.mod"] = true
	own, _ := read.Get(s)
	fmt.Println(len(its), len(own))
	// Output: 2 1
}

// A tool that costs money compares its price with the rest of the budget before. A status line
// shows the sum.
func ExampleBudget() {
	budget := pegboard.NewBudget(0.50)
	for _, price := range []float64{0.25, 0.125, 0.25, 0.125} {
		if price > budget.Left() {
			fmt.Printf("$%.3f is too much\n", price)
			continue
		}
		budget.Spend(price)
	}
	fmt.Printf("$%.2f spent, $%.2f left\n", budget.Spent(), budget.Left())
	// Output:
	// $0.250 is too much
	// $0.50 spent, $0.00 left
}

// Greet may be called twice for each message of the user. The model reads what is left,
// and then that nothing is.
func ExampleCallBudget() {
	p := pool(pegboard.SessionConfig{Budgets: []pegboard.CallBudget{
		{Tools: []string{"Greet"}, Per: pegboard.PerTurn, Calls: 2},
	}}, greet)
	var ex pegboard.Executor
	greetAda := func() {
		out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})[0]
		fmt.Println(out.Result.Text())
		for _, m := range out.Result.Messages {
			fmt.Println(m.Text)
		}
		var over *pegboard.BudgetError
		if errors.As(out.Err, &over) {
			fmt.Println("the host sees:", over.Use.Calls, "of", over.Use.Budget.Calls)
		}
	}
	greetAda()
	greetAda()
	greetAda()
	p.Session().NewTurn() // the user has sent a message
	greetAda()
	// Output:
	// hello Ada
	// Budget: 1 of 2 calls of Greet left in this turn.
	// hello Ada
	// Budget: 0 of 2 calls of Greet left in this turn.
	// Greet was not run: the limit of 2 calls of Greet in this turn is used up. Use other tools, or answer with what you have and say what is missing.
	// the host sees: 2 of 2
	// hello Ada
	// Budget: 1 of 2 calls of Greet left in this turn.
}

// A budget of tokens also counts what the host says the model has used. When nothing is
// left, the outcome of the next call tells the loop to stop.
func ExampleSession_SpendTokens() {
	p := pool(pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Tokens: 1000}}}, greet)
	p.Session().SpendTokens(1200) // as the provider's reply said
	var ex pegboard.Executor
	out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})[0]
	fmt.Println(out.StopTurn, errors.Is(out.Err, pegboard.ErrBudget))
	fmt.Println(out.Result.Text())
	// Output:
	// true true
	// Greet was not run: the limit of 1000 tokens in this session is used up. No tool runs any more in this session: answer with what you have and say what is missing.
}

// An agent has the budgets of the session that it was forked from, and its own.
func ExampleSession_Spent() {
	p := pool(pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Calls: 100}}}, greet)
	agent, err := p.Session().Fork(pegboard.SessionConfig{AgentID: "reviewer", Budgets: []pegboard.CallBudget{{Calls: 5}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var reg pegboard.Registry
	if err := reg.Add(greet); err != nil {
		fmt.Println(err)
		return
	}
	var ex pegboard.Executor
	ex.Run(context.Background(), reg.AssemblePool(agent, pegboard.PoolConfig{}), pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	for _, use := range agent.Spent() {
		fmt.Printf("%q: %d of %d\n", use.AgentID, use.Calls, use.Budget.Calls)
	}
	// Output:
	// "": 1 of 100
	// "reviewer": 1 of 5
}

// A model that makes the same call with the same result again and again goes round in
// circles. Here the second such call is asked about, whatever the rules allow.
func ExampleBreakerLimits() {
	p := pool(pegboard.SessionConfig{
		Breaker: pegboard.BreakerLimits{Repeats: 2}, // Denials: 3, the default
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			fmt.Println("asked:", q.Reason)
			return policy.Decision{Behavior: policy.Deny, Reason: "you have greeted her"}, nil
		},
	}, greet)
	var ex pegboard.Executor
	for range 2 {
		out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
		fmt.Println(out[0].Decision.Behavior)
	}
	p.Session().NewTurn() // the user has spoken: the count begins anew
	out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Decision.Behavior)
	// Output:
	// allow
	// asked: "Greet" is called 2 times in a row with the same input
	// deny
	// allow
}

// One browser for the whole conversation: of the tools in its group one call runs at once,
// whichever agents make them, and however many calls a message has.
func ExampleGroupLimit() {
	var using atomic.Int32
	inBrowser := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info:        pegboard.Info{Name: name, Group: "browser"},
			Description: "Does something in the browser.",
			Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
				defer using.Add(-1)
				return fmt.Sprint(using.Add(1), " at once"), nil
			},
		})
	}
	p := pool(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{
		"browser":     {Parallel: 1},
		"mcp__github": {PerSecond: 5, Burst: 10}, // all tools of a source
	}}, inBrowser("Open"), inBrowser("Click"))
	var texts []string
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), p, pegboard.Call{Name: "Open"}, pegboard.Call{Name: "Click"}, pegboard.Call{Name: "Open"}) {
		texts = append(texts, out.Result.Text())
	}
	fmt.Println(strings.Join(texts, ", "))
	// Output: 1 at once, 1 at once, 1 at once
}
