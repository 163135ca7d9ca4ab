package history

import (
	"iter"
	"strings"
)

// SearchTool is the name of [pegboard.ToolSearch] in a pool.
const SearchTool = "ToolSearch"

// An Entry is a block of a conversation that is a result, or that makes tools known to
// the model.
type Entry struct {
	At    Ref
	Names []string    // of the tools that are called or referred to here, in the API
	Past  *PastResult // nil unless the block is a result
}

// A PastResult is a result of a tool in a conversation.
type PastResult struct {
	CallID string
	// Repeats means that the API may use CallID again for another call.
	Repeats bool
	Tool    string // that was called, by its name in the pool; empty if it is not known
	Search  bool   // it answers a call of [SearchTool] that is in the conversation
	Turn    int    // how many messages of the model stand before it
	Failed  bool
	Texts   []string // in order
	Refers  bool     // it refers to tools, or holds nothing else
}

// Text returns all text of r.
func (r *PastResult) Text() string { return strings.Join(r.Texts, "\n") }

// defined yields the names of the tools whose definitions r holds, as the API knows
// them. Only a successful call of [SearchTool] counts: a page or a file may hold text
// that looks the same, and must not load tools.
func (r *PastResult) defined() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !r.Search || r.Failed {
			return
		}
		for _, text := range r.Texts {
			for name := range FunctionNames(text) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// definesTools reports whether r holds definitions of tools.
func (r *PastResult) definesTools() bool {
	for range r.defined() {
		return true
	}
	return false
}

// Loaded returns the tools that a conversation has made known to the model, in the
// order of their first mention, each once. From then on the model may call them, and a
// deferred tool must not be taken away again. Tool returns the name in the pool of a
// name in the API.
//
// These make a tool known:
//
//   - a reference to it in a result: tool_reference, also within
//     tool_search_tool_result; the tools of tool_search_output;
//   - its definition, as [FunctionNames] finds it, in the result of a call of
//     [SearchTool] that did not fail. The call must be in the conversation, too;
//   - a call by the model, even one that failed: its input was checked against the
//     whole schema. Calls that the provider answers do not count.
//
// Words of the user or the model make no tool known, nor does a message that
// the codec cannot read. Tools that the pool does not hold are in the list, since their
// source may come back. The empty name is not.
func Loaded(entries []Entry, tool func(api string) string) []string {
	seen := map[string]bool{"": true}
	var tools []string
	add := func(api string) {
		if name := tool(api); !seen[name] {
			seen[name] = true
			tools = append(tools, name)
		}
	}
	for _, e := range entries {
		for _, name := range e.Names {
			add(name)
		}
		if e.Past == nil {
			continue
		}
		for name := range e.Past.defined() {
			add(name)
		}
	}
	return tools
}
