package anthropic

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
)

// A Codec is the [wire.Codec] of the Messages API for one pool. The zero Codec has no
// tools, and reads replies with the names they hold.
//
// A Codec never changes; its methods may be called concurrently.
type Codec struct {
	tools     toolset.Set
	textCalls bool
	suspended bool
}

var _ wire.Codec = (*Codec)(nil)

// New returns the Codec of a pool.
//
// A tool is strict if it is declared so, the API has a form of its schema, and the strict
// tools before it leave room: one request holds 20, with 24 optional properties and 16
// of several types. It is deferred if the pool says so, see [pegboard.Deferral], unless
// all would be. Its examples are sent with it.
func New(p *pegboard.Pool, config Config) *Codec {
	poolcheck.MustExist(p, "anthropic.New")
	l := newToolList(config)
	var buffer [128]json.RawMessage // few pools have more tools; this list costs no allocation
	tools, ok := l.fill(buffer[:0], p)
	if !ok { // most pools have no name that the API refuses
		l.names = toolset.Names(p, nameRule)
		tools, _ = l.fill(buffer[:0], p)
	}
	c := &Codec{tools: toolset.Set{Pool: p, Names: l.names, Problems: l.problems, Parameters: renamed}, textCalls: config.TextCalls, suspended: config.Suspended}
	if len(tools) > 0 {
		c.tools.Encoded = jsonobject.List(tools)
	}
	return c
}

// Tools implements [wire.Codec]: server tools, then the tools of the pool.
//
// A deferred tool is sent, marked as such, but the model sees it only once a search has
// found it: a search of the API, see [Config].ServerTools, or a tool of the pool whose
// result holds parts with a Tool, such as [pegboard.ToolSearch].
func (c *Codec) Tools() json.RawMessage { return c.tools.List() }

// Omitted implements [wire.Codec]. It also returns tools that are sent as less than was
// declared; these problems are not marked as Omitted. The parts of a schema that strict
// cannot express are not among them: [wire.Lint] reports those.
func (c *Codec) Omitted() []wire.Problem { return slices.Clone(c.tools.Problems) }

// Name implements [wire.Codec].
func (c *Codec) Name(tool string) string { return c.tools.Names.API(tool) }

// Choice implements [wire.Codec] with "tool_choice".
//
// The API cannot confine the model to some of the tools: of choice.Tools only a single
// one that is Required can be expressed. Confine a pool instead, or deny the other tools.
// With thinking that is switched on by hand the API takes only [wire.Auto] and
// [wire.None].
//
// Another choice than in the turn before loses the messages in the prompt cache, but not
// the tools.
func (c *Codec) Choice(choice wire.Choice) json.RawMessage {
	if c.tools.Encoded == nil {
		return json.RawMessage("{}")
	}
	if choice.Mode == wire.Required && len(choice.Tools) == 1 {
		choice.Mode, choice.Tool = wire.One, choice.Tools[0]
	}
	choice.Tools = nil
	choice = deferral.Choice(c.tools.Pool, choice)
	kind := "auto"
	switch choice.Mode {
	case wire.Required:
		kind = "any"
	case wire.None:
		kind = "none"
	case wire.One:
		kind = "tool"
	}
	o := object(kind)
	if choice.Mode == wire.One {
		o.Set("name", jsonobject.Quote(c.Name(choice.Tool)))
	}
	if choice.Sequential && choice.Mode != wire.None { // the API takes no such member with "none"
		o.Set("disable_parallel_tool_use", json.RawMessage("true"))
	}
	return jsonobject.With("tool_choice", o.Encode()).Encode()
}

// Read implements [wire.Codec].
//
// Events yields a call when its block has stopped. Only a call whose input is empty or no
// JSON object waits for the next event: a model that runs out of tokens leaves such a
// call, and it must not run.
func (c *Codec) Read(body io.Reader) wire.Reply {
	a := &assembler{codec: c, body: reply.NewBody(body)}
	if c.textCalls {
		a.TextCalls = c.callsInText
	}
	return reply.New(a, &a.Draft)
}

// callsInText returns the calls that the model wrote into its text.
func (c *Codec) callsInText(m *wire.Message) []pegboard.Call {
	return c.tools.TextCalls(m, func(id, api string, input json.RawMessage) pegboard.Call {
		return pegboard.Call{ID: id, Name: c.tools.Names.Tool(api), Input: c.tools.Input(api, input)}
	})
}

// offered returns the name of a tool in the API, if the request holds the tool.
func (c *Codec) offered(tool string) (api string, ok bool) {
	if c.tools.Pool == nil {
		return "", false
	}
	t, ok := c.tools.Pool.Lookup(tool)
	if !ok {
		return "", false
	}
	name := t.Info().Name
	omitted := func(p wire.Problem) bool { return p.Omitted && p.Tool == name }
	return c.Name(name), !slices.ContainsFunc(c.tools.Problems, omitted)
}
