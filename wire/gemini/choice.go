package gemini

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Choice returns the members that say c, as an object whose members belong into the
// request: "toolConfig". It is {} for a Wire without tools, since the API refuses any
// choice there.
//
// Auto with Tools becomes the mode VALIDATED, the only one that leaves the decision
// to the model and takes names: it also holds calls to their schemas while they are
// written. Required and One become ANY, which may refuse a very large or deep schema.
// The API cannot ask for no more than one call in a turn: Sequential has no
// effect. A tool of [Wire.Omitted] cannot be chosen: the API refuses the request.
//
// A tool that waits for [pegboard.ToolSearch] and was not loaded cannot be called yet.
// If it is the one to call, the mode is AUTO and the model decides. It is passed over
// among c.Tools, and if none is left there, the model may call none.
func (w *Wire) Choice(c wire.Choice) json.RawMessage {
	c = deferral.Choice(w.pool, c)
	if w.tools == nil {
		return json.RawMessage("{}")
	}
	mode, allowed := "AUTO", c.Tools
	switch c.Mode {
	case wire.Required:
		mode = "ANY"
	case wire.One:
		mode, allowed = "ANY", []string{c.Tool}
	case wire.None:
		mode, allowed = "NONE", nil
	default:
		if len(allowed) > 0 {
			mode = "VALIDATED"
		}
	}
	config := jsonobject.With("mode", jsonobject.Quote(mode))
	if len(allowed) > 0 {
		var names []json.RawMessage
		for _, tool := range allowed {
			names = append(names, jsonobject.Quote(w.names.API(tool)))
		}
		config.Set("allowedFunctionNames", jsonobject.List(names))
	}
	function := jsonobject.With("functionCallingConfig", config.Encode())
	return jsonobject.With("toolConfig", function.Encode()).Encode()
}
