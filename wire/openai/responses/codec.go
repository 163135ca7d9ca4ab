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
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/function"
)

// nameRule is the rule for names of functions. The OpenAPI description of OpenAI allows
// 128 characters in Responses; other servers of this API allow 64, as Chat Completions
// does.
var nameRule = dialect.NameRule{Max: 64}

// A Codec is the [wire.Codec] of the Responses API for one pool. The zero Codec has no
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
	poolcheck.MustExist(p, "responses.New")
	if config.HostedSearch || !canSearch(p, config.ClientSearch) {
		config.ClientSearch = ""
	}
	c := &Codec{config: config}
	var first []json.RawMessage
	if config.HostedSearch {
		first = append(first, json.RawMessage(`{"type":"tool_search"}`))
	}
	form := toolset.Form{Names: nameRule, Encode: c.encodeTool, Refused: function.Refused}
	set, tools := toolset.New(p, form, append(first, config.ServerTools...), c.request(p))
	set.Encoded = jsonobject.List(tools)
	c.tools = set
	return c
}

// Tools implements [wire.Codec].
//
// With [Config].HostedSearch or ClientSearch, deferred tools are sent in the order of the
// pool, marked as such, and the API shows them to the model once they are found.
//
// Each function says whether it is strict. It is if the tool asks for it and its schema
// has a strict form; the tool's own schema is checked when it is called.
func (c *Codec) Tools() json.RawMessage { return c.tools.List() }

// Omitted implements [wire.Codec]. A deferred tool that is not sent is checked when it is
// loaded, and then comes last.
func (c *Codec) Omitted() []wire.Problem { return slices.Clone(c.tools.Problems) }

// Name implements [wire.Codec].
func (c *Codec) Name(tool string) string { return c.tools.Names.API(tool) }

// Choice implements [wire.Codec] with "tool_choice" and, if choice is Sequential,
// "parallel_tool_calls". It says nothing that the API does anyway.
func (c *Codec) Choice(choice wire.Choice) json.RawMessage {
	if string(c.Tools()) == "[]" {
		return json.RawMessage("{}")
	}
	return function.Choice(deferral.Choice(c.tools.Pool, choice), function.ChoiceForm{
		Tool: func(tool string) json.RawMessage {
			if c.isSearch(tool) {
				return json.RawMessage(`{"type":"tool_search"}`)
			}
			return jsonobject.With("type", jsonobject.Quote("function")).With("name", jsonobject.Quote(c.Name(tool))).Encode()
		},
		Allowed: func(mode string, tools []json.RawMessage) json.RawMessage {
			return jsonobject.With("type", jsonobject.Quote("allowed_tools")).
				With("mode", jsonobject.Quote(mode)).With("tools", jsonobject.List(tools)).Encode()
		},
	})
}

// Read implements [wire.Codec].
//
// Events yields a call when its item is done. Only a call whose arguments are no JSON
// object waits for the next part of the reply: a model that runs out of tokens leaves
// such a call, and it must not run.
func (c *Codec) Read(body io.Reader) wire.Reply {
	a := &assembler{codec: c, body: reply.NewBody(body)}
	if c.config.TextCalls {
		a.TextCalls = c.callsInText
	}
	return reply.New(a, &a.Draft)
}

// callsInText returns the calls that the model wrote into its text.
func (c *Codec) callsInText(m *wire.Message) []pegboard.Call {
	return c.tools.TextCalls(m, func(id, api string, input json.RawMessage) pegboard.Call {
		return pegboard.Call{ID: id, Name: c.tools.Names.Tool(api), Input: c.input(api, input)}
	})
}

// searchesTools reports whether the request lets the API or a tool of the pool search
// the deferred tools.
func (c *Codec) searchesTools() bool { return c.config.HostedSearch || c.config.ClientSearch != "" }

// isSearch reports whether a tool is the one of [Config].ClientSearch.
func (c *Codec) isSearch(tool string) bool { return tool != "" && tool == c.config.ClientSearch }

