package gemini

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// nameRule is what every version of the API takes as the name of a tool (contracts
// 3.3): some texts allow 128 characters, dots and colons, others 63 and neither.
var nameRule = dialect.NameRule{Max: 63, Letter: true}

// A Wire speaks generateContent for one pool: what the request says of its tools,
// and what the reply says in return. The zero Wire has no tools and reads replies
// with the names they hold.
//
// A Wire never changes; its methods may be called concurrently.
type Wire struct {
	options
	pool    *pegboard.Pool
	names   dialect.Names
	tools   json.RawMessage
	omitted []wire.Problem
}

type options struct {
	jsonSchema  bool
	mediaBeside bool
}

// An Option changes what a Wire sends.
type Option func(*options)

// JSONSchema sends schemas as "parametersJsonSchema" where that can say them, and
// as "parameters" otherwise. The API documents fewer of the members that it heeds
// there, but a schema arrives almost as it is. The default is the other way round.
func JSONSchema() Option { return func(o *options) { o.jsonSchema = true } }

// MediaBeside puts the images and documents of results beside the results, as parts
// of their own after the last one, for models before Gemini 3. Those refuse them
// inside the results, where they are by default and where Gemini 3 wants them.
func MediaBeside() Option { return func(o *options) { o.mediaBeside = true } }

// New returns the Wire of a pool. The form of each tool is made once and kept with
// the tool, so that the Wire of the next turn's pool costs little.
func New(p *pegboard.Pool, o ...Option) *Wire {
	w := &Wire{pool: p}
	for _, set := range o {
		set(&w.options)
	}
	tools, ok := w.encodeAll()
	if !ok { // most pools have no name that the API refuses
		w.names = nameRule.Names(toolNames(p, pegboard.Builtin), toolNames(p, pegboard.External))
		tools, _ = w.encodeAll()
	}
	w.tools = declare(tools)
	return w
}

// declare returns the entry that declares tools, or nil for none.
func declare(tools []json.RawMessage) json.RawMessage {
	if len(tools) == 0 {
		return nil
	}
	const begin, end = `[{"functionDeclarations":[`, `]}]`
	size := len(begin) + len(end)
	for _, t := range tools {
		size += len(t) + len(",")
	}
	b := append(make([]byte, 0, size), begin...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t...)
	}
	return append(b, end...)
}

// toolNames returns those of a part of p, in its order.
func toolNames(p *pegboard.Pool, part pegboard.Partition) (list []string) {
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// encodeAll returns the forms of the tools to send, and notes those that are left out.
// It gives up at a name that the API refuses, also of a tool that waits.
func (w *Wire) encodeAll() (tools []json.RawMessage, ok bool) {
	w.omitted = nil
	tools = make([]json.RawMessage, 0, w.pool.Len())
	for d, waits := range deferral.Request(w.pool) {
		if !waits {
			if tool := w.encode(d); tool != nil {
				tools = append(tools, tool)
				continue
			}
		}
		switch {
		case !nameRule.Valid(w.names.API(d.Name)):
			return nil, false
		case !waits:
			_, _, err := w.parameters(d.InputSchema)
			w.omitted = append(w.omitted, wire.Problem{Tool: d.Name, Reason: err.Error(), Omitted: true})
		}
	}
	return tools, true
}

// Tools returns the value of the request's member "tools": one entry that declares
// all functions in the order of the pool, or no entry. A host appends entries of
// tools that the API runs itself. The same tools give the same bytes everywhere, and
// the part of the built-in tools does not depend on the external ones after it. The
// bytes must not be changed.
//
// A tool whose definition waits for a search is not among them before it is loaded.
// Those that are loaded stand after all others, in the order of [pegboard.Pool.Loaded]:
// another one leaves what was sent before as it was. The API itself searches no tools:
// in a pool without [pegboard.ToolSearch] no tool waits here.
func (w *Wire) Tools() json.RawMessage {
	if w.tools == nil {
		return json.RawMessage("[]")
	}
	return w.tools
}

// Omitted returns the tools of the pool that [Wire.Tools] leaves out, because the API
// would refuse the whole request for their sake, in the order of the pool. A tool that
// waits for a search is not looked at before it is loaded, and then comes last.
func (w *Wire) Omitted() []wire.Problem { return slices.Clone(w.omitted) }

// Name returns what the API calls a tool. A name that the API takes is its own. Any
// other is folded to letters, digits, _ and -, and ends in a hash of the whole name;
// calls come back with the tool's own name.
func (w *Wire) Name(tool string) string { return w.names.API(tool) }

// Read returns the reply in the body of a response. The bytes tell whether it was
// streamed or came whole, and whether it is an error of the API: a body may be
// handed over whatever the HTTP status and the content type say.
//
// Nothing is read before the Reply is asked for something, nothing is taken from what
// follows the message, and closing body is left to the caller.
func (w *Wire) Read(body io.Reader) *Reply { return newReply(w, body) }

// encode returns d as the API takes it, or nil if it cannot.
func (w *Wire) encode(d pegboard.Declaration) json.RawMessage {
	form, name := "gemini", w.names.API(d.Name)
	if w.jsonSchema {
		form += ".json"
	}
	if name != d.Name {
		form += ":" + name
	}
	return d.Encoded(form, func(d pegboard.Declaration) []byte {
		member, schema, err := w.parameters(d.InputSchema)
		if err != nil || !nameRule.Valid(name) {
			return nil
		}
		o := jsonobject.With("name", jsonobject.Quote(name))
		if d.Description != "" {
			o.Set("description", jsonobject.Quote(d.Description))
		}
		if member != "" {
			o.Set(member, schema)
		}
		return o.Encode()
	})
}

// parameters returns a schema in the first form that can say it. The member is empty
// if there is nothing to say. The error is that of the form that was tried first.
func (w *Wire) parameters(schema json.RawMessage) (member string, form json.RawMessage, err error) {
	if takesNothing(schema) {
		return "", nil, nil
	}
	forms := []dialect.Dialect{dialect.GeminiSchema, dialect.GeminiJSON}
	if w.jsonSchema {
		slices.Reverse(forms)
	}
	for _, to := range forms {
		converted, refused := dialect.Convert(schema, to)
		switch {
		case refused == nil && to == dialect.GeminiSchema && !hasProperties(converted.Schema):
			continue // the API refuses it
		case refused == nil && to == dialect.GeminiSchema:
			return "parameters", converted.Schema, nil
		case refused == nil:
			return "parametersJsonSchema", converted.Schema, nil
		case err == nil:
			err = refused
		}
	}
	return "", nil, err
}

// takesNothing reports whether a schema of an object names no property and invites
// none.
func takesNothing(schema json.RawMessage) bool {
	o, err := jsonobject.Parse(schema)
	if err != nil || hasProperties(schema) {
		return false
	}
	for _, m := range o {
		switch m.Name {
		case "type", "properties", "title", "description", "$schema", "$id", "$defs", "definitions", "$comment":
		case "required":
			if string(m.Value) != "[]" {
				return false
			}
		case "additionalProperties":
			if string(m.Value) != "false" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func hasProperties(schema json.RawMessage) bool {
	o, _ := jsonobject.Parse(schema)
	properties, _ := jsonobject.Parse(o.Get("properties"))
	return len(properties) > 0
}
