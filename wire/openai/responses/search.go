package responses

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// offersSearch reports whether a pool has a tool that can be the one of
// [ClientSearch].
func offersSearch(p *pegboard.Pool, tool string) bool {
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range p.Declarations(part) {
			if d.Name == tool {
				return d.Encoded(searchForm, encodeSearch) != nil
			}
		}
	}
	return false
}

// searches reports whether a tool is the one of [ClientSearch].
func (w *Wire) searches(d pegboard.Declaration) bool {
	return w.options.search.tool != "" && d.Name == w.options.search.tool
}

// searchTool returns the tool that a search by the client calls.
func (w *Wire) searchTool() string {
	if w.options.search.tool == "" {
		return "tool_search" // nobody asked for it, but it must be answered
	}
	return w.options.search.tool
}

// encodeSearch returns the tool of [ClientSearch] as the API takes it, or nil if
// it cannot.
func encodeSearch(d pegboard.Declaration) []byte {
	c, err := dialect.Convert(d.InputSchema, dialect.OpenAI)
	if err != nil {
		return nil
	}
	o := jsonobject.With("type", jsonobject.Quote("tool_search")).With("execution", jsonobject.Quote("client"))
	if d.Description != "" {
		o.Set("description", jsonobject.Quote(d.Description))
	}
	return o.With("parameters", c.Schema).Encode()
}

// definitions returns the named tools as [Wire.Tools] holds them. Tools that are
// not there are passed over.
func (w *Wire) definitions(tools []string) []json.RawMessage {
	if w.pool == nil || len(tools) == 0 {
		return nil
	}
	wanted := make(map[string]json.RawMessage, len(tools))
	for _, name := range tools {
		wanted[name] = nil
	}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range w.pool.Declarations(part) {
			if _, ok := wanted[d.Name]; ok && !w.searches(d) {
				wanted[d.Name] = w.encode(d, w.names.API(d.Name))
			}
		}
	}
	var found []json.RawMessage
	for _, name := range tools {
		if d := wanted[name]; d != nil {
			found = append(found, d)
			wanted[name] = nil // once is enough
		}
	}
	return found
}
