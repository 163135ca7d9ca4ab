package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func ExampleBuild() {
	d, _ := greet.Declare(pegboard.Scope{})
	fmt.Println(d.Name, "-", d.Description)
	fmt.Println(string(d.InputSchema))
	// Output:
	// Greet - Greets somebody.
	// {"properties":{"name":{"type":"string","description":"Whom to greet"},"loud":{"type":"boolean"}},"additionalProperties":false,"type":"object","required":["name"]}
}

// A func that the program has already.
func ExampleBuildFunc() {
	type sum struct{ A, B int }
	add := pegboard.BuildFunc("Add", "Adds two numbers.", func(_ context.Context, in sum) (int, error) { return in.A + in.B, nil })
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Add"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	call := pegboard.Call{ID: "1", Name: "Add", Input: json.RawMessage(`{"A": 2, "B": 3}`)}
	fmt.Println(executor.Run(context.Background(), pool(pegboard.SessionConfig{Permissions: perms}, add), call)[0].Result.Text())
	fmt.Println(executor.Run(context.Background(), pool(pegboard.SessionConfig{}, add), call)[0].Decision.Behavior)
	// Output:
	// 5
	// deny
}

func ExampleTryBuild() {
	_, err := pegboard.TryBuild(pegboard.Definition[greeting, string]{Info: pegboard.Info{Name: "Greet"}, Description: "Greets somebody."})
	fmt.Println(err)
	// Output: Greet: Call: is required, unless Info.ExternalResult says that the host executes the calls
}

func ExampleBuildRaw() {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)
	weather, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:   pegboard.Info{Name: "weather"},
		Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("asked for " + string(in)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, weather),
		pegboard.Call{ID: "1", Name: "weather", Input: json.RawMessage(`{"city":"Ulm"}`)},
		pegboard.Call{ID: "2", Name: "weather", Input: json.RawMessage(`{"City":"Ulm"}`)})
	fmt.Println(out[0].Result.Text())
	fmt.Println(out[1].Result.Text())
	// Output:
	// asked for {"city":"Ulm"}
	// weather was not run, its input is wrong:
	// missing required property "city" (string)
	// City: this key differs from "city" only by letter case; use "city"
	// Correct the input and call it again.
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

// The schema of an output is derived from its type. A wire declares it where a provider
// takes it, and a host may read it.
func ExampleDeclaration_output() {
	type rate struct {
		Rate float64 `json:"rate" jsonschema:"description=How many of the second for one of the first"`
		Date string  `json:"date,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[struct{}, rate]{
		Info:        pegboard.Info{Name: "ExchangeRate"},
		Description: "Returns a rate.",
		Call:        func(context.Context, struct{}, *pegboard.Call) (rate, error) { return rate{Rate: 2}, nil },
	})
	d, _ := tool.Declare(pegboard.Scope{})
	fmt.Println(string(d.OutputSchema))
	// Output:
	// {"type":"object","properties":{"rate":{"type":"number","description":"How many of the second for one of the first"},"date":{"type":"string"}},"required":["rate"],"additionalProperties":false}
}

func ExampleInvalidTool() {
	_, err := pegboard.BuildRaw(json.RawMessage(`{"$ref":"file:///etc/passwd"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "leak"},
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	var reg pegboard.Registry
	report, _ := reg.Attach("server", pegboard.InvalidTool("leak", err), greet)
	fmt.Println(report.Added, len(report.Quarantined))
	// Output: [mcp__server__Greet] 1
}

// accountKey is where the host keeps who has logged in.
var accountKey = pegboard.NewKey[string]("account")

// accountOf is the account for which the calls of a session are made.
func accountOf(s *pegboard.Session) (any, error) {
	account, ok := accountKey.Get(s)
	if !ok {
		return nil, errors.New("nobody has logged in")
	}
	return account, nil
}

// bindAccounts binds the account of all tools, each of which must have such a property.
func bindAccounts(tools []pegboard.Tool) ([]pegboard.Tool, error) {
	for i, tool := range tools {
		bound, err := pegboard.Bind(tool, map[string]pegboard.Binding{"account": accountOf})
		if err != nil {
			return nil, err
		}
		tools[i] = bound
	}
	return tools, nil
}

// A tool of a server wants to know the account. The model neither sees the property nor can
// it set one.
func ExampleBind() {
	schema := json.RawMessage(`{"type":"object","properties":{"account":{"type":"string"},"month":{"type":"integer"}},"required":["account"]}`)
	invoices, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "invoices"}, Description: "Lists invoices.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("the server gets " + string(in)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	tools, err := bindAccounts([]pegboard.Tool{invoices})
	if err != nil {
		log.Fatal(err)
	}
	pool := pool(pegboard.SessionConfig{}, tools...)
	accountKey.Set(pool.Session(), "acme")
	for d := range pool.Declarations(pegboard.Builtin) {
		fmt.Println(string(d.InputSchema))
	}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), pool,
		pegboard.Call{ID: "1", Name: "invoices", Input: json.RawMessage(`{"month":5}`)},
		pegboard.Call{ID: "2", Name: "invoices", Input: json.RawMessage(`{"month":5,"account":"other"}`)}) {
		fmt.Println(out.Result.Text())
	}
	// Output:
	// {"type":"object","properties":{"month":{"type":"integer"}}}
	// the server gets {"account":"acme","month":5}
	// invoices was not run, its input is wrong:
	// unknown property "account"; the properties are "month"
	// Correct the input and call it again.
}

