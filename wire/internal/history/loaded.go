package history

import "iter"

// Loaded returns the tools that a conversation has made known to the model, in
// the order of their first mention, each once. From then on the model may call
// them, and a tool whose definition was deferred must not be taken away again.
//
// A wire yields the mentions in the order of its messages and blocks, by the name
// that the tool has in the pool. These are mentions:
//
//   - a reference to a tool in a result: tool_reference, also those within
//     tool_search_tool_result; the tools of tool_search_output;
//   - each of [FunctionNames] of a text in the result of a call of ToolSearch that did
//     not fail. The call must be in the conversation, too: a page or a file that looks
//     like such a result mentions nothing;
//   - a call by the model, whatever became of it: it was checked against the whole
//     schema and counts as known since. Calls that the provider answers are none.
//
// What the user or the model says in words is not a mention, nor is what a message
// holds that the wire cannot read. Tools that the pool does not hold are mentioned
// like any other, since a source may come back. The empty name is passed over.
func Loaded(mentions iter.Seq[string]) []string {
	seen := map[string]bool{"": true}
	var tools []string
	for tool := range mentions {
		if !seen[tool] {
			seen[tool] = true
			tools = append(tools, tool)
		}
	}
	return tools
}