// searchTool returns the tool that a search by the client calls.
func (c *Codec) searchTool() string {
	if c.config.ClientSearch == "" {
		return "tool_search" // the request did not ask for it, but the call must be answered
	}
	return c.config.ClientSearch
}

// request yields the tools of p in the order of the request, and whether the request
// leaves each out because it is deferred.
func (c *Codec) request(p *pegboard.Pool) iter.Seq2[pegboard.Declaration, bool] {
	if !c.searchesTools() {
		return deferral.Request(p)
	}
	return func(yield func(pegboard.Declaration, bool) bool) {
		for d := range toolset.All(p) {
			if !yield(d, false) {
				return
			}
		}
	}
}

// The keys of the encoded forms of a tool.
const (
	plainForm    = "openai-responses"
	deferredForm = "openai-responses:deferred"
	searchForm   = "openai-responses:tool_search"
)

// encodeTool returns d as the API takes it, or nil if the API refuses its schema.
func (c *Codec) encodeTool(d pegboard.Declaration, name string) json.RawMessage {
	if c.isSearch(d.Name) {
		return d.Encoded(searchForm, encodeSearch)
	}
	key := plainForm
	deferred := d.Deferred && c.searchesTools()
	if deferred {
		key = deferredForm
	}
	if name != d.Name {
		key += ":" + name
	}
	output := c.config.OutputSchemas && d.OutputShown && d.OutputSchema != nil
	if output {
		key += " with output"
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
		// Without this member the API makes the schema strict, by rules of its own.
		o.Set("strict", function.Strict(form))
		if deferred {
			o.Set("defer_loading", json.RawMessage("true"))
		}
		if output {
			o.Set("output_schema", d.OutputSchema)
		}
		return o.Encode()
	})
}

// canSearch reports whether a pool has a tool that can be [Config].ClientSearch.
func canSearch(p *pegboard.Pool, tool string) bool {
	if tool == "" {
		return false
	}
	for d := range toolset.All(p) {
		if d.Name == tool {
			return d.Encoded(searchForm, encodeSearch) != nil
		}
	}
	return false
}

// encodeSearch returns the tool of [Config].ClientSearch as the API takes it, or nil if
// the API refuses its schema.
func encodeSearch(d pegboard.Declaration) []byte {
	schema, err := dialect.Convert(d.InputSchema, dialect.OpenAI)
	if err != nil {
		return nil
	}
	o := jsonobject.With("type", jsonobject.Quote("tool_search")).With("execution", jsonobject.Quote("client"))
	if d.Description != "" {
		o.Set("description", jsonobject.Quote(d.Description))
	}
	return o.With("parameters", schema.Schema).Encode()
}

// definitions returns the tools as the request holds them, each once. Tools that the
// request cannot hold are left out.
func (c *Codec) definitions(tools []string) []json.RawMessage {
	if c.tools.Pool == nil || len(tools) == 0 {
		return nil
	}
	wanted := make(map[string]json.RawMessage, len(tools))
	for _, name := range tools {
		wanted[name] = nil
	}
	for d := range toolset.All(c.tools.Pool) {
		if _, ok := wanted[d.Name]; ok && !c.isSearch(d.Name) {
			wanted[d.Name] = c.encodeTool(d, c.Name(d.Name))
		}
	}
	var found []json.RawMessage
	for _, name := range tools {
		if d := wanted[name]; d != nil {
			found = append(found, d)
			wanted[name] = nil // once is enough
		}
	}
	return found
}

// input returns the arguments of a call without the nulls that a strict tool made the
// model write.
func (c *Codec) input(api string, arguments json.RawMessage) json.RawMessage {
	if c.tools.Pool == nil {
		return arguments
	}
	for d, waits := range c.request(c.tools.Pool) {
		if !waits && c.Name(d.Name) == api {
			return function.WithoutNulls(d, arguments)
		}
	}
	return arguments
}
