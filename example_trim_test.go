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

// A tool that says "as above" asks whether the model still has what is above.
func ExampleSession_Trimmed() {
	session := begin(pegboard.SessionConfig{Limits: pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}})
	defer func() { _ = session.Close(context.Background()) }()
	history := []pegboard.HistoryResult{{CallID: "1", Tool: "Log", Turn: 1, Text: log100() + log100()}}
	session.TrimResults(context.Background(), history)
	fmt.Println(session.Trimmed("1"))
	for turn := 2; turn < 4; turn++ {
		history = append(history, pegboard.HistoryResult{CallID: fmt.Sprint(turn), Tool: "Log", Turn: turn, Text: log100()})
	}
	session.TrimResults(context.Background(), history)
	fmt.Println(session.Trimmed("1"), session.Trimmed("3"))
	// Output:
	// false
	// true false
}
