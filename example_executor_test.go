package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

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
