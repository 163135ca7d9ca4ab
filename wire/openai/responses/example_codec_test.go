package responses_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// A host tells the user at the start which tools its provider cannot have.
func ExampleCodec_Omitted() {
	for _, p := range responses.New(mapServer(), responses.Config{}).Omitted() {
		fmt.Println(p.Tool, p.Omitted)
		fmt.Println(p.Reason)
	}
	// Output:
	// lookup true
	// its input schema cannot be sent: the root's type is not object, and a tool's input is one
}

// The model must call one tool, must not call any, or must call one of several. A name may differ
// from that in the pool, as the API wants it.
func ExampleCodec_Choice() {
	codec := responses.New(mapServer(), responses.Config{})
	fmt.Println(codec.Name("harbour.tide"))
	for _, c := range []wire.Choice{
		{Mode: wire.One, Tool: "harbour.tide"},
		{Mode: wire.None},
		{Mode: wire.Required, Tools: []string{"harbour.tide", "ToolSearch"}, Sequential: true},
	} {
		fmt.Println(string(codec.Choice(c)))
	}
	// Output:
	// harbour_tide_26cd4736a8cc
	// {"tool_choice":{"type":"function","name":"harbour_tide_26cd4736a8cc"}}
	// {"tool_choice":"none"}
	// {"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"harbour_tide_26cd4736a8cc"},{"type":"function","name":"ToolSearch"}]},"parallel_tool_calls":false}
}

// A compaction drops the messages that made a tool known. Recall writes others that do.
func ExampleCodec_Recall() {
	codec := responses.New(mapServer(), responses.Config{})
	history := []json.RawMessage{
		json.RawMessage(`{"role":"user","content":"How do I get to Rome?"}`),
		json.RawMessage(`{"type":"function_call","call_id":"call_1","name":"ToolSearch","arguments":"{\"query\":\"route\"}"}`),
		json.RawMessage(`{"type":"function_call_output","call_id":"call_1","output":"<functions>\n{\"name\":\"mcp__maps__route\"}\n</functions>"}`),
	}
	known := codec.Loaded(history)
	compacted := codec.User(pegboard.Part{Text: "So far: the user wants to go to Rome."})
	compacted = append(compacted, codec.Recall(known)...)
	for _, m := range compacted {
		fmt.Println(string(m))
	}
	fmt.Println(known, codec.Loaded(compacted))
	// Output:
	// {"type":"message","role":"user","content":[{"type":"input_text","text":"So far: the user wants to go to Rome."}]}
	// {"type":"function_call","call_id":"call_4471302e04d9b24028f3bb85","name":"ToolSearch","arguments":"{\"query\":\"select:mcp__maps__route\"}"}
	// {"type":"function_call_output","call_id":"call_4471302e04d9b24028f3bb85","output":"<functions>\n{\"type\":\"function\",\"name\":\"mcp__maps__route\",\"description\":\"For an example.\",\"parameters\":{\"type\":\"object\"},\"strict\":false}\n</functions>"}
	// [ToolSearch mcp__maps__route] [ToolSearch mcp__maps__route]
}

// newest is a Trimmer that sends only the newest result whole. A [pegboard.Session] as Trimmer
// also stores the others, and the provider's prompt cache stays valid.
type newest struct{}

// TrimResults returns the texts in the place of all other results.
func (newest) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	texts := make([]string, len(results))
	for i := range max(len(results)-1, 0) {
		texts[i] = "(left out)"
	}
	return texts
}

// The host keeps the conversation whole and trims it for each request.
func ExampleCodec_Trim() {
	history := []json.RawMessage{
		json.RawMessage(`{"type":"function_call","call_id":"call_1","name":"mcp__maps__route","arguments":"{}"}`),
		json.RawMessage(`{"type":"function_call_output","call_id":"call_1","output":"by train"}`),
		json.RawMessage(`{"type":"function_call","call_id":"call_2","name":"mcp__maps__route","arguments":"{}"}`),
		json.RawMessage(`{"type":"function_call_output","call_id":"call_2","output":"by ship"}`),
	}
	codec := responses.New(mapServer(), responses.Config{})
	for _, m := range codec.Trim(context.Background(), history, newest{}) {
		fmt.Println(string(m))
	}
	// Output:
	// {"type":"function_call","call_id":"call_1","name":"mcp__maps__route","arguments":"{}"}
	// {"type":"function_call_output","call_id":"call_1","output":"(left out)"}
	// {"type":"function_call","call_id":"call_2","name":"mcp__maps__route","arguments":"{}"}
	// {"type":"function_call_output","call_id":"call_2","output":"by ship"}
}
