package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleToolSearch() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	var executor pegboard.Executor
	out := executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{
		ID: "1", Name: "ToolSearch", Input: json.RawMessage(`{"query":"open an issue","max_results":1}`),
	})
	fmt.Println(out[0].Result.Parts[0].Tool)
	fmt.Println(session.Loaded())
	// Output:
	// mcp__github__create_issue
	// [ToolSearch mcp__github__create_issue]
}
