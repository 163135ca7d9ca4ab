package chat

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Loaded returns the tools that a conversation has made known to the model, by
// their names in the pool, in the order of their first mention: those whose
// definitions stand in a result of [pegboard.ToolSearch], which is how
// [Message.Results] sends references to tools, and those that the model called.
//
// What looks like a definition in any other result says nothing, nor does the result of
// a search that failed, or whose call is not in messages. Messages that cannot be read
// are passed over.
func (w *Wire) Loaded(messages []json.RawMessage) []string {
	var tools []string
	turns, called := w.readPast(messages)
	for _, t := range turns {
		for i, b := range t.blocks {
			switch b.Kind {
			case history.Call:
				tools = append(tools, w.tool(functionOf(t.raw[i])))
			case history.Result:
				for name := range readResult(t.results[i], called[b.ID]).Shown() {
					tools = append(tools, w.tool(name))
				}
			}
		}
	}
	return history.Loaded(slices.Values(tools))
}

// tool returns the name in the pool of what the API calls so.
func (w *Wire) tool(api string) string { return w.canonical(w.names.Tool(api)) }
