package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
