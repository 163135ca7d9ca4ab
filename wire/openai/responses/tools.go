package responses

import (
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
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

// encodeAll returns the forms of the tools to send, and notes those that are left out.
// It gives up at a name that the API refuses, also of a tool that waits.
func (w *Wire) encodeAll(p *pegboard.Pool) (tools []json.RawMessage, ok bool) {
	w.omitted, w.nullish = nil, nil
	tools = make([]json.RawMessage, 0, p.Len()+1+len(w.options.server))
	if w.options.search.hosted {
		tools = append(tools, json.RawMessage(`{"type":"tool_search"}`))
	}
	tools = append(tools, w.options.server...)
	for d, waits := range w.request(p) {
		name := w.names.API(d.Name)
		if !nameRule.Valid(name) {
			return nil, false
		}
		if !waits {
			tools = w.add(tools, d, name)
		}
	}
	return tools, true
}

// request yields the tools of p in the order of the request, and whether it leaves
// each out because it waits. With a search that the API knows of, it leaves out none.
func (w *Wire) request(p *pegboard.Pool) iter.Seq2[pegboard.Declaration, bool] {
	if w.options.search == (search{}) {
		return deferral.Request(p)
	}
	return func(yield func(pegboard.Declaration, bool) bool) {
		for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
			for d := range p.Declarations(part) {
				if !yield(d, false) {
					return
				}
			}
		}
	}
}

// add appends a tool, or notes why it is left out.
func (w *Wire) add(tools []json.RawMessage, d pegboard.Declaration, name string) []json.RawMessage {
	tool := w.encode(d, name)
	if tool == nil {
		w.omitted = append(w.omitted, function.Refused(d))
		return tools
	}
	if function.WritesNulls(d) {
		w.note(name, d.InputSchema)
	}
	return append(tools, tool)
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
// Without [HostedSearch] and [ClientSearch] a tool whose definition waits for a search
// is not among them before it is loaded. Those that are loaded stand after all others,
// in the order of [pegboard.Pool.Loaded]: another one leaves what was sent before as it
// was. In a pool without [pegboard.ToolSearch] no tool waits then.
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
// API would refuse the whole request for their sake, in the order of the pool. A tool
// that waits for a search and is not sent is not looked at before it is loaded, and then
// comes last. [wire.Lint] looks at all tools, and also tells what is only weakened.
func (w *Wire) Omitted() []wire.Problem { return slices.Clone(w.omitted) }

// Name returns what the API calls a tool. A name that the API takes is its own.
// Any other is folded to letters, digits, _ and -, and ends in a hash of the whole
// name; calls come back with the tool's own name.
func (w *Wire) Name(tool string) string { return w.names.API(tool) }

// tool returns the name in the pool of what the API calls so.
func (w *Wire) tool(api string) string {
	name := w.names.Tool(api)
	if w.pool != nil {
		if t, ok := w.pool.Lookup(name); ok {
			return t.Info().Name // it may have been called by an alias
		}
	}
	return name
}

// Read returns the reply in the body of a response. The bytes tell whether it was
// streamed or came whole, and whether it is an error of the API: a body may be
// handed over whatever the HTTP status and the content type say.
//
// Nothing is read before the Reply is asked for something, nothing that follows
// the response is read at all, and closing body is left to the caller.
func (w *Wire) Read(body io.Reader) *Reply { return newReply(w, body) }

// The keys of what is remembered with a tool.
const (
	plainForm    = "openai-responses"
	deferredForm = "openai-responses:deferred"
	searchForm   = "openai-responses:tool_search"
)

// encode returns d as the API takes it, or nil if it cannot.
func (w *Wire) encode(d pegboard.Declaration, name string) json.RawMessage {
	key := plainForm
	deferred := d.Deferred && w.options.search != (search{})
	switch {
	case w.searches(d):
		return d.Encoded(searchForm, encodeSearch)
	case deferred:
		key = deferredForm
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
