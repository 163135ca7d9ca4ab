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
