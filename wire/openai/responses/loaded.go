package responses

import (
	"encoding/json"
	"iter"

	"github.com/seed49eaa51d/pegboard/internal/history"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Loaded returns the tools that a conversation has made known to the model, by
// their names in the pool, in the order of their first mention: those that a search
// found, those whose definitions stand in an output, which is how [Message.Results]
// sends references to tools, and those that the model called.
func (w *Wire) Loaded(items []json.RawMessage) []string {
	return history.Loaded(func(yield func(string) bool) {
		for _, raw := range items {
			for name := range mentions(raw) {
				if !yield(w.tool(name)) {
					return
				}
			}
		}
	})
}

// mentions yields the names that an item makes known, as the API knows them.
func mentions(raw json.RawMessage) iter.Seq[string] {
	return func(yield func(string) bool) {
		o, err := jsonobject.Parse(raw)
		if err != nil {
			return
		}
		switch kind, _ := o.Text("type"); kind {
		case "function_call":
			name, _ := o.Text("name")
			yield(name)
		case "function_call_output":
			for _, text := range outputTexts(o.Get("output")) {
				for name := range history.FunctionNames(text) {
					if !yield(name) {
						return
					}
				}
			}
		case "tool_search_output":
			yieldTools(o.Get("tools"), yield)
		}
	}
}

// outputTexts returns the texts of an output.
func outputTexts(output json.RawMessage) (texts []string) {
	var text string
	if json.Unmarshal(output, &text) == nil {
		return []string{text}
	}
	var parts []part
	_ = json.Unmarshal(output, &parts) // anything else has none
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return texts
}

// yieldTools yields the names of functions, and of those in namespaces.
func yieldTools(list json.RawMessage, yield func(string) bool) bool {
	var tools []struct {
		Type, Name string
		Tools      json.RawMessage
	}
	_ = json.Unmarshal(list, &tools)
	for _, t := range tools {
		if t.Type == "namespace" {
			if !yieldTools(t.Tools, yield) {
				return false
			}
		} else if !yield(t.Name) {
			return false
		}
	}
	return true
}
