package responses

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/dialect"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/function"
)

// nameRule is what is taken as the name of a function. The API takes 128
// characters, other servers of its form 64 (contracts 3.2).
var nameRule = dialect.NameRule{Max: 64}

// A Wire speaks the Responses API for one pool: what the request says of its
// tools, and what the reply says in return. The zero Wire has no tools and reads
// replies with the names they hold.
//
// A Wire never changes; its methods may be called concurrently.
type Wire struct {
	pool    *pegboard.Pool // nil for the zero Wire
	options options
	names   dialect.Names
	tools   json.RawMessage
	omitted []wire.Problem
	nullish map[string]json.RawMessage // schemas of the tools whose calls hold nulls, by the names in the API
}

// New returns the Wire of a pool. The form of each tool is made once and kept
// with the tool, so that the Wire of the next turn's pool costs little.
func New(p *pegboard.Pool, list ...Option) *Wire {
	w := &Wire{pool: p, options: optionsOf(list)}
	if w.options.search.tool != "" && !offersSearch(p, w.options.search.tool) {
		w.options.search = search{} // nothing could be found
	}
	tools, ok := w.encodeAll(p)
	if !ok { // most pools have no name that the API refuses
		w.names = function.Names(p, nameRule)
		tools, _ = w.encodeAll(p)
	}
	w.tools = jsonobject.List(tools)
	return w
}

// encodeAll returns the forms of all tools, and notes those that are left out. It
// gives up at a name that the API refuses.
func (w *Wire) encodeAll(p *pegboard.Pool) (tools []json.RawMessage, ok bool) {
	w.omitted, w.nullish = nil, nil
	tools = make([]json.RawMessage, 0, p.Len()+1+len(w.options.server))
	if w.options.search.hosted {
		tools = append(tools, json.RawMessage(`{"type":"tool_search"}`))
	}
	tools = append(tools, w.options.server...)
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range p.Declarations(part) {
			name := w.names.API(d.Name)
			if !nameRule.Valid(name) {
				return nil, false
			}
			tool := w.encode(d, name)
			if tool == nil {
				w.omitted = append(w.omitted, function.Refused(d))
				continue
			}
			tools = append(tools, tool)
			if function.WritesNulls(d) {
				w.note(name, d.InputSchema)
			}
		}
	}
	return tools, true
}

func (w *Wire) note(name string, schema json.RawMessage) {
	if w.nullish == nil {
		w.nullish = map[string]json.RawMessage{}
	}
	w.nullish[name] = schema
}

// Tools returns the value of the request's member "tools": an array, in the
// order of the pool. The same tools give the same bytes everywhere, and the part
// of the built-in tools does not depend on the external ones after it. The bytes
// must not be changed.
//
// Each function says whether it is strict. It is if the tool asks for it and its
// schema has a strict form; local validation holds the model to the rest.
func (w *Wire) Tools() json.RawMessage {
	if w.tools == nil {
		return json.RawMessage("[]")
	}
	return w.tools
}

// Omitted returns the tools of the pool that [Wire.Tools] leaves out, because the
// API would refuse the whole request for their sake, in the order of the pool.
// [wire.Lint] also tells what is only weakened.
func (w *Wire) Omitted() []wire.Problem { return slices.Clone(w.omitted) }

// Name returns what the API calls a tool. A name that the API takes is its own.
// Any other is folded to letters, digits, _ and -, and ends in a hash of the whole
// name; calls come back with the tool's own name.
func (w *Wire) Name(tool string) string { return w.names.API(tool) }

// Read returns the reply in the body of a response. The bytes tell whether it was
// streamed or came whole, and whether it is an error of the API: a body may be
// handed over whatever the HTTP status and the content type say.
//
// Nothing is read before the Reply is asked for something, nothing that follows
// the response is read at all, and closing body is left to the caller.
func (w *Wire) Read(body io.Reader) *Reply { return newReply(w, body) }

// encode returns d as the API takes it, or nil if it cannot.
func (w *Wire) encode(d pegboard.Declaration, name string) json.RawMessage {
	key := "openai-responses"
	deferred := d.Deferred && w.options.search != (search{})
	switch {
	case w.searches(d):
		return d.Encoded(key+":tool_search", encodeSearch)
	case deferred:
		key += ":deferred"
	}
	if name != d.Name {
		key += ":" + name
	}
	return d.Encoded(key, func(d pegboard.Declaration) []byte {
		form, err := function.Parameters(d)
		if err != nil {
			return nil
		}
		o := jsonobject.With("type", jsonobject.Quote("function")).With("name", jsonobject.Quote(name))
		if d.Description != "" {
			o.Set("description", jsonobject.Quote(d.Description))
		}
		o.Set("parameters", form.Schema)
		// Without it the API would make the schema strict, by rules of its own.
		o.Set("strict", function.Strict(form))
		if deferred {
			o.Set("defer_loading", json.RawMessage("true"))
		}
		return o.Encode()
	})
}

// input returns the arguments of a call as the tool takes them.
func (w *Wire) input(name string, arguments json.RawMessage) json.RawMessage {
	if schema := w.nullish[name]; schema != nil {
		return dialect.Denull(arguments, schema)
	}
	return arguments
}
