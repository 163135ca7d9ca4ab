package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/history"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Loaded returns the tools that a conversation has made known to the model, by their
// names in the pool, in the order of their first mention: those whose definitions
// stand in a result, which is how [Message.Results] sends references to tools, and
// those that the model called.
func (w *Wire) Loaded(contents []json.RawMessage) []string {
	return history.Loaded(func(yield func(string) bool) {
		for _, raw := range contents {
			content, _ := parsePast(raw)
			for i, f := range content.functions {
				switch {
				case f.kind == history.Call && content.role == history.Model:
					if !yield(w.tool(f.name)) {
						return
					}
				case f.kind == history.Result && content.role == history.User:
					for name := range history.FunctionNames(output(content.parts[i])) {
						if !yield(w.tool(name)) {
							return
						}
					}
				}
			}
		}
	})
}

// output returns the text of a functionResponse.
func output(part json.RawMessage) string {
	fields, _ := jsonobject.Parse(part)
	_, raw := functionIn(fields, history.Result)
	result, _ := jsonobject.Parse(raw)
	response, _ := jsonobject.Parse(result.Get("response"))
	text, _ := response.Text("output")
	return text
}

// functions returns the definitions of the tools that parts begin with, each as it is
// in Tools, and says which of them cannot be called.
func (w *Wire) functions(parts []pegboard.Part) (texts []string) {
	var found []json.RawMessage
	var missing []string
	for _, p := range parts {
		if p.Tool == "" {
			break
		}
		if definition := w.definition(p.Tool); definition != nil {
			found = append(found, definition)
		} else {
			missing = append(missing, p.Tool)
		}
	}
	if len(found) > 0 {
		texts = append(texts, history.FunctionsBlock(found))
	}
	if len(missing) > 0 {
		texts = append(texts, fmt.Sprintf("(Not available any more: %s. Search again.)", strings.Join(missing, ", ")))
	}
	return texts
}

// definition returns a tool as Tools holds it, now or once it is loaded, or nil.
func (w *Wire) definition(tool string) json.RawMessage {
	if w.pool == nil {
		return nil
	}
	tool = w.canonical(tool)
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range w.pool.Declarations(part) {
			if d.Name == tool {
				return w.encode(d)
			}
		}
	}
	return nil
}

// tool returns the name in the pool of what the API calls so.
func (w *Wire) tool(api string) string { return w.canonical(w.names.Tool(api)) }

// canonical returns the name that a tool has now: it may be known by an alias.
func (w *Wire) canonical(tool string) string {
	if w.pool != nil {
		if t, ok := w.pool.Lookup(tool); ok {
			return t.Info().Name
		}
	}
	return tool
}
