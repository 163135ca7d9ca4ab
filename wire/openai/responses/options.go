package responses

import (
	"encoding/json"
)

// An Option changes what a request says of its tools. The same options give the
// same bytes; other options are other bytes for the cache of the prompt.
type Option func(*options)

type options struct {
	search search
	server []json.RawMessage
}

// search says who finds deferred tools. At most one member is set.
type search struct {
	hosted bool
	tool   string // of the pool
}

func optionsOf(list []Option) (o options) {
	for _, option := range list {
		option(&o)
	}
	return o
}

// HostedSearch lets the API search the deferred tools. The entry "tool_search"
// comes before all tools of the pool, whether or not any is deferred at the moment,
// so that they keep their place. Assemble the pool with [pegboard.Deferral].ProviderSearch.
// Without this option and [ClientSearch] see [Wire.Tools]; of the two the last counts.
//
// Models before gpt-5.4 refuse the entry.
func HostedSearch() Option {
	return func(o *options) { o.search = search{hosted: true} }
}

// ClientSearch lets a tool of the pool search the deferred tools. Its definition
// takes the form of the entry "tool_search". What the model sends to it is a call
// of the tool, and the tools that its result refers to, in [pegboard.Part], go back
// with their definitions. It has no effect on a pool without the tool, and the cache of
// the prompt is lost when the tool comes or goes. So it had better be a built-in, and
// the one to use is [pegboard.ToolSearch], by its name "ToolSearch": for any other the
// pool must be assembled with [pegboard.Deferral].ProviderSearch, or no tool waits.
//
// Models before gpt-5.4 refuse the entry.
func ClientSearch(tool string) Option {
	return func(o *options) { o.search = search{tool: tool} }
}

// ServerTools puts definitions of tools that the API itself knows before those of
// the pool, such as its web search or apply_patch. They are sent byte for byte.
// Their items are in [Message.History]; a call among them that the API leaves to
// the client is for the host to answer.
func ServerTools(definitions ...json.RawMessage) Option {
	return func(o *options) { o.server = append(o.server, definitions...) }
}
