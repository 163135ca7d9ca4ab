package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/seed49eaa51d/pegboard"
)

type greeting struct {
	Name string `json:"name" jsonschema:"description=Whom to greet"`
	Loud bool   `json:"loud,omitempty"`
}

var greet = pegboard.Build(pegboard.Definition[greeting, string]{
	Info:        pegboard.Info{Name: "Greet"},
	Description: "Greets somebody.",
	Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
	Call: func(_ context.Context, in greeting, _ *pegboard.Call) (string, error) {
		if in.Loud {
			return "HELLO " + in.Name, nil
		}
		return "hello " + in.Name, nil
	},
})

// pool returns a pool of tools in a new session.
func pool(cfg pegboard.SessionConfig, tools ...pegboard.Tool) *pegboard.Pool {
	s, err := pegboard.NewSession(cfg)
	if err != nil {
		log.Fatal(err)
	}
	var reg pegboard.Registry
	if err := reg.Add(tools...); err != nil {
		log.Fatal(err)
	}
	return reg.AssemblePool(s, pegboard.PoolConfig{})
}

func ExampleBuild() {
	d, _ := greet.Declare(nil)
	fmt.Println(d.Name, "-", d.Description)
	fmt.Println(string(d.InputSchema))
	// Output:
	// Greet - Greets somebody.
	// {"properties":{"name":{"type":"string","description":"Whom to greet"},"loud":{"type":"boolean"}},"additionalProperties":false,"type":"object","required":["name"]}
}

func ExampleTryBuild() {
	_, err := pegboard.TryBuild(pegboard.Definition[greeting, string]{Info: pegboard.Info{Name: "Greet"}, Description: "Greets somebody."})
	fmt.Println(err)
	// Output: Greet: Call: is required
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

// A wrapper embeds a tool and overrides one stage. The executor takes each call
// through all the others, so no check is lost.
func ExampleTool_wrapper() {
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, shouting{greet}),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Result.Text())
	// Output: hello Ada!
}

type shouting struct{ pegboard.Tool }

func (t shouting) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	r, err := t.Tool.Call(ctx, c)
	if err != nil {
		return nil, err
	}
	return pegboard.TextResult(r.Text() + "!"), nil
}

func ExampleJoinHooks() {
	noBob := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		if string(h.Call.Input) == `{"name":"Bob"}` {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "Bob is asleep"}, nil
		}
		return pegboard.Decision{}, nil
	}}
	loud := pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (pegboard.Decision, error) {
		return pegboard.Decision{Input: json.RawMessage(`{"name":"Ada","loud":true}`)}, nil
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
