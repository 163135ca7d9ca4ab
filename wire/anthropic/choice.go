package anthropic

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Choice returns the members that say c, as an object whose members belong into the
// request: "tool_choice". It is {} if the request has no tools: then the API takes no
// such member.
//
// The API cannot confine the model to some of the tools: of c.Tools only a single
// one that is Required can be said. Confine a pool instead, or see to it that the
// other tools are denied. With thinking that is switched on by hand it takes only
// [wire.Auto] and [wire.None]. A tool that [Wire.Tools] leaves out cannot be chosen:
// the API refuses the request.
//
// A tool that waits for [pegboard.ToolSearch] and was not loaded cannot be called yet,
// though the request holds it. If it is the one to call, the model decides.
//
// Another choice than in the turn before costs the messages in the cache of the
// prompt, but not the tools.
func (w *Wire) Choice(c wire.Choice) json.RawMessage {
	if w.tools == nil {
		return json.RawMessage("{}")
	}
	if c.Mode == wire.Required && len(c.Tools) == 1 {
		c.Mode, c.Tool = wire.One, c.Tools[0]
	}
	c.Tools = nil
	c = deferral.Choice(w.pool, c)
	kind := "auto"
	switch c.Mode {
	case wire.Required:
		kind = "any"
	case wire.None:
		kind = "none"
	case wire.One:
		kind = "tool"
	}
	o := jsonobject.With("type", jsonobject.Quote(kind))
	if c.Mode == wire.One {
		o.Set("name", jsonobject.Quote(w.Name(c.Tool)))
	}
	if c.Sequential && c.Mode != wire.None { // where there are no calls, there is no such member
		o.Set("disable_parallel_tool_use", json.RawMessage("true"))
	}
	return jsonobject.With("tool_choice", o.Encode()).Encode()
}
