package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// A host tells the user at the start which tools its provider cannot have.
func ExampleCodec_Omitted() {
	for _, p := range gemini.New(mapServer(), gemini.Config{}).Omitted() {
		fmt.Println(p.Tool, p.Omitted)
		fmt.Println(p.Reason)
	}
	// Output:
	// lookup true
	// a b: the API does not take this name of a parameter, and another part of the schema refers to it; use letters, digits and _
}

// The model must call one tool, must not call any, or must call one of several. Sequential has no
// effect. A name may differ from that in the pool, as the API wants it.
func ExampleCodec_Choice() {
	codec := gemini.New(mapServer(), gemini.Config{})
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
	// {"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["harbour_tide_26cd4736a8cc"]}}}
	// {"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}
	// {"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["harbour_tide_26cd4736a8cc","ToolSearch"]}}}
}

// A compaction drops the messages that made a tool known. Recall writes others that do.
func ExampleCodec_Recall() {
	codec := gemini.New(mapServer(), gemini.Config{})
	history := []json.RawMessage{
		json.RawMessage(`{"role":"user","parts":[{"text":"How do I get to Rome?"}]}`),
		json.RawMessage(`{"role":"model","parts":[{"functionCall":{"name":"ToolSearch","args":{"query":"route"}}}]}`),
		json.RawMessage(`{"role":"user","parts":[{"functionResponse":{"name":"ToolSearch","response":{"output":"<functions>\n{\"name\":\"mcp__maps__route\"}\n</functions>"}}}]}`),
	}
	known := codec.Loaded(history)
	compacted := codec.User(pegboard.Part{Text: "So far: the user wants to go to Rome."})
	compacted = append(compacted, codec.Recall(known)...)
	for _, m := range compacted {
		fmt.Println(string(m))
	}
	fmt.Println(known, codec.Loaded(compacted))
	// Output:
	// {"role":"user","parts":[{"text":"So far: the user wants to go to Rome."}]}
	// {"role":"model","parts":[{"functionCall":{"name":"ToolSearch","args":{"query":"select:mcp__maps__route"}},"thoughtSignature":"skip_thought_signature_validator"}]}
	// {"role":"user","parts":[{"functionResponse":{"name":"ToolSearch","response":{"output":"<functions>\n{\"name\":\"mcp__maps__route\",\"description\":\"For an example.\"}\n</functions>"}}}]}
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
		json.RawMessage(`{"role":"model","parts":[{"functionCall":{"name":"mcp__maps__route","args":{}}}]}`),
		json.RawMessage(`{"role":"user","parts":[{"functionResponse":{"name":"mcp__maps__route","response":{"output":"by train"}}}]}`),
		json.RawMessage(`{"role":"model","parts":[{"functionCall":{"name":"mcp__maps__route","args":{}}}]}`),
		json.RawMessage(`{"role":"user","parts":[{"functionResponse":{"name":"mcp__maps__route","response":{"output":"by ship"}}}]}`),
	}
	codec := gemini.New(mapServer(), gemini.Config{})
	for _, m := range codec.Trim(context.Background(), history, newest{}) {
		fmt.Println(string(m))
	}
	// Output:
	// {"role":"model","parts":[{"functionCall":{"name":"mcp__maps__route","args":{}}}]}
	// {"role":"user","parts":[{"functionResponse":{"name":"mcp__maps__route","response":{"output":"(left out)"}}}]}
	// {"role":"model","parts":[{"functionCall":{"name":"mcp__maps__route","args":{}}}]}
	// {"role":"user","parts":[{"functionResponse":{"name":"mcp__maps__route","response":{"output":"by ship"}}}]}
}
