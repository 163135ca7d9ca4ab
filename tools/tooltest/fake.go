package tooltest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Fake is a tool that answers from a script and records its calls. Its calls pass
// the same stages as those of any other tool, so hooks, rules and schemas apply. Use
// [NewFake], [FakeConfig.New] or [StandIn] to make one.
//
// Its methods may be called concurrently. Calls take the replies in the order in
// which they reach the fake.
type Fake struct {
	pegboard.Tool

	mu      sync.Mutex
	replies []Reply
	calls   []pegboard.Call
}

// NewFake returns a Fake that gives the replies in order and then repeats the last
// one. Without replies every call returns the text "ok".
//
// It accepts any object as input. Like every tool that declares no traits, it counts
// as writing to an unknown target: its calls run alone, and only if a rule or the
// session's mode allows them. Use [FakeConfig] to declare more. NewFake panics if the
// name is not valid.
func NewFake(name string, replies ...Reply) *Fake { return FakeConfig{Name: name}.New(replies...) }

// StandIn returns a Fake that replaces t: it has the name, schema, traits, validation
// and permission check of t, but answers from the script. With it a loop can be
// tested with the real permissions and the real order of calls, without side effects.
func StandIn(t pegboard.Tool, replies ...Reply) *Fake {
	if len(replies) == 0 {
		replies = []Reply{{Text: "ok"}}
	}
	return &Fake{Tool: t, replies: slices.Clone(replies)}
}

// Call records c and runs the next reply.
func (f *Fake) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	return f.next(c).run(ctx, c)
}

func (f *Fake) next(c *pegboard.Call) Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.replies[min(len(f.calls), len(f.replies)-1)]
	f.calls = append(f.calls, copyCall(*c))
	return r
}

// Calls returns copies of the calls that have reached the fake, in order. It does not
// contain calls that were refused before.
func (f *Fake) Calls() []pegboard.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := slices.Clone(f.calls)
	for i := range calls {
		calls[i] = copyCall(calls[i])
	}
	return calls
}

// A FakeConfig describes a [Fake]. Only Name is required.
type FakeConfig struct {
	Name         string
	Title        string // a person reads it in place of Name
	Aliases      []string
	Description  string // Defaults to "A fake tool."
	RequiresUser bool   // only a user may allow its calls
	// InputSchema is the JSON schema of the input. Defaults to any object.
	InputSchema string

	// Traits describe every call. If Targets is set, it returns the targets of a call
	// from its input, instead of Traits.Targets.
	Traits  pegboard.Traits
	Targets func(input json.RawMessage) []policy.Target
	// Summary returns the lines about a call that a person reads. Nil means no lines.
	Summary func(input json.RawMessage) pegboard.Summary
	// ClassifierInput is that of the tool. Defaults to none.
	ClassifierInput func(input json.RawMessage, c *pegboard.Call) string
}

// New returns a Fake with this description. It gives the replies like [NewFake]. It
// panics if the name or the schema is not valid, since both are part of the source
// code.
func (cfg FakeConfig) New(replies ...Reply) *Fake {
	if cfg.Description == "" {
		cfg.Description = "A fake tool."
	}
	if cfg.InputSchema == "" {
		cfg.InputSchema = `{"type":"object"}`
	}
	t, err := pegboard.BuildRaw(json.RawMessage(cfg.InputSchema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:            pegboard.Info{Name: cfg.Name, Title: cfg.Title, Aliases: cfg.Aliases, RequiresUser: cfg.RequiresUser},
		Description:     cfg.Description,
		Inspect:         cfg.inspect,
		Summary:         cfg.lines,
		ClassifierInput: cfg.ClassifierInput,
		Call:            unscripted,
	})
	if err != nil {
		panic("tooltest: fake tool: " + err.Error())
	}
	return StandIn(t, replies...)
}

func (cfg FakeConfig) inspect(input json.RawMessage, _ *pegboard.Call) pegboard.Traits {
	tr := cfg.Traits
	tr.Targets = slices.Clone(tr.Targets)
	if cfg.Targets != nil {
		tr.Targets = cfg.Targets(input)
	}
	return tr
}

func (cfg FakeConfig) lines(input json.RawMessage, _ *pegboard.Call) pegboard.Summary {
	if cfg.Summary == nil {
		return pegboard.Summary{}
	}
	return cfg.Summary(input)
}

// unscripted is the Call of the tool inside a Fake. The Fake overrides it.
func unscripted(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
	return &pegboard.Result{}, nil
}
