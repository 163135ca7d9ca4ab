package chat

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/function"
)

// A Codec is the [wire.Codec] of Chat Completions for one pool. The zero Codec has no
// tools, and reads replies with the names they hold.
//
// A Codec never changes; its methods may be called concurrently.
type Codec struct {
	tools  toolset.Set
	config Config
}

var _ wire.Codec = (*Codec)(nil)

// Config holds the choices of a host for a [Codec]. The zero Config is a good one.
type Config struct {
	// TextCalls looks for calls that the model wrote into its text instead of making them in
	// the form of the API, as weaker models do. See package wire.
	TextCalls bool
	// Suspended says that the calls of the model's last message wait for a Resume, see
	// [pegboard.Session.Suspension]: Normalize adds no results for them. The API refuses a
	// request before they are answered.
	Suspended bool
}

// New returns the Codec of a pool.
func New(p *pegboard.Pool, config Config) *Codec {
	poolcheck.MustExist(p, "chat.New")
	form := toolset.Form{Names: dialect.OpenAI.NameRule(), Encode: encodeTool, Refused: function.Refused}
	set, tools := toolset.New(p, form, nil, deferral.Request(p))
	set.Encoded = jsonobject.List(tools)
	return &Codec{tools: set, config: config}
}

// Tools implements [wire.Codec]. Each function says whether it is strict. It is if the
// tool asks for it and its schema has a strict form; the tool's own schema is checked
// when it is called. Many services, and the API itself, refuse an empty array: leave the
// member out then.
func (c *Codec) Tools() json.RawMessage { return c.tools.List() }

// Omitted implements [wire.Codec]. A deferred tool is checked when it is loaded, and then
// comes last.
func (c *Codec) Omitted() []wire.Problem { return slices.Clone(c.tools.Problems) }

// Name implements [wire.Codec].
func (c *Codec) Name(tool string) string { return c.tools.Names.API(tool) }

// Choice implements [wire.Codec] with "tool_choice" and, if choice is Sequential,
// "parallel_tool_calls". It says nothing that the API does anyway, so that services that
// do not know these members take the request.
//
// Not every service that speaks this protocol knows choice.Tools, and some models of
// OpenAI refuse "parallel_tool_calls".
func (c *Codec) Choice(choice wire.Choice) json.RawMessage {
	if string(c.Tools()) == "[]" {
		return json.RawMessage("{}")
	}
	return function.Choice(deferral.Choice(c.tools.Pool, choice), function.ChoiceForm{
		Tool: func(tool string) json.RawMessage {
			name := jsonobject.With("name", jsonobject.Quote(c.Name(tool)))
			return jsonobject.With("type", jsonobject.Quote("function")).With("function", name.Encode()).Encode()
		},
		Allowed: func(mode string, tools []json.RawMessage) json.RawMessage {
			// All tools stay in the request, so that a cached prompt stays valid.
			list := jsonobject.With("mode", jsonobject.Quote(mode)).With("tools", jsonobject.List(tools))
			return jsonobject.With("type", jsonobject.Quote("allowed_tools")).With("allowed_tools", list.Encode()).Encode()
		},
	})
}

// Read implements [wire.Codec].
//
// The protocol does not say when a call ends. A call is complete when its arguments are
// a whole object and another call begins, or when the model has finished. Events yields
// calls in the order in which they began; a call whose arguments are empty or no object
// delays those after it until the end of the reply.
//
// A body that ends between two events after the model has said why it stopped is whole,
// even if reading it failed: some services leave out the rest. Only if a call came after
// the reason, the rest is required.
func (c *Codec) Read(body io.Reader) wire.Reply {
	a := newAssembler(c, body)
	if c.config.TextCalls {
		a.TextCalls = func(m *wire.Message) []pegboard.Call {
			return c.tools.TextCalls(m, func(id, api string, input json.RawMessage) pegboard.Call { return c.call(id, api, input) })
		}
	}
	return reply.New(a, &a.Draft)
}

// encodeTool returns d as the API takes it, or nil if the API refuses its schema.
func encodeTool(d pegboard.Declaration, name string) json.RawMessage {
	key := "openai-chat"
	if name != d.Name {
		key += ":" + name
	}
	return d.Encoded(key, func(d pegboard.Declaration) []byte {
		form, err := function.Parameters(d)
		if err != nil {
			return nil
		}
		o := jsonobject.With("name", jsonobject.Quote(name))
		if d.Description != "" {
			o.Set("description", jsonobject.Quote(d.Description))
		}
		o.Set("parameters", form.Schema)
		o.Set("strict", function.Strict(form))
		return jsonobject.With("type", jsonobject.Quote("function")).With("function", o.Encode()).Encode()
	})
}

// call returns a call by the model under the name in the pool.
func (c *Codec) call(id, name string, input []byte) pegboard.Call {
	tool := c.tools.Names.Tool(name)
	if d, ok := c.tools.Declaration(tool); ok && jsonobject.Is(input) {
		input = function.WithoutNulls(d, input)
	}
	return pegboard.Call{ID: id, Name: tool, Input: input}
}
