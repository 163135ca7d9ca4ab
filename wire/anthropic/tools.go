package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/dialect"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// nameRule is what the API takes as the name of a tool.
var nameRule = dialect.NameRule{Max: 64}

// names returns those of a part of p, in its order.
func names(p *pegboard.Pool, part pegboard.Partition) (list []string) {
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// A Wire speaks the Messages API for one pool: what the request says of its
// tools, and what the reply says in return. The zero Wire has no tools and reads
// replies with the names they hold.
//
// A Wire never changes; its methods may be called concurrently.
type Wire struct {
	names   dialect.Names
	tools   json.RawMessage
	omitted []Omission
}

// An Omission is a tool of the pool that the request leaves out, because the API
// would refuse the whole request for its sake.
type Omission struct {
	Name   string // in the pool
	Reason string // what the API refuses, and what to change
}

// New returns the Wire of a pool. The form of each tool is made once and kept
// with the tool, so that the Wire of the next turn's pool costs little.
func New(p *pegboard.Pool) *Wire {
	w := &Wire{}
	tools, ok := w.encodeAll(p)
	if !ok { // most pools have no name that the API refuses
		w.names = nameRule.Names(names(p, pegboard.Builtin), names(p, pegboard.External))
		tools, _ = w.encodeAll(p)
	}
	w.tools = jsonobject.List(tools)
	return w
}

// encodeAll returns the forms of all tools, and notes those that are left out. It
// gives up at a name that the API refuses.
func (w *Wire) encodeAll(p *pegboard.Pool) (tools []json.RawMessage, ok bool) {
	w.omitted = nil
	tools = make([]json.RawMessage, 0, p.Len())
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range p.Declarations(part) {
			if tool := w.encode(d); tool != nil {
				tools = append(tools, tool)
				continue
			}
			if !nameRule.Valid(w.names.API(d.Name)) {
				return nil, false
			}
			_, reason := rootSchema(d.InputSchema)
			w.omitted = append(w.omitted, Omission{Name: d.Name, Reason: reason})
		}
	}
	return tools, true
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

// Omitted returns the tools of the pool that [Wire.Tools] leaves out, in the
// order of the pool.
func (w *Wire) Omitted() []Omission { return slices.Clone(w.omitted) }

// Name returns what the API calls a tool, for a tool_choice that names it. A
// name that the API takes is its own. Any other is folded to letters, digits, _
// and -, and ends in a hash of the whole name; calls come back with the tool's
// own name.
func (w *Wire) Name(tool string) string { return w.names.API(tool) }

// Read returns the reply in the body of a response. The bytes tell whether it was
// streamed or came whole, and whether it is an error of the API: a body may be
// handed over whatever the HTTP status and the content type say.
//
// Nothing is read before the Reply is asked for something, nothing that follows
// the message is read at all, and closing body is left to the caller.
func (w *Wire) Read(body io.Reader) *Reply { return newReply(w.names, body) }

// encode returns d as the API takes it, or nil if it cannot.
func (w *Wire) encode(d pegboard.Declaration) json.RawMessage {
	form, name := "anthropic", w.names.API(d.Name)
	if name != d.Name {
		form += ":" + name
	}
	return d.Encoded(form, func(d pegboard.Declaration) []byte {
		schema, reason := rootSchema(d.InputSchema)
		if reason != "" || !nameRule.Valid(name) {
			return nil
		}
		o := jsonobject.With("name", jsonobject.Quote(name))
		if d.Description != "" {
			o.Set("description", jsonobject.Quote(d.Description))
		}
		o.Set("input_schema", schema)
		return o.Encode()
	})
}

// rootSchema returns a schema whose root the API takes, or the reason why it
// cannot be made into one without changing what it means.
func rootSchema(schema json.RawMessage) (root json.RawMessage, refused string) {
	o, err := jsonobject.Parse(schema)
	if err != nil || !jsonobject.Is(schema) {
		return nil, "its input schema is not a JSON object"
	}
	for _, combinator := range []string{"anyOf", "oneOf", "allOf"} {
		if o.Get(combinator) != nil {
			return nil, fmt.Sprintf("its input schema has %s at the root; move the choice into a property", combinator)
		}
	}
	properties, _ := jsonobject.Parse(o.Get("properties"))
	for _, p := range properties {
		if !validProperty(p.Name) {
			return nil, fmt.Sprintf("its input schema has the property %q; use 1 to %d letters, digits, _, . and -", p.Name, nameRule.Max)
		}
	}
	switch kind := o.Get("type"); {
	case string(kind) == `"object"`:
		return schema, ""
	case kind == nil || allowsObject(kind):
		o.Set("type", json.RawMessage(`"object"`)) // all that a call can send
		return o.Encode(), ""
	default:
		return nil, fmt.Sprintf("its input schema has the type %s; a tool's input is an object", kind)
	}
}

// allowsObject reports whether kind is a list of types that holds object.
func allowsObject(kind json.RawMessage) bool {
	var kinds []string
	return json.Unmarshal(kind, &kinds) == nil && slices.Contains(kinds, "object")
}

func validProperty(name string) bool { return nameRule.Valid(strings.ReplaceAll(name, ".", "_")) }
