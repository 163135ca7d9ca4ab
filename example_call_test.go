package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A tool that walks over files checks each file that it meets on the way.
func ExampleCall_Check() {
	file := func(name string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: name}
	}
	walk := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Walk"},
		Description: "Reads all there is.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{ // the files are checked one by one
			{Kind: policy.Resource, Access: policy.Read, Value: "list of files"},
		}},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, name := range []string{"main.go", ".env"} {
				fmt.Println(name, c.Filter(file(name)), c.Behavior(file(name))) // never ask
			}
			return "", c.Check(ctx, file(".env")) // asks if it must
		},
	})
	p, err := policy.New("", policy.RuleSet{Deny: []string{"Read(.env)"}})
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
	var registry pegboard.Registry
	if err := registry.Add(walk); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	out := executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{Name: "Walk"})[0]
	fmt.Println(out.Result.Text())
	fmt.Println(errors.Is(out.Err, pegboard.ErrDenied))
	// Output:
	// main.go true allow
	// .env false deny
	// denied: deny rule "Read(.env)" covers it
	// true
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

// A tool reports its progress as a text for people and as data for a progress bar.
func ExampleCall_EmitData() {
	type progress struct{ Done, All int }
	convert := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Convert"},
		Description: "Converts the pictures.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for i, name := range []string{"a.png", "b.png"} {
				c.EmitData(name, progress{Done: i + 1, All: 2})
			}
			return "done", nil
		},
	})
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if p, ok := e.Data.(progress); ok {
			fmt.Printf("%d%% %s\n", 100*p.Done/p.All, e.Text)
		}
	}}
	executor.Run(context.Background(), pool(pegboard.SessionConfig{}, convert), pegboard.Call{ID: "1", Name: "Convert"})
	// Output:
	// 50% a.png
	// 100% b.png
}

// A log has one name for each tool, whatever the model called it.
func ExampleCall_ToolName() {
	agent := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Agent", Aliases: []string{"Task"}},
		Description: "Starts an agent.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call:        func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
	})
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished {
			fmt.Printf("%s, called %s\n", e.Call.ToolName(), e.Call.Name)
		}
	}}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{}, agent), pegboard.Call{Name: "Task"})
	// Output: Agent, called Task
}

// A tool with a long output reports each line. The user sees the latest, the model the result.
func ExampleCall_Emit() {
	build := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Compile"},
		Description: "Compiles the program.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, line := range []string{"compile main.go", "link"} {
				c.Emit(line)
			}
			return "compiled", nil
		},
	})
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			fmt.Println("progress:", e.Text)
		}
	}}
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, build), pegboard.Call{ID: "1", Name: "Compile"})
	fmt.Println("result:", out[0].Result.Text())
	// Output:
	// progress: compile main.go
	// progress: link
	// result: compiled
}

// A program that rehearses runs what changes nothing and no other call.
func ExampleCall_Facts() {
	rehearsal := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		if !h.Call.Facts().ReadOnly {
			return policy.Decision{Behavior: policy.Deny, Reason: "this is a rehearsal"}, nil
		}
		return policy.Decision{}, nil
	}}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: rehearsal}, greet, exampleWriter()),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)},
		pegboard.Call{ID: "2", Name: "Write", Input: json.RawMessage(`{"file":"a.md"}`)}) {
		fmt.Println(out.Decision.Behavior, out.Decision.Reason)
	}
	// Output:
	// allow its tool says that it only reads, on this machine, and nothing that rules are about
	// deny this is a rehearsal
}

// A script may call a tool as the model does. The model gets a summary, the script all of it.
func ExampleCall_Parent() {
	list := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "List"},
		Description: "Lists the users.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			if c.Parent() == nil {
				return "3 users", nil
			}
			return "Ada, Bob, Cem", nil
		},
	})
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Script"},
		Description: "Runs a script.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			value, err := c.Run(ctx, pegboard.Call{ID: "2", Name: "List"})[0].Value()
			return fmt.Sprint("the script gets ", value), err
		},
	})
	var ex pegboard.Executor
	p := pool(pegboard.SessionConfig{}, list, script)
	for _, name := range []string{"List", "Script"} {
		fmt.Println(ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: name})[0].Result.Text())
	}
	// Output:
	// 3 users
	// the script gets Ada, Bob, Cem
}

