package gemini

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Loaded returns the tools that a conversation has made known to the model, by their
// names in the pool, in the order of their first mention: those whose definitions
// stand in a result of [pegboard.ToolSearch], which is how [Message.Results] sends
// references to tools, and those that the model called.
//
// What looks like a definition in any other result says nothing, nor does the result of
// a search that failed, or whose call is not in contents; [Normalize] says which call a
// result belongs to. Contents that cannot be read are passed over.
func (w *Wire) Loaded(contents []json.RawMessage) []string {
	var tools []string
	past, calls := readPast(contents)
	for i, content := range past {
		for j, f := range content.functions {
			switch {
			case f.kind == history.Call && content.role == history.Model:
				tools = append(tools, w.tool(f.name))
			case f.kind == history.Result && content.role == history.User:
				r := readResult(content.parts[j], w.tool(calls[partIndex{i, j}].name))
				for name := range r.Shown() {
					tools = append(tools, w.tool(name))
				}
			}
		}
	}
	return history.Loaded(slices.Values(tools))
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
