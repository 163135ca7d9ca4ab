package tooltest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A Fake is a tool that answers from a script and remembers its calls. It takes
// the way of any other tool, so that hooks, rules and schemas apply. Make one
// with [NewFake], [FakeConfig.New] or [StandIn].
//
// Its methods may be called concurrently. Calls take the replies in the order in
// which they reach the fake.
type Fake struct {
	pegboard.Tool

	mu      sync.Mutex
	replies []Reply
	calls   []pegboard.Call
}

// NewFake returns a Fake that gives each reply in turn and then repeats the
// last. Without replies every call returns the text "ok".
//
// It takes any object as input. Like every tool that says nothing of itself, it
// counts as writing something unknown: its calls run alone, and only if a rule
// or the session's mode allows them. Use [FakeConfig] to say more. NewFake
// panics if the name is not valid.
func NewFake(name string, replies ...Reply) *Fake { return FakeConfig{Name: name}.New(replies...) }

// StandIn returns a Fake that takes the place of t: it has t's name, schema,
// traits, validation and opinion of a call, but answers from the script. It lets
// a loop be tested with the real permissions and the real order of calls while
// nothing is done.
func StandIn(t pegboard.Tool, replies ...Reply) *Fake {
	if len(replies) == 0 {
		replies = []Reply{{Text: "ok"}}
	}
	return &Fake{Tool: t, replies: slices.Clone(replies)}
}

// Call records c and does what the next reply says.
func (f *Fake) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	return f.next(c).give(ctx, c)
}

func (f *Fake) next(c *pegboard.Call) Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.replies[min(len(f.calls), len(f.replies)-1)]
	f.calls = append(f.calls, copyCall(*c))
	return r
}

// Calls returns copies of the calls that reached the fake, in that order. A
// call that was refused before is not among them.
func (f *Fake) Calls() []pegboard.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := slices.Clone(f.calls)
	for i := range calls {
		calls[i] = copyCall(calls[i])
	}
	return calls
}

func copyCall(c pegboard.Call) pegboard.Call {
	c.Input = slices.Clone(c.Input)
	return c
}

// A FakeConfig describes a [Fake]. Only Name is required.
type FakeConfig struct {
	Name         string
	Aliases      []string
	Description  string // Defaults to "A fake tool."
	RequiresUser bool   // only a person may allow its calls
	// InputSchema is the JSON schema of the input. Defaults to any object.
	InputSchema string

	// Traits describe every call. Targets, if set, gives those of each call
	// by its input, in place of Traits.Targets.
	Traits  pegboard.Traits
	Targets func(input json.RawMessage) []pegboard.Target
}

// New returns a Fake of this description that gives each reply in turn and then
// repeats the last, as [NewFake] does. It panics if the name or the schema is
// not valid: both are source code.
func (cfg FakeConfig) New(replies ...Reply) *Fake {
	if cfg.Description == "" {
		cfg.Description = "A fake tool."
	}
	if cfg.InputSchema == "" {
		cfg.InputSchema = `{"type":"object"}`
	}
	t, err := pegboard.BuildRaw(json.RawMessage(cfg.InputSchema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: cfg.Name, Aliases: cfg.Aliases, RequiresUser: cfg.RequiresUser},
		Description: cfg.Description,
		Inspect:     cfg.inspect,
		Call:        unscripted,
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

// unscripted is the call of the tool inside a Fake, which the Fake overrides.
func unscripted(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
	return &pegboard.Result{}, nil
}
