package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type chartInput struct {
	File string `json:"file"`
	Size int    `json:"size,omitempty" jsonschema:"default=800"`
}

// chart says in Observe what its input means.
var chart = pegboard.Build(pegboard.Definition[chartInput, string]{
	Info:        pegboard.Info{Name: "Chart"},
	Description: "Draws a table.",
	Inspect: func(in chartInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.File}}}
	},
	Observe: func(in chartInput, _ *pegboard.Call) map[string]any {
		return map[string]any{"file": path.Join("/data", in.File), "format": path.Ext(in.File)}
	},
	Call: func(_ context.Context, _ chartInput, c *pegboard.Call) (string, error) {
		return "called with " + string(c.Input), nil
	},
})

// A hook sees what the input means, and the tool what the model wrote.
func ExampleCall_Observed() {
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		fmt.Println("hook:", string(h.Call.Observed()))
		return policy.Decision{}, nil
	}}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(cfg, chart), pegboard.Call{ID: "1", Name: "Chart", Input: json.RawMessage(`{"file": "a.csv"}`)})[0]
	fmt.Println("tool:", out.Result.Text())
	// Output:
	// hook: {"file":"/data/a.csv","size":800,"format":".csv"}
	// tool: called with {"file": "a.csv"}
}
