package responses

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Loaded returns the tools that a conversation has made known to the model, by
// their names in the pool, in the order of their first mention: those that a search
// found which the API ran or left to the client, those whose definitions stand in an
// output of [pegboard.ToolSearch], which is how [Message.Results] sends references to
// tools, and those that the model called.
//
// What looks like a definition in any other output says nothing, nor does the output of
// a search that failed, or whose call is not in items: one that the API keeps is not.
// Items that cannot be read are passed over.
func (w *Wire) Loaded(items []json.RawMessage) []string {
	var tools []string
	past, called := w.readCalls(items)
	for i, item := range past {
		for _, name := range mentions(items[i], called[item.block.ID]) {
			tools = append(tools, w.tool(name))
		}
	}
	return history.Loaded(slices.Values(tools))
}

// mentions returns the names that an item makes known, as the API knows them. It
// belongs to a call of the tool called.
func mentions(raw json.RawMessage, called string) []string {
	o, ok := parseOnce(raw)
	if !ok {
		return nil
	}
	switch kind, _ := o.Text("type"); kind {
	case "function_call":
		name, _ := o.Text("name")
		return []string{name}
	case "function_call_output":
		return slices.Collect(readOutput(o, called).Shown())
	case "tool_search_output":
		return foundIn(o.Get("tools"))
	}
	return nil
}

// foundIn returns the names of functions, and of those in namespaces.
func foundIn(list json.RawMessage) (names []string) {
	var tools []struct {
		Type, Name string
		Tools      json.RawMessage
	}
	_ = json.Unmarshal(list, &tools)
	for _, t := range tools {
		if t.Type == "namespace" {
			names = append(names, foundIn(t.Tools)...)
		} else {
			names = append(names, t.Name)
		}
	}
	return names
}
