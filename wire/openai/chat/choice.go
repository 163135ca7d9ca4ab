package chat

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Choice returns the members that say c, as an object whose members belong into
// the request: "tool_choice", and "parallel_tool_calls" if c is sequential. What
// the API does anyway is not said, so that services that do not know these members
// take the request: the zero Choice, and any Choice without tools, is {}.
//
// Not every service that speaks this protocol knows c.Tools, and some models of
// OpenAI refuse "parallel_tool_calls". A tool of [Wire.Omitted] cannot be chosen: the
// API refuses the request.
//
// A tool that waits for [pegboard.ToolSearch] and was not loaded cannot be called yet.
// If it is the one to call, nothing is said and the model decides. It is passed over
// among c.Tools, and if none is left there, the model may call none.
func (w *Wire) Choice(c wire.Choice) json.RawMessage {
	c = deferral.Choice(w.pool, c)
	var o jsonobject.Object
	if string(w.Tools()) == "[]" {
		return o.Encode()
	}
	switch {
	case c.Mode == wire.One:
		o.Set("tool_choice", w.reference(c.Tool))
	case c.Mode == wire.None:
		o.Set("tool_choice", jsonobject.Quote("none"))
	case len(c.Tools) > 0:
		o.Set("tool_choice", w.allowed(c))
	case c.Mode == wire.Required:
		o.Set("tool_choice", jsonobject.Quote("required"))
	}
	if c.Sequential {
		o.Set("parallel_tool_calls", json.RawMessage("false"))
	}
	return o.Encode()
}

// allowed leaves the model some of the tools. They all stay in the request, so
// that a cached prompt stays valid.
func (w *Wire) allowed(c wire.Choice) json.RawMessage {
	mode := "auto"
	if c.Mode == wire.Required {
		mode = "required"
	}
	var tools []json.RawMessage
	for _, tool := range c.Tools {
		tools = append(tools, w.reference(tool))
	}
	list := jsonobject.With("mode", jsonobject.Quote(mode)).With("tools", jsonobject.List(tools))
	return jsonobject.With("type", jsonobject.Quote("allowed_tools")).With("allowed_tools", list.Encode()).Encode()
}

func (w *Wire) reference(tool string) json.RawMessage {
	function := jsonobject.With("name", jsonobject.Quote(w.names.API(tool)))
	return jsonobject.With("type", jsonobject.Quote("function")).With("function", function.Encode()).Encode()
}
