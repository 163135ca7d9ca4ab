package tooltest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// A FakeConfig describes a [Fake]. Only Name is required.
type FakeConfig struct {
	Name         string
	Title        string // what a person reads in place of Name
	Aliases      []string
	Description  string // Defaults to "A fake tool."
	RequiresUser bool   // only a user may allow its calls
	// InputSchema is the JSON schema of the input. Defaults to any object.
	InputSchema string

	// Traits describe every call. If Targets is set, it returns the targets of a call
	// from its input, instead of Traits.Targets.
	Traits  pegboard.Traits
	Targets func(input json.RawMessage) []pegboard.Target
	// Lines returns what a person reads of a call. Nil means nothing.
	Lines func(input json.RawMessage) pegboard.Lines
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
		Lines:           cfg.lines,
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

func (cfg FakeConfig) lines(input json.RawMessage, _ *pegboard.Call) pegboard.Lines {
	if cfg.Lines == nil {
		return pegboard.Lines{}
	}
	return cfg.Lines(input)
}

// unscripted is the Call of the tool inside a Fake. The Fake overrides it.
func unscripted(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
	return &pegboard.Result{}, nil
}
