package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
)

// nameRule is the form of tool names that every version of the API takes. Some texts of
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
	return reply.New(a, &a.Draft)
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

// output returns the schema of the JSON that the model reads as a result, or nil if it is not sent.
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

// Normalize implements [wire.Codec]. The tools of c do not matter. Responses come first in
// the user's content right after the model's.
//
// A response with an id belongs to the call with this id and its name, one without an id
// to the first call of its name that has no response yet; where several turns qualify, to
// the one right before it. Ids may begin anew in each turn.
func (c *Codec) Normalize(contents []json.RawMessage) ([]json.RawMessage, []wire.Repair) {
	past := readConversation(contents)
	return history.Normalize(past, past.repairs, c.config.Suspended)
}

// Trim implements [wire.Codec].
//
// The text of a result is the members "output" and "error" of its response, where Results
// puts it. Other members stay. A response without these two is shown as JSON and replaced
// as a whole.
func (c *Codec) Trim(ctx context.Context, contents []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(contents)
	past, entries := c.entries(contents)
	changed := make([]bool, len(contents))
	for at, text := range history.Trim(ctx, s, entries) {
		parts := past[at.Message].parts
		parts[at.Block], changed[at.Message] = withText(parts[at.Block], text), true
	}
	for i, content := range past {
		if changed[i] {
			out[i] = content.with(content.parts)
		}
	}
	return out
}

// Loaded implements [wire.Codec]. A result belongs to the same call as in Normalize.
func (c *Codec) Loaded(contents []json.RawMessage) []string {
	_, entries := c.entries(contents)
	return history.Loaded(entries, c.tools.Tool)
}

// unsigned takes the place of the signature of a call that no model made. Gemini 3 refuses
// a call without a signature.
//
// source: Gemini API documentation, thought signatures: this text is for calls that a
// client puts into the contents.
const unsigned = "skip_thought_signature_validator"

// Recall implements [wire.Codec]. Where roles must alternate, the next words of the user
// go into the second content, behind its part. The call has no id, like those of many
// models, and as its signature the text that the API documents for calls that no model
// made.
func (c *Codec) Recall(tools []string) []json.RawMessage {
	search, found, ok := deferral.Recall(c.tools.Pool, tools, "", c.tools.Sendable)
	if !ok {
		return nil
	}
	function := jsonobject.With("name", jsonobject.Quote(c.Name(search.Name))).With("args", search.Input)
	part := jsonobject.With("functionCall", function.Encode()).With("thoughtSignature", jsonobject.Quote(unsigned))
	m := wire.Message{Calls: []pegboard.Call{search}, History: []json.RawMessage{encodeContent("model", []json.RawMessage{part.Encode()})}}
	return append(m.History, c.Results(&m, found)...)
}

// entries reads a conversation.
func (c *Codec) entries(contents []json.RawMessage) (past []pastContent, entries []history.Entry) {
	read := readConversation(contents)
	calls := map[string]function{} // by the keys of their blocks
	for i, content := range read.contents {
		for j, f := range content.functions {
			key := read.view[i].Blocks[j].ID
			if _, known := calls[key]; f.kind == history.Call && !known {
				calls[key] = f
			}
		}
	}
	turn := 0
	for i, content := range read.contents {
		if content.role == history.Model {
			turn++
		}
		for j, f := range content.functions {
			e := history.Entry{At: history.Ref{Message: i, Block: j}}
			switch {
			case f.kind == history.Call && content.role == history.Model:
				e.Names = []string{f.name}
			case f.kind == history.Result && content.role != history.Model:
				call := calls[read.view[i].Blocks[j].ID]
				name := cmp.Or(f.name, call.name)
				e.Past = readResult(content.parts[j])
				e.Past.CallID, e.Past.Tool, e.Past.Turn = cmp.Or(f.id, call.id, name), c.tools.Tool(name), turn
				e.Past.Search = c.tools.Tool(call.name) == history.SearchTool
			default:
				continue
			}
			entries = append(entries, e)
		}
	}
	return read.contents, entries
}

