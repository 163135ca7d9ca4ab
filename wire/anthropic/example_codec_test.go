package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// A host tells the user at the start which tools its provider cannot have.
func ExampleCodec_Omitted() {
	for _, p := range anthropic.New(mapServer(), anthropic.Config{}).Omitted() {
		fmt.Println(p.Tool, p.Omitted)
		fmt.Println(p.Reason)
	}
	// Output:
	// lookup true
	// a b: the API does not take this name of a parameter, and another part of the schema refers to it; use letters, digits and _
}

// The model must call one tool, must not call any, or must call some tool: of several tools the
// API cannot name the allowed ones. A name may differ from that in the pool, as the API wants it.
func ExampleCodec_Choice() {
	codec := anthropic.New(mapServer(), anthropic.Config{})
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
	// {"tool_choice":{"type":"tool","name":"harbour_tide_26cd4736a8cc"}}
	// {"tool_choice":{"type":"none"}}
	// {"tool_choice":{"type":"any","disable_parallel_tool_use":true}}
}

// A compaction drops the messages that made a tool known. Recall writes others that do.
func ExampleCodec_Recall() {
	codec := anthropic.New(mapServer(), anthropic.Config{})
	history := []json.RawMessage{
		json.RawMessage(`{"role":"user","content":"How do I get to Rome?"}`),
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ToolSearch","input":{"query":"route"}}]}`),
		json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"tool_reference","tool_name":"mcp__maps__route"}]}]}`),
	}
	known := codec.Loaded(history)
	compacted := codec.User(pegboard.Part{Text: "So far: the user wants to go to Rome."})
	compacted = append(compacted, codec.Recall(known)...)
	for _, m := range compacted {
		fmt.Println(string(m))
	}
	fmt.Println(known, codec.Loaded(compacted))
	// Output:
	// {"role":"user","content":[{"type":"text","text":"So far: the user wants to go to Rome."}]}
	// {"role":"assistant","content":[{"type":"tool_use","id":"toolu_4471302e04d9b24028f3bb85","name":"ToolSearch","input":{"query":"select:mcp__maps__route"}}]}
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_4471302e04d9b24028f3bb85","content":[{"type":"tool_reference","tool_name":"mcp__maps__route"}]}]}
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
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"mcp__maps__route","input":{}}]}`),
		json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"by train"}]}`),
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"mcp__maps__route","input":{}}]}`),
		json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"by ship"}]}`),
	}
	codec := anthropic.New(mapServer(), anthropic.Config{})
	for _, m := range codec.Trim(context.Background(), history, newest{}) {
		fmt.Println(string(m))
	}
	// Output:
	// {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"mcp__maps__route","input":{}}]}
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"(left out)"}]}
	// {"role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"mcp__maps__route","input":{}}]}
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"by ship"}]}
}
