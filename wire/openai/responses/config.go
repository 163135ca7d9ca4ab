package responses

import "encoding/json"

// Config holds the choices of a host for a [Codec]. The zero Config is a good one. The same
// Config gives the same bytes; another one loses the cached prompt.
type Config struct {
	// HostedSearch lets the API search the deferred tools. The entry "tool_search" comes
	// before all tools of the pool, even if no tool is deferred at the moment, so that
	// they keep their place. Assemble the pool with
	// [pegboard.Deferral].ProviderSearch.
	//
	// Models before gpt-5.4 refuse the entry.
	HostedSearch bool
	// ClientSearch is the name of a tool of the pool that searches the deferred tools;
	// empty means none. Its definition takes the form of the entry "tool_search". A search
	// by the model is a call of the tool, and the tools in the result, in
	// [pegboard.Part], go back with their definitions.
	//
	// The tool to use is [pegboard.ToolSearch], by its name "ToolSearch". For any other,
	// assemble the pool with [pegboard.Deferral].ProviderSearch, or no tool is deferred.
	// The cached prompt is lost when the tool comes or goes, so it had better be built
	// in. ClientSearch has no effect with HostedSearch, or if the pool does not have the
	// tool.
	//
	// Models before gpt-5.4 refuse the entry.
	ClientSearch string
	// ServerTools are definitions of tools that the API itself knows, such as its web
	// search or apply_patch. They come before the tools of the pool and are sent byte for
	// byte. Their items are in [wire.Message].History; a call among them that the API
	// leaves to the client is for the host to answer.
	ServerTools []json.RawMessage
	// OutputSchemas declares the schema of a tool's output as "output_schema", if the model
	// reads the output itself: see [pegboard.Declaration].OutputShown. It costs tokens in
	// every request.
	OutputSchemas bool
	// Suspended says that the calls of the model's last message wait for a Resume, see
	// [pegboard.Session.Suspension]: Normalize adds no results for them. The API refuses a
	// request before they are answered.
	Suspended bool
}