// invoiceInput is what a func of the host has taken all along.
type invoiceInput struct {
	Account string `json:"account"`
	Month   int    `json:"month"`
}

// invoiceTool makes a tool of it.
func invoiceTool(total func(ctx context.Context, in invoiceInput, c *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[invoiceInput, string]{
		Info:        pegboard.Info{Name: "InvoiceTotal"},
		Description: "Returns the sum of the invoices of a month.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Bound:       map[string]pegboard.Binding{"account": accountOf},
		Call:        total,
	})
}

// A value that is not there fails the call, and the model is told nothing of it.
func ExampleBindError() {
	tool := invoiceTool(func(context.Context, invoiceInput, *pegboard.Call) (string, error) { return "42", nil })
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, tool),
		pegboard.Call{ID: "1", Name: "InvoiceTotal", Input: json.RawMessage(`{"month":5}`)})[0]
	var unbound *pegboard.BindError
	if errors.As(out.Err, &unbound) {
		fmt.Println(unbound.Property, "-", unbound.Err)
	}
	fmt.Println(out.Result.Text())
	// Output:
	// account - nobody has logged in
	// InvoiceTotal was not run. The program that runs the tools could not add what it adds to every input. The input is not at fault: do not repeat the call; use another way or tell the user.
}

func ExampleInfo_WithAnnotations() {
	info := pegboard.Info{Name: "create_issue"}.WithAnnotations(json.RawMessage(`{"title":"Create issue"}`))
	fmt.Println(info.Title)
	// Output: Create issue
}

func ExampleInfo_WithMeta() {
	meta := json.RawMessage(`{"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":100000}`)
	info := pegboard.Info{Name: "query"}.WithMeta(meta)
	fmt.Println(info.Loading, info.MaxResult)
	// Output: always 100000
}

// noteInput is the input of the tool that the examples of View show.
type noteInput struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// noteTool is a tool that says what a person reads of its calls.
func noteTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[noteInput, string]{
		Info:        pegboard.Info{Name: "AddNote", Title: "Take a note"},
		Description: "Adds a line to a file of notes.",
		Inspect: func(in noteInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindEdit, Targets: []policy.Target{{Kind: policy.Path, Value: in.File}}}
		},
		Summary: func(in noteInput, c *pegboard.Call) pegboard.Summary {
			name := c.Session().ShortPath(in.File)
			return pegboard.Summary{Before: "Note in " + name, While: "Noting in " + name}
		},
		Preview: func(_ context.Context, in noteInput, _ *pegboard.Call) ([]pegboard.Diff, error) {
			return []pegboard.Diff{noted(in)}, nil
		},
		Call: func(_ context.Context, in noteInput, _ *pegboard.Call) (string, error) { return in.File, nil },
		Result: func(file string) *pegboard.Result {
			r := pegboard.TextResult("The note is in " + file + ".")
			r.Line = "Noted 1 line"
			return r
		},
	})
}

// noted is what a note changes.
func noted(in noteInput) pegboard.Diff {
	return pegboard.Diff{Path: in.File, Hunks: []pegboard.Hunk{{OldStart: 3, NewStart: 3, NewLines: 1, Lines: []string{"+" + in.Text}}}}
}

// What a user interface shows of a call before, while and after it runs.
func ExampleCall_View() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
			fmt.Println(q.Call.View().Before + "?")
			diffs, err := q.Preview(ctx)
			for _, d := range diffs {
				fmt.Print(d.Unified())
			}
			return policy.Decision{Behavior: policy.Allow}, err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var registry pegboard.Registry
	if err := registry.Add(noteTool()); err != nil {
		log.Fatal(err)
	}
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			v := e.Call.View()
			fmt.Printf("[%v] %s: %s\n", v.Kind, v.Title, v.While)
		}
	}}
	outcomes := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "AddNote", Input: []byte(`{"file":"notes.txt","text":"Buy milk"}`)},
		pegboard.Call{ID: "2", Name: "AddNote", Input: []byte(`{"text":"Buy milk"}`)})
	for _, out := range outcomes {
		fmt.Println(out.View().After)
	}
	// Output:
	// Note in notes.txt?
	// @@ -2,0 +3 @@
	// +Buy milk
	// [edit] Take a note: Noting in notes.txt
	// Noted 1 line
	// Wrong input: missing required property "file" (string)
}

// Neighbouring calls that fold are one line.
func ExampleFoldedLine() {
	read := pegboard.View{Kind: pegboard.KindRead, Folds: true, Before: "Read go.mod"}
	search := pegboard.View{Kind: pegboard.KindSearch, Folds: true, Before: "Search for TODO"}
	fmt.Println(pegboard.FoldedLine(read))
	fmt.Println(pegboard.FoldedLine(read, search, read))
	// Output:
	// Read go.mod
	// 2 reads, 1 search
}

func ExampleDiff_Unified() {
	d := noted(noteInput{File: "notes.txt", Text: "Buy milk"})
	added, removed := d.Counts()
	fmt.Printf("%s: %d added, %d removed\n%s", d.Path, added, removed, d.Unified())
	// Output:
	// notes.txt: 1 added, 0 removed
	// @@ -2,0 +3 @@
	// +Buy milk
}
