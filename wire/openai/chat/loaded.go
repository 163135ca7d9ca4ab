package chat

import (
	"encoding/json"
	"iter"

	"github.com/seed49eaa51d/pegboard/internal/history"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Loaded returns the tools that a conversation has made known to the model, by
// their names in the pool, in the order of their first mention: those whose
// definitions stand in a result, which is how [Message.Results] sends references
// to tools, and those that the model called.
func (w *Wire) Loaded(messages []json.RawMessage) []string {
	return history.Loaded(func(yield func(string) bool) {
		for _, raw := range messages {
			for name := range mentions(raw) {
				if !yield(w.canonical(w.names.Tool(name))) {
					return
				}
			}
		}
	})
}

// mentions yields the names that a message makes known, as the API knows them.
func mentions(raw json.RawMessage) iter.Seq[string] {
	return func(yield func(string) bool) {
		o, err := jsonobject.Parse(raw)
		if err != nil {
			return
		}
		switch role, _ := o.Text("role"); role {
		case "tool":
			for _, text := range texts(o.Get("content")) {
				for name := range history.FunctionNames(text) {
					if !yield(name) {
						return
					}
				}
			}
		case "assistant":
			var calls []struct{ Function struct{ Name string } }
			if json.Unmarshal(o.Get("tool_calls"), &calls) != nil {
				return
			}
			for _, c := range calls {
				if !yield(c.Function.Name) {
					return
				}
			}
		}
	}
}