// A tool that gives advice names only tools that the model has.
func ExampleCall_Pool() {
	help := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Help"},
		Description: "Says how to find text.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			if _, ok := c.Pool().Lookup("Grep"); ok {
				return "use Grep", nil
			}
			return "read the files one by one", nil
		},
	})
	var ex pegboard.Executor
	for _, p := range []*pegboard.Pool{pool(pegboard.SessionConfig{}, help), pool(pegboard.SessionConfig{}, help, inert("Grep"))} {
		fmt.Println(ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Help"})[0].Result.Text())
	}
	// Output:
	// read the files one by one
	// use Grep
}

type fileInput struct {
	File string `json:"file"`
}

// A tool opens the file that was decided, not the one to which the path of its input leads
// by now. The user reads the path relative to the working directory.
func ExampleCall_PathTarget() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("milk\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	size := pegboard.Build(pegboard.Definition[fileInput, string]{
		Info:        pegboard.Info{Name: "Size"},
		Description: "Returns the size of a file.",
		Inspect: func(in fileInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.File}}}
		},
		Call: func(ctx context.Context, in fileInput, c *pegboard.Call) (string, error) {
			target, err := c.PathTarget(ctx, policy.Read, in.File)
			if err != nil {
				return "", err
			}
			file, err := os.Open(target.Real())
			if err != nil {
				return "", err
			}
			defer func() { _ = file.Close() }()
			info, err := file.Stat()
			if err != nil {
				return "", err
			}
			if !target.WasDecided(info) {
				return "", errors.New("the file was replaced by one that a rule may be about; call again")
			}
			return fmt.Sprintf("%s has %d bytes", c.ShortPath(in.File), info.Size()), nil
		},
	})
	var executor pegboard.Executor
	out := executor.Run(context.Background(), pool(pegboard.SessionConfig{Dir: dir}, size),
		pegboard.Call{ID: "1", Name: "Size", Input: fmt.Appendf(nil, `{"file":%q}`, notes)})
	fmt.Println(out[0].Result.Text())
	// Output: notes.txt has 5 bytes
}

// A tool that searches everything begins in each working directory of its call.
func ExampleCall_Dirs() {
	root, err := os.MkdirTemp("", "work")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(root) }()
	app, lib := filepath.Join(root, "app"), filepath.Join(root, "lib")
	if err := errors.Join(os.Mkdir(app, 0o700), os.Mkdir(lib, 0o700)); err != nil {
		log.Fatal(err)
	}
	search := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "SearchAll"},
		Description: "Searches all working directories.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, dir := range c.Dirs() {
				fmt.Println(filepath.Base(dir), dir == c.Dir())
			}
			return "nothing found", nil
		},
	})
	var executor pegboard.Executor
	executor.Run(context.Background(), pool(pegboard.SessionConfig{Dir: app, MoreDirs: []string{lib}}, search),
		pegboard.Call{ID: "1", Name: "SearchAll"})
	// Output:
	// app true
	// lib false
}

// A tool starts its program where the shell is.
func ExampleCall_Cwd() {
	root, err := os.MkdirTemp("", "work")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(root) }()
	if err := os.Mkdir(filepath.Join(root, "web"), 0o700); err != nil {
		log.Fatal(err)
	}
	lint := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Lint"},
		Description: "Checks the style of the files here.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return filepath.Base(c.Cwd()), nil
		},
	})
	var executor pegboard.Executor
	outcomes := executor.Run(context.Background(), pool(pegboard.SessionConfig{Dir: root, Cwd: "web"}, lint), pegboard.Call{ID: "1", Name: "Lint"})
	fmt.Println(outcomes[0].Result.Text())
	// Output:
	// web
}

