package anthropic

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// nameRule is what the API takes as the name of a tool.
var nameRule = dialect.Anthropic.NameRule()

// A Wire speaks the Messages API for one pool: what the request says of its
// tools, and what the reply says in return. The zero Wire has no tools and reads
// replies with the names they hold.
//
// A Wire never changes; its methods may be called concurrently.
type Wire struct {
	pool     *pegboard.Pool
	names    dialect.Names
	tools    json.RawMessage // nil: none
	problems []wire.Problem
}

// New returns the Wire of a pool. The form of each tool is made once and kept
// with the tool, so that the Wire of the next turn's pool costs little.
//
// A tool is strict if it is declared so, the API can say its schema, and the strict
// tools before it leave room: one request holds 20, with 24 optional properties and
// 16 of several types. It is deferred if the pool says so, see [pegboard.Deferral],
// unless all would be. Examples are sent with it.
func New(p *pegboard.Pool, o ...Option) *Wire {
	w := &Wire{pool: p}
	var r roll
	if len(o) > 0 {
		r.options = optionsOf(o)
	}
	var most [128]json.RawMessage // few pools have more tools; this list costs no allocation
	tools, ok := r.fill(most[:0], p)
	if !ok { // most pools have no name that the API refuses
		r.names = nameRule.Names(names(p, pegboard.Builtin), names(p, pegboard.External))
		tools, _ = r.fill(most[:0], p)
	}
	w.names, w.problems = r.names, r.problems
	if len(tools) > 0 {
		w.tools = jsonobject.List(tools)
	}
	return w
}

// names returns those of a part of p, in its order.
func names(p *pegboard.Pool, part pegboard.Partition) (list []string) {
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// Tools returns the value of the request's member "tools": an array, in the
// order of the pool. The same tools give the same bytes everywhere, and the part
// of the built-in tools does not depend on the external ones after it. The bytes
// must not be changed.
func (w *Wire) Tools() json.RawMessage {
	if w.tools == nil {
		return json.RawMessage("[]")
	}
	return w.tools
}

// Omitted returns what the API does not take of the pool: the tools that
// [Wire.Tools] leaves out, and those that it sends as less than was declared, whose
// problem is not Omitted. What strict cannot say of a schema that is sent strict is
// not among them: [wire.Lint] tells.
func (w *Wire) Omitted() []wire.Problem { return slices.Clone(w.problems) }

// Name returns what the API calls a tool. A name that the API takes is its own.
// Any other is folded to letters, digits, _ and -, and ends in a hash of the whole
// name; calls come back with the tool's own name.
func (w *Wire) Name(tool string) string { return w.names.API(tool) }

// tool returns the name in the pool of what the API calls so.
func (w *Wire) tool(api string) string {
	name := w.names.Tool(api)
	if w.pool == nil {
		return name
	}
	if t, ok := w.pool.Lookup(name); ok {
		return t.Info().Name // it may have been called by an alias
	}
	return name
}

// offered returns what the API calls a tool, if the request holds it.
func (w *Wire) offered(tool string) (api string, ok bool) {
	if w == nil || w.pool == nil {
		return "", false
	}
	t, ok := w.pool.Lookup(tool)
	if !ok {
		return "", false
	}
	name := t.Info().Name
	omitted := func(p wire.Problem) bool { return p.Omitted && p.Tool == name }
	return w.names.API(name), !slices.ContainsFunc(w.problems, omitted)
}

// Read returns the reply in the body of a response. The bytes tell whether it was
// streamed or came whole, and whether it is an error of the API: a body may be
// handed over whatever the HTTP status and the content type say.
//
// Nothing is read before the Reply is asked for something, nothing that follows
// the message is read at all, and closing body is left to the caller.
func (w *Wire) Read(body io.Reader) *Reply { return newReply(w, body) }
