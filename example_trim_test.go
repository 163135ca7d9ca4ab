package pegboard_test

import (
	"context"
	"encoding/json"
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

// A user interface lists what the model is not sent any more, and opens it.
func ExampleSession_TrimmedResults() {
	session := begin(pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 3500, Preview: 20}})
	defer func() { _ = session.Close(context.Background()) }()
	session.TrimResults(context.Background(), []pegboard.HistoryResult{
		{CallID: "1", Tool: "Log", Turn: 1, Text: log100()},
		{CallID: "2", Tool: "Log", Turn: 1, Text: log100() + "the end\n"},
	})
	for _, r := range session.TrimmedResults() {
		stored, err := session.ResultStore().Open(context.Background(), r.Ref)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r.CallID, r.Tool, r.Size, stored.Close())
	}
	// Output: 2 Log 1908 <nil>
}

// A resumed conversation sends the bytes that it sent before, so that the provider's prompt
// cache still holds it. A status line shows how many results are sent whole.
func ExampleSession_TrimState() {
	limits := pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}
	first := begin(pegboard.SessionConfig{Limits: limits})
	defer func() { _ = first.Close(context.Background()) }()
	var history []pegboard.HistoryResult
	for turn := 1; turn < 4; turn++ {
		history = append(history, pegboard.HistoryResult{CallID: fmt.Sprint(turn), Tool: "Log", Turn: turn, Text: log100() + log100()})
		first.TrimResults(context.Background(), history)
	}
	counts := first.ResultCounts()
	fmt.Println("whole:", counts.Whole, "masked:", counts.Masked)

	for _, state := range []json.RawMessage{nil, first.TrimState()} { // without, and as the host kept it
		resumed := begin(pegboard.SessionConfig{Limits: limits, TrimState: state})
		fmt.Println(resumed.Trimmed("1"), resumed.ResultCounts().Masked)
		if err := resumed.Close(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// whole: 1 masked: 2
	// false 0
	// true 2
}
