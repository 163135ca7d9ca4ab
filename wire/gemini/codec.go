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
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
)

// nameRule is what every version of the API takes as the name of a tool. Some texts of
// the Gemini API reference allow 128 characters, dots and colons, others 63 characters
// and neither.
var nameRule = dialect.NameRule{Max: 63, Letter: true}

// A Codec is the [wire.Codec] of generateContent for one pool. The zero Codec has no
// tools, and reads replies with the names they hold.
//
// A Codec never changes; its methods may be called concurrently.
type Codec struct {
	config Config
	tools  toolset.Set
}

var _ wire.Codec = (*Codec)(nil)

// New returns the Codec of a pool.
func New(p *pegboard.Pool, config Config) *Codec {
	poolcheck.MustExist(p, "gemini.New")
	c := &Codec{config: config}
	form := toolset.Form{Names: nameRule, Encode: c.encodeTool, Refused: c.refused, Parameters: c.renamed}
	set, tools := toolset.New(p, form, nil, deferral.Request(p))
	set.Encoded = declare(tools)
	c.tools = set
	return c
}

// Tools implements [wire.Codec]: one entry that declares all functions, or no entry. A
// host appends entries of tools that the API runs itself.
func (c *Codec) Tools() json.RawMessage { return c.tools.List() }

// Omitted implements [wire.Codec]. A deferred tool is checked when it is loaded, and then
// comes last.
func (c *Codec) Omitted() []wire.Problem { return slices.Clone(c.tools.Problems) }

// Name implements [wire.Codec]. A name of the API begins with a letter or _.
func (c *Codec) Name(tool string) string { return c.tools.Names.API(tool) }

// Choice implements [wire.Codec] with "toolConfig".
//
// Auto with Tools becomes the mode VALIDATED, the only one that leaves the decision to
// the model and takes names: it also holds calls to their schemas while they are
// written. Required and One become ANY, which may refuse a very large or deep schema. The
// API cannot ask for at most one call in a turn: Sequential has no effect.
func (c *Codec) Choice(choice wire.Choice) json.RawMessage {
	if c.tools.Encoded == nil {
		return json.RawMessage("{}")
	}
	choice = deferral.Choice(c.tools.Pool, choice)
	mode, allowed := "AUTO", choice.Tools
	switch choice.Mode {
	case wire.Required:
		mode = "ANY"
	case wire.One:
		mode, allowed = "ANY", []string{choice.Tool}
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
			names = append(names, jsonobject.Quote(c.Name(tool)))
		}
		config.Set("allowedFunctionNames", jsonobject.List(names))
	}
	function := jsonobject.With("functionCallingConfig", config.Encode())
	return jsonobject.With("toolConfig", function.Encode()).Encode()
}

// Read implements [wire.Codec]. The body is a whole response, a stream of events
// (alt=sse), or the array that a stream is without alt=sse.
//
// Arguments that the API streams are put together for each [wire.PartialCall]. Of long ones
// only some pieces have such an event, so that the time stays linear.
//
// A prompt that the API refused is no error: see [wire.Message].Blocked.
func (c *Codec) Read(body io.Reader) wire.Reply {
	a := newAssembler(c, body)
	if c.config.TextCalls {
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

// declare returns the list with the entry that declares tools, or nil for no tools.
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

// refused returns why the API does not take a tool.
func (c *Codec) refused(d pegboard.Declaration) wire.Problem {
	_, _, err := c.parameters(d.InputSchema)
	return wire.Problem{Tool: d.Name, Reason: err.Error(), Omitted: true}
}

// renamed returns the parameters of d that have other names in the API.
func (c *Codec) renamed(d pegboard.Declaration) dialect.Parameters {
	return dialect.DecodeParameters(d.Encoded(c.form()+" parameters", func(d pegboard.Declaration) []byte {
		_, converted, _ := c.parameters(d.InputSchema)
		return converted.Parameters.Encode()
	}))
}

// form returns the key of the encoded forms of a tool.
func (c *Codec) form() string {
	if c.config.JSONSchema {
		return "gemini.json"
	}
	return "gemini"
}

// encodeTool returns d as the API takes it, or nil if the API refuses its schema.
func (c *Codec) encodeTool(d pegboard.Declaration, name string) json.RawMessage {
	key := c.form()
	if name != d.Name {
		key += ":" + name
	}
	if c.config.OutputSchemas {
		key += " with output"
	}
	return d.Encoded(key, func(d pegboard.Declaration) []byte {
		member, converted, err := c.parameters(d.InputSchema)
		if err != nil {
			return nil
		}
		o := jsonobject.With("name", jsonobject.Quote(name))
		if d.Description != "" {
			o.Set("description", jsonobject.Quote(d.Description))
		}
		if member != "" {
			o.Set(member, converted.Schema)
		}
		if output := c.output(d); output != nil {
			o.Set("responseJsonSchema", output)
		}
		return o.Encode()
	})
}

// output returns the schema of what the model reads of a result, or nil if it is not sent.
func (c *Codec) output(d pegboard.Declaration) json.RawMessage {
	if !c.config.OutputSchemas || !d.OutputShown || d.OutputSchema == nil {
		return nil
	}
	converted, err := dialect.Convert(d.OutputSchema, dialect.GeminiJSON)
	if err != nil || len(converted.Parameters) > 0 { // the text of a result has the names as they are
		return nil
	}
	return converted.Schema
}

// parameters returns a schema in the first form that can express it, and the member for
// it. The member is empty if the schema takes nothing. The error is that of the form that
// was tried first.
func (c *Codec) parameters(schema json.RawMessage) (member string, form dialect.Converted, err error) {
	if takesNothing(schema) {
		return "", form, nil
	}
	forms := []dialect.Dialect{dialect.GeminiSchema, dialect.GeminiJSON}
	if c.config.JSONSchema {
		slices.Reverse(forms)
	}
	for _, to := range forms {
		converted, refused := dialect.Convert(schema, to)
		switch {
		case refused == nil && to == dialect.GeminiSchema && !hasProperties(converted.Schema):
			continue // the API refuses it
		case refused == nil && to == dialect.GeminiSchema:
			return "parameters", converted, nil
		case refused == nil:
			return "parametersJsonSchema", converted, nil
		case err == nil:
			err = refused
		}
	}
	return "", form, err
}

// takesNothing reports whether the schema of an object names no property and allows none.
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
