package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/seed49eaa51d/pegboard"
)

// The error of an outcome is for the host: the stage at which the call failed, and a cause
// to compare with. The text of the result is for the model.
func ExampleCallError() {
	var ex pegboard.Executor
	for _, o := range ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet, exampleWriter()),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":7}`)},
		pegboard.Call{ID: "2", Name: "Write", Input: json.RawMessage(`{"file":"a.md"}`)},
		pegboard.Call{ID: "3", Name: "Read", Input: json.RawMessage(`{}`)}) {
		var failed *pegboard.CallError
		if !errors.As(o.Err, &failed) {
			continue
		}
		fmt.Println(failed.CallID, failed.Tool, failed.Stage)
		switch {
		case errors.Is(o.Err, pegboard.ErrInvalidInput):
			fmt.Println("  the model reads what was wrong with the input")
		case errors.Is(o.Err, pegboard.ErrDenied):
			fmt.Println("  decided by", o.Decision.By)
		case errors.Is(o.Err, pegboard.ErrUnknownTool):
			fmt.Println("  " + o.Result.Text())
		}
	}
	// Output:
	// 1 Greet decode
	//   the model reads what was wrong with the input
	// 2 Write permission
	//   decided by nobody
	// 3 Read lookup
	//   Read is not a registered tool. Call one of the tools you were given.
}

// A server promised another output than it sends. The model reads the result all the same.
func ExampleOutcome_outputErr() {
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:         pegboard.Info{Name: "rate"},
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"rate":{"type":"number"}}}`),
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			r := pegboard.TextResult("one for two")
			r.Data = json.RawMessage(`{"rate":"1:2"}`)
			return r, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	executor := pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}
	p, err := pegboard.NewPermissions(pegboard.ModeBypass, pegboard.RuleSet{})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := executor.Run(context.Background(), pool(pegboard.SessionConfig{Permissions: p}, tool), pegboard.Call{ID: "1", Name: "rate"})[0]
	fmt.Println(out.Result.Text())
	fmt.Println(errors.Is(out.OutputErr, pegboard.ErrInvalidOutput))
	fmt.Println(out.OutputErr)
	// Output:
	// one for two
	// true
	// result rate: invalid output: rate: got string "1:2", want number
}