// A tool that starts a command and returns keeps the paths of the command until it has
// ended. Meanwhile a line with such a path is asked about.
func ExampleCall_Hold() {
	var ended func()
	line := func(name string, moves bool, call func(c *pegboard.Call)) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "Runs a command line.",
			Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{Targets: []policy.Target{
					{Kind: policy.Command, Access: policy.Run, Value: "a line", Shell: policy.ShellFacts{Simple: true}},
					{Kind: policy.Path, Access: policy.Write, Value: "/work/docs", Shell: policy.ShellFacts{MovesNames: moves}},
				}}
			},
			Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) { call(c); return "", nil },
		})
	}
	start := line("Start", true, func(c *pegboard.Call) { ended = c.Hold("the task t1", c.Targets()...) })
	later := line("Later", false, func(*pegboard.Call) {})
	perms, err := policy.New(policy.ModeBypass)
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := pool(pegboard.SessionConfig{Permissions: perms}, start, later)
	var executor pegboard.Executor
	executor.Run(context.Background(), tools, pegboard.Call{ID: "1", Name: "Start"})
	d := tools.Decide(context.Background(), pegboard.Call{ID: "2", Name: "Later"})
	fmt.Println(d.Behavior, d.Reason)
	ended()
	fmt.Println(tools.Decide(context.Background(), pegboard.Call{ID: "2", Name: "Later"}).Behavior)
	// Output:
	// ask the task t1 still goes on, and may change what /work/docs leads to; decide on it when that has ended
	// allow
}

// A listener keeps when each call was admitted, until the call has ended.
func ExampleCall_Identity() {
	admitted := map[any]time.Time{}
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventAdmitted:
			admitted[e.Call.Identity()] = e.Time
		case pegboard.EventFinished:
			_, known := admitted[e.Call.Identity()]
			fmt.Println(e.Call.Name, known)
			delete(admitted, e.Call.Identity())
		}
	}}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(len(admitted), "left")
	// Output:
	// Greet true
	// 0 left
}

// A host that keeps results in a database finds them by an id that the next process knows, too.
func ExampleCall_StableID() {
	kept := map[string]*pegboard.Result{}
	ex := pegboard.Executor{Invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (r *pegboard.Result, err error) {
		if r = kept[c.StableID()]; r == nil {
			fmt.Println("it runs")
			if r, err = t.Call(ctx, c); err == nil {
				kept[c.StableID()] = r
			}
		}
		return r, err
	}}
	for range 2 { // the host, and the host after a restart
		ex.Run(pegboard.WithTurn(context.Background(), "message 7"), pool(pegboard.SessionConfig{ID: "conversation"}, greet),
			pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	}
	fmt.Println(len(kept))
	// Output:
	// it runs
	// 1
}

// A log writes the name that the model used only if it is that of a tool.
func ExampleCall_NamesTool() {
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventAdmitted {
			fmt.Println(e.Call.NamesTool())
		}
	}}
	p := pool(pegboard.SessionConfig{}, greet)
	ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Send my notes", Input: json.RawMessage(`{}`)})
	// Output:
	// true
	// false
}

// A tool that files a complaint adds what the model said when it made the call.
func ExampleWithMessage() {
	type message struct{ Text string } // of the host's client
	report := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Report"},
		Description: "Tells the developers what went wrong.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			m, _ := c.Message().(*message)
			if m == nil { // another host, or a test
				return "Reported.", nil
			}
			return fmt.Sprintf("Reported, with %q.", m.Text), nil
		},
	})
	m := &message{Text: "The build fails for a reason I do not see."}
	ctx := pegboard.WithMessage(context.Background(), m)
	var executor pegboard.Executor
	out := executor.Run(ctx, pool(pegboard.SessionConfig{}, report), pegboard.Call{ID: "1", Name: "Report"})
	fmt.Println(out[0].Result.Text())
	// Output:
	// Reported, with "The build fails for a reason I do not see.".
}

