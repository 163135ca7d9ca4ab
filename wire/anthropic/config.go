package anthropic

import "encoding/json"

// Config holds the choices of a host for a [Codec]. The zero Config is a good one. The same
// Config gives the same bytes; another one loses the cached prompt.
type Config struct {
	// Cache marks the tools for the prompt cache: the last built-in tool that is not
	// deferred, and the last external one that is not. Those are up to two of the four
	// breakpoints of a request. With two, the built-in tools are still served from the
	// cache after a source came or went, and no mark moves into or out of their bytes.
	Cache bool
	// CacheTTL is how long the API keeps the tools in the cache, such as "5m" or "1h".
	// Empty leaves that to the API. It has no effect without Cache.
	CacheTTL string
	// EagerInput asks for the input of all calls as the model writes it, without checks
	// and buffering by the API. Such input is more often no JSON.
	EagerInput bool
	// EagerTools asks for the same from these tools alone, by name or alias.
	EagerTools []string
	// ServerTools are definitions of tools that the API itself knows, such as its web
	// search, its search of tools, or a toolset. They come before the tools of the pool
	// and are sent byte for byte. A tool of the pool that has the name of one of them is
	// left out.
	ServerTools []json.RawMessage
	// Suspended says that the calls of the model's last message wait for a Resume, see
	// [pegboard.Session.Suspension]: Normalize adds no results for them. The API refuses a
	// request before they are answered.
	Suspended bool
}
