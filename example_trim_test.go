package pegboard_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A wire passes the results of a history to TrimResults; each wire has a Trim that does
// so.
func ExampleSession_TrimResults() {
	session := begin(pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 3500, Preview: 20}})
	defer func() { _ = session.Close(context.Background()) }()
	history := []pegboard.HistoryResult{
		{CallID: "1", Tool: "Log", Turn: 1, Text: log100()},
		{CallID: "2", Tool: "Log", Turn: 1, Text: log100() + "the end\n"},
	}
	for _, text := range session.TrimResults(context.Background(), history) {
		first, _, _ := strings.Cut(text, ".")
		fmt.Printf("%q\n", first)
	}
	// Output:
	// ""
	// "[Result too long to show: 1908 bytes, 101 lines"
}
