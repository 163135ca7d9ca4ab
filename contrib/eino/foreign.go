package eino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cloudwego/eino/components/tool"

	"github.com/seed49eaa51d/pegboard"
)

// FromTool returns a tool of eino for a registry. Attach it, see [pegboard.Registry.Attach]: then
// its name, and the rules about it, are those of a source. Nothing is known of what it does: its
// calls run alone, and are asked about unless a rule allows them. Its error goes to the model as
// the result. An interrupt of eino is such an error, too.
//
// The error is that of t's Info, or a *[pegboard.BuildError].
func FromTool(ctx context.Context, t tool.InvokableTool) (pegboard.Tool, error) {
	if t == nil {
		return nil, errors.New("eino: no tool")
	}
	info, err := t.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("eino: the info of a tool: %w", err)
	}
	if info == nil {
		return nil, errors.New("eino: a tool without an info")
	}
	input := json.RawMessage(`{"type": "object"}`)
	s, err := info.ToJSONSchema()
	if err == nil && s != nil {
		input, err = json.Marshal(s)
	}
	if err != nil {
		return nil, fmt.Errorf("eino: the schema of %s: %w", info.Name, err)
	}
	return pegboard.BuildRaw(input, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: info.Name}, Description: info.Desc,
		Traits: pegboard.Traits{Destructive: true, OpenWorld: true},
		Call: func(ctx context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			text, err := t.InvokableRun(ctx, string(in))
			return pegboard.TextResult(text), err
		},
	})
}
