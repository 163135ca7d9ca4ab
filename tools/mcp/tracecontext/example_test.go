package tracecontext_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard/tools/mcp/tracecontext"
)

func ExampleWith() {
	// A host that traces sets it for a batch of calls.
	ctx := tracecontext.With(context.Background(), tracecontext.Context{
		Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	})
	fmt.Println(tracecontext.From(ctx).Meta())
	// Output: map[traceparent:00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01]
}

func ExampleOf() {
	c := tracecontext.Of(map[string]any{"traceparent": "00-1-2-01", "baggage": 7, "progressToken": "t"})
	fmt.Printf("%q %q\n", c.Parent, c.Baggage)
	// Output: "00-1-2-01" ""
}
