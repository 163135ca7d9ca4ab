package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleInvalidTool() {
	_, err := pegboard.BuildRaw(json.RawMessage(`{"$ref":"file:///etc/passwd"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "leak"},
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	var reg pegboard.Registry
	report, _ := reg.Attach("server", pegboard.InvalidTool("leak", err), greet)
	fmt.Println(report.Added, len(report.Quarantined))
	// Output: [mcp__server__Greet] 1
}