// A tool tells what a person has put into its input from what the model wrote.
func ExampleCall_Sent() {
	type order struct {
		Cups int `json:"cups"`
	}
	tool := pegboard.Build(pegboard.Definition[order, string]{
		Info:        pegboard.Info{Name: "OrderTea"},
		Description: "Orders cups of tea.",
		Call: func(_ context.Context, in order, c *pegboard.Call) (string, error) {
			var sent order
			if err := json.Unmarshal(c.Sent(), &sent); err != nil {
				return "", err
			}
			return fmt.Sprintf("asked for %d, the person ordered %d", sent.Cups, in.Cups), nil
		},
	})
	cfg := pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"cups":2}`)}, nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(cfg, tool), pegboard.Call{ID: "1", Name: "OrderTea", Input: json.RawMessage(`{"cups":12}`)})[0]
	fmt.Println(out.Result.Text())
	// Output: asked for 12, the person ordered 2
}

// A tool stores a long response while it is being read.
func ExampleCall_Store() {
	fetch := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Fetch"}, Description: "Fetches the log.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
			body := strings.NewReader(strings.Repeat(log100(), 1000)) // of a response
			part, err := c.Store(ctx, body)
			return &pegboard.Result{Parts: []pegboard.Part{part}}, err
		},
	})
	var reg pegboard.Registry
	if err := reg.Add(fetch); err != nil {
		log.Fatal(err)
	}
	session := begin(pegboard.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	var executor pegboard.Executor
	out := executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Fetch"})
	fmt.Println(out[0].Result.Text()[:58])
	// Output: [Result too long to show: 1900000 bytes, 100000 lines. All
}

// A tool that knows its form writes a better preview than the first lines. The preview ends
// with how to read on, and the host opens the whole.
func ExampleCall_StoreRaw() {
	var kept pegboard.StoredResult
	query := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Query"}, Description: "Asks the database.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			table := "name,city\n" + strings.Repeat("Ada,London\n", 5000)
			var err error
			kept, err = c.StoreRaw(ctx, "text/csv", strings.NewReader(table))
			return fmt.Sprintf("5000 rows with the columns name, city. All are in %s; %s.", kept.Ref, c.Session().ReadMoreHint()), err
		},
	})
	tools := pool(pegboard.SessionConfig{
		Results: &memoryStore{held: map[string][]byte{}},
		Limits:  pegboard.ResultLimits{ReadMoreHint: "read on with ReadResult"},
	}, query)
	var executor pegboard.Executor
	fmt.Println(executor.Run(context.Background(), tools, pegboard.Call{ID: "1", Name: "Query"})[0].Result.Text())

	whole, err := tools.Session().ResultStore().Open(context.Background(), kept.Ref)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = whole.Close() }()
	size, err := io.Copy(io.Discard, whole)
	fmt.Println(size == kept.Size, err)
	// Output:
	// 5000 rows with the columns name, city. All are in memory:c8cdd5300cbb6142df375157eadc20b1; read on with ReadResult.
	// true <nil>
}

// What a tool reports on the far side, and what it returns, crosses as JSON. A far side with
// another version of the tool runs nothing.
func ExampleCallReply() {
	count := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Count"},
		Description: "Counts.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Emit("one")
			return "counted", pegboard.Transient(fmt.Errorf("the line broke"), 0)
		},
	})
	far := pool(pegboard.SessionConfig{}, count)
	perform := func(ctx context.Context, sent *pegboard.Call) ([]byte, error) {
		tool, call, err := far.Rebuild(pegboard.Call{ID: sent.ID, Name: sent.Name, Input: sent.Input})
		if err != nil {
			return nil, err
		}
		if call.ToolDigest() != sent.ToolDigest() {
			return nil, fmt.Errorf("another version of %s", call.ToolName())
		}
		call.OnProgress(func(text string, _ any) { fmt.Println("far side:", text) })
		return json.Marshal(pegboard.NewCallReply(tool.Call(ctx, call)))
	}
	executor := pegboard.Executor{Invoke: func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		fmt.Println("call", c.ID, "of", c.Turn(), "to a worker for", c.Info().Name)
		text, err := perform(ctx, c)
		if err != nil {
			return nil, err
		}
		var reply pegboard.CallReply
		if err := json.Unmarshal(text, &reply); err != nil {
			return nil, err
		}
		return reply.Returned()
	}}
	ctx := pegboard.WithTurn(context.Background(), "message 7")
	out := executor.Run(ctx, pool(pegboard.SessionConfig{}, count), pegboard.Call{ID: "1", Name: "Count"})[0]
	fmt.Println(out.Err)
	fmt.Println(out.Result.Text())
	// Output:
	// call 1 of message 7 to a worker for Count
	// far side: one
	// call Count: the line broke
	// the line broke
	// counted
}

// A command that the model wrote is shown on one line, with nothing hidden in it.
func ExampleOneLine() {
	fmt.Println(pegboard.OneLine("cd build &&\n\tmake \x1b[8minstall"))
	// Output: cd build && ⏎ make \x1b[8minstall
}