// User implements [wire.Codec].
func (c *Codec) User(parts ...pegboard.Part) []json.RawMessage {
	return c.Results(&wire.Message{}, nil, parts...)
}

// Results implements [wire.Codec]: one content with the role "user". A call to which the
// API gave no id is answered by its name and order, as the API wants it.
//
// The text of a result is one string, under "output", or under "error" if the call failed.
// Text that is itself JSON stays text: as an object it would round numbers of 64 bits and
// lose the order of its members. PNG, JPEG and WebP images and PDF documents go with the
// result; see [Config].MediaBeside. Bytes of other types are replaced by a text that
// describes them. A reference to a tool becomes the tool's whole definition in a
// <functions> block.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	var parts, beside []json.RawMessage
	sent := functionCalls(m.History)
	answers := answer.To(m.Calls, outcomes)
	for _, a := range answers {
		asked := function{id: a.Call.ID, name: c.Name(a.Call.Name)} // unless History holds the call
		for i, f := range sent {
			if f.id == a.Call.ID || f.id == "" && c.tools.Names.Tool(f.name) == a.Call.Name {
				asked, sent = f, sent[i+1:]
				break
			}
		}
		response, media := c.functionResponse(asked, a)
		parts = append(parts, response)
		beside = append(beside, media...)
	}
	parts = append(append(parts, beside...), c.parts(answer.Messages(m, answers, more))...)
	if len(parts) == 0 {
		return nil
	}
	return []json.RawMessage{encodeContent("user", parts)}
}

// functionCalls returns the calls in a message of the model.
func functionCalls(contents []json.RawMessage) (calls []function) {
	for _, content := range contents {
		o, _ := jsonobject.Parse(content)
		var parts []json.RawMessage
		_ = json.Unmarshal(o.Get("parts"), &parts) // anything but a list holds no calls
		for _, part := range parts {
			fields, _ := jsonobject.Parse(part)
			f, err := jsonobject.Parse(fields.Get("functionCall"))
			if err != nil {
				continue
			}
			call := function{kind: history.Call}
			call.id, _ = f.Text("id")
			call.name, _ = f.Text("name")
			calls = append(calls, call)
		}
	}
	return calls
}

// functionResponse returns the part that answers a call, which the API knows as asked, and
// the parts that belong beside it.
func (c *Codec) functionResponse(asked function, a answer.Answer) (response json.RawMessage, beside []json.RawMessage) {
	r := a.Result
	texts, media := c.render(r.Parts)
	if len(media) > 0 && c.config.MediaBeside {
		texts = append(texts, "(The files of this result follow after the last result.)")
		beside = append([]json.RawMessage{textPart("Files of the result of " + asked.name + ":")}, media...)
		media = nil
	}
	under := "output"
	if r.IsError {
		under = "error"
		if len(texts) == 0 {
			texts = append(texts, a.Call.Name+" failed and did not say why. Look at what it did before you repeat it.")
		}
	}
	var o jsonobject.Object
	if asked.id != "" {
		o.Set("id", jsonobject.Quote(asked.id))
	}
	o.Set("name", jsonobject.Quote(asked.name))
	o.Set("response", jsonobject.With(under, jsonobject.Quote(strings.Join(texts, "\n"))).Encode())
	if len(media) > 0 {
		o.Set("parts", jsonobject.List(media))
	}
	return jsonobject.With("functionResponse", o.Encode()).Encode(), beside
}

// parts returns parts that are not in a result.
func (c *Codec) parts(parts []pegboard.Part) (content []json.RawMessage) {
	for _, p := range parts {
		texts, media := c.render([]pegboard.Part{p})
		for _, text := range texts {
			content = append(content, textPart(text))
		}
		content = append(content, media...)
	}
	return content
}

func textPart(text string) json.RawMessage {
	return jsonobject.With("text", jsonobject.Quote(text)).Encode()
}
