package anthropic

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// An Option changes what a request says of its tools. The same options give the
// same bytes; other options are other bytes for the cache of the prompt.
type Option func(*options)

type options struct {
	cache      json.RawMessage // the member that marks a breakpoint; nil: none
	eager      bool            // all tools are
	eagerTools map[string]bool
	server     []json.RawMessage
}

func optionsOf(list []Option) (o options) {
	for _, option := range list {
		option(&o)
	}
	return o
}

// Cached marks the tools for the cache of prompts: the last built-in that is not
// deferred, and the last external tool that is not. Those are up to two of the four
// breakpoints of a request. With two, the built-ins are still served from the
// cache after a source came or went, and no mark moves into or out of their bytes.
//
// Ttl is how long the API keeps what it took, such as "5m" or "1h"; empty leaves
// that to the API.
func Cached(ttl string) Option {
	control := jsonobject.With("type", jsonobject.Quote("ephemeral"))
	if ttl != "" {
		control.Set("ttl", jsonobject.Quote(ttl))
	}
	member := append([]byte(`,"cache_control":`), control.Encode()...)
	return func(o *options) { o.cache = member }
}

// EagerInput asks for the input of calls as the model writes it, not checked and
// not held back: of the tools named, by their names in the pool, or of all if none
// is. Such input may be no JSON more often; see [Message.Results].
func EagerInput(tools ...string) Option {
	return func(o *options) {
		o.eager = o.eager || len(tools) == 0
		for _, tool := range tools {
			if o.eagerTools == nil {
				o.eagerTools = map[string]bool{}
			}
			o.eagerTools[tool] = true
		}
	}
}

// ServerTools puts definitions of tools that the API itself knows before those of
// the pool, such as its web search, its search of tools, or a toolset. They are sent
// byte for byte. A tool of the pool that has the name of one of them is left out.
func ServerTools(definitions ...json.RawMessage) Option {
	return func(o *options) { o.server = append(o.server, definitions...) }
}
