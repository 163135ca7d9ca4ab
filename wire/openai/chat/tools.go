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
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/function"
)

// A Wire speaks Chat Completions for one pool: what the request says of its
// tools, and what the reply says in return. The zero Wire has no tools and reads
// replies with the names they hold.
//
// A Wire never changes; its methods may be called concurrently.
type Wire struct {
	pool    *pegboard.Pool // nil for the zero Wire
	names   dialect.Names
	tools   json.RawMessage
	omitted []wire.Problem
}

// New returns the Wire of a pool. The form of each tool is made once and kept
// with the tool, so that the Wire of the next turn's pool costs little.
func New(p *pegboard.Pool) *Wire {
	w := &Wire{pool: p}
	tools, ok := w.encodeAll(p)
	if !ok { // most pools have no name that the API refuses
		w.names = function.Names(p, dialect.OpenAI.NameRule())
		tools, _ = w.encodeAll(p)
	}
	w.tools = jsonobject.List(tools)
	return w
}

// encodeAll returns the forms of the tools to send, and notes those that are left out.
// It gives up at a name that the API refuses, also of a tool that waits.
func (w *Wire) encodeAll(p *pegboard.Pool) (tools []json.RawMessage, ok bool) {
	w.omitted = nil
	tools = make([]json.RawMessage, 0, p.Len())
	for d, waits := range deferral.Request(p) {
		if !waits {
			if tool := w.encode(d); tool != nil {
				tools = append(tools, tool)
				continue
			}
		}
		switch {
		case !dialect.OpenAI.NameRule().Valid(w.names.API(d.Name)):
			return nil, false
		case !waits:
			w.omitted = append(w.omitted, function.Refused(d))
		}
	}
	return tools, true
}

// Tools returns the value of the request's member "tools": an array, in the
// order of the pool. The same tools give the same bytes everywhere, and the part
// of the built-in tools does not depend on the external ones after it. The bytes
// must not be changed.
//
// A tool whose definition waits for a search is not among them before it is loaded.
// Those that are loaded stand after all others, in the order of [pegboard.Pool.Loaded]:
// another one leaves what was sent before as it was. The API itself searches no tools:
// in a pool without [pegboard.ToolSearch] no tool waits here.
//
// Each tool says whether it is strict. It is if the tool asks for it and its
// schema has a strict form; local validation holds the model to the rest. Many
// services, and the API itself, refuse an empty array: leave the member out then.
func (w *Wire) Tools() json.RawMessage {
	if w.tools == nil {
		return json.RawMessage("[]")
	}
	return w.tools
}

// Omitted returns the tools of the pool that [Wire.Tools] leaves out, because the
// API would refuse the whole request for their sake, in the order of the pool. A tool
// that waits for a search is not looked at before it is loaded, and then comes last.
func (w *Wire) Omitted() []wire.Problem { return slices.Clone(w.omitted) }

// Name returns what the API calls a tool. A name that the API takes is its own.
// Any other is folded to letters, digits, _ and -, and ends in a hash of the whole
// name; calls come back with the tool's own name.
func (w *Wire) Name(tool string) string { return w.names.API(tool) }

// Read returns the reply in the body of a response. The bytes tell whether it was
// streamed or came whole, and whether it is an error of the service: a body may
// be handed over whatever the HTTP status and the content type say.
//
// Nothing is read before the Reply is asked for something, nothing that follows
// the message is read at all, and closing body is left to the caller.
func (w *Wire) Read(body io.Reader) *Reply { return newReply(w, body) }

// encode returns d as the API takes it, or nil if it cannot.
func (w *Wire) encode(d pegboard.Declaration) json.RawMessage {
	key, name := "openai-chat", w.names.API(d.Name)
	if name != d.Name {
		key += ":" + name
	}
	return d.Encoded(key, func(d pegboard.Declaration) []byte {
		form, err := function.Parameters(d)
		if err != nil || !dialect.OpenAI.NameRule().Valid(name) {
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

// declaration returns what the pool declares of a tool.
func (w *Wire) declaration(tool string) (d pegboard.Declaration, ok bool) {
	if w == nil || w.pool == nil {
		return d, false
	}
	tool = w.canonical(tool)
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range w.pool.Declarations(part) {
			if d.Name == tool {
				return d, true
			}
		}
	}
	return d, false
}

// call returns a call by the model as the pool knows it.
func (w *Wire) call(id, name string, input []byte) pegboard.Call {
	tool := w.names.Tool(name)
	if d, ok := w.declaration(tool); ok && jsonobject.Is(input) && function.WritesNulls(d) {
		input = dialect.Denull(input, d.InputSchema)
	}
	return pegboard.Call{ID: id, Name: tool, Input: input}
}

// canonical returns the name that a tool has now: it may be known by an alias.
func (w *Wire) canonical(tool string) string {
	if w.pool != nil {
		if t, ok := w.pool.Lookup(tool); ok {
			return t.Info().Name
		}
	}
	return tool
}

// definition returns a tool as [Wire.Tools] holds it, now or once it is loaded, or nil.
func (w *Wire) definition(tool string) json.RawMessage {
	if d, ok := w.declaration(tool); ok {
		return w.encode(d)
	}
	return nil
}
