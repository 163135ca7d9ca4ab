package responses

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Choice returns the members of the request that say which tools may or must be
// called: an object to be merged into the request, with tool_choice and
// parallel_tool_calls as far as c differs from what the API does by itself. For
// the zero Choice, and without tools, it is {}.
//
// A tool of [Wire.Omitted] cannot be chosen: the API refuses the request.
//
// A tool that waits for [pegboard.ToolSearch] and was not loaded cannot be called yet,
// whether or not the request holds it. If it is the one to call, nothing is said and the
// model decides. It is passed over among c.Tools, and if none is left there, the model
// may call none.
func (w *Wire) Choice(c wire.Choice) json.RawMessage {
	c = deferral.Choice(w.pool, c)
	var o jsonobject.Object
	if string(w.Tools()) == "[]" {
		return o.Encode()
	}
	switch {
	case c.Mode == wire.None:
		o.Set("tool_choice", jsonobject.Quote("none"))
	case c.Mode == wire.One:
		o.Set("tool_choice", w.chosen(c.Tool))
	case len(c.Tools) > 0:
		mode := "auto"
		if c.Mode == wire.Required {
			mode = "required"
		}
		var tools []json.RawMessage
		for _, tool := range c.Tools {
			tools = append(tools, w.chosen(tool))
		}
		o.Set("tool_choice", jsonobject.With("type", jsonobject.Quote("allowed_tools")).
			With("mode", jsonobject.Quote(mode)).With("tools", jsonobject.List(tools)).Encode())
	case c.Mode == wire.Required:
		o.Set("tool_choice", jsonobject.Quote("required"))
	}
	if c.Sequential {
		o.Set("parallel_tool_calls", json.RawMessage("false"))
	}
	return o.Encode()
}

// chosen returns how a choice names a tool.
func (w *Wire) chosen(tool string) json.RawMessage {
	if w.options.search.tool != "" && tool == w.options.search.tool {
		return json.RawMessage(`{"type":"tool_search"}`)
	}
	return jsonobject.With("type", jsonobject.Quote("function")).With("name", jsonobject.Quote(w.Name(tool))).Encode()
}
