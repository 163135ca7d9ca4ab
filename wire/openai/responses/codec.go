package responses

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
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
// "parallel_tool_calls". It leaves out a member that would only repeat the default of the API.
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
	return reply.New(a, &a.Draft)
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

// Normalize implements [wire.Codec]. The tools of c do not matter.
//
// Outputs come right after the items of the model's turn. Normalize looks at the calls
// that it can answer itself: of functions and custom tools, of apply_patch, and searches
// for tools that are left to the client. All other items stay.
//
// It is for requests that send the whole conversation. With previous_response_id the
// calls are not among the items, and their outputs would seem to be stray. With an
// item_reference among the items, no output counts as stray.
func (c *Codec) Normalize(items []json.RawMessage) ([]json.RawMessage, []wire.Repair) {
	past := readConversation(items)
	return history.Normalize(past, past.repairs, c.config.Suspended)
}

// Trim implements [wire.Codec]. Turn counts the items that the model made in a row as one
// message. The word "Error" before the text of a call that failed is part of the text.
// The answer to a search that the API left to the client is Fixed.
func (c *Codec) Trim(ctx context.Context, items []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(items)
	for at, text := range history.Trim(ctx, s, c.entries(items)) {
		out[at.Message] = withText(items[at.Message], text)
	}
	return out
}

// Loaded implements [wire.Codec]. An output whose call the API keeps makes nothing known.
func (c *Codec) Loaded(items []json.RawMessage) []string {
	return history.Loaded(c.entries(items), c.tools.Tool)
}

// Recall implements [wire.Codec]. With [Config].ClientSearch the items are a
// tool_search_call and its output. Tools that the API found by [Config].HostedSearch it
// finds again. Anything may follow the items.
func (c *Codec) Recall(tools []string) []json.RawMessage {
	search, found, ok := deferral.Recall(c.tools.Pool, tools, "call_", func(tool string) bool { return len(c.definitions([]string{tool})) > 0 })
	if !ok {
		return nil
	}
	id := jsonobject.Quote(search.ID)
	var item jsonobject.Object
	if c.isSearch(search.Name) {
		item = jsonobject.With("type", jsonobject.Quote("tool_search_call")).With("call_id", id).
			With("execution", jsonobject.Quote("client")).With("status", jsonobject.Quote("completed")).
			With("arguments", search.Input)
	} else {
		item = jsonobject.With("type", jsonobject.Quote("function_call")).With("call_id", id).
			With("name", jsonobject.Quote(c.Name(search.Name))).With("arguments", jsonobject.Quote(string(search.Input)))
	}
	m := wire.Message{Calls: []pegboard.Call{search}, History: []json.RawMessage{item.Encode()}}
	return append(m.History, c.Results(&m, found)...)
}

// entries reads a conversation. An output may stand before its call.
func (c *Codec) entries(items []json.RawMessage) (entries []history.Entry) {
	past := make([]pastItem, len(items))
	called := map[string]string{} // by the IDs of blocks, the tool that the first call is of
	for i, raw := range items {
		past[i], _ = parsePast(raw) // one that cannot be read has the role Other
		b := past[i].block
		if _, known := called[b.ID]; b.Kind == history.Call && !known && b.ID != "" {
			called[b.ID] = c.calledTool(raw)
		}
	}
	turn, speaking := 0, false
	for i, item := range past {
		if item.role == history.Other {
			continue // a message of the system does not end a turn
		}
		model := item.role == history.Model
		if model && !speaking {
			turn++
		}
		speaking = model
		e := history.Entry{At: history.Ref{Message: i}}
		o, _ := jsonobject.Parse(items[i]) // it was read before
		kind, _ := o.Text("type")
		switch kind {
		case "function_call":
			name, _ := o.Text("name")
			e.Names = []string{name}
		case "tool_search_output":
			e.Names = namesIn(o.Get("tools"))
		}
		if item.block.Kind == history.Result {
			e.Past = readOutput(o)
			e.Past.CallID, e.Past.Tool, e.Past.Turn = callID(item.block.ID), called[item.block.ID], turn
			e.Past.Search = kind == "function_call_output" && e.Past.Tool == history.SearchTool
			e.Past.Refers = kind == "tool_search_output"
		}
		entries = append(entries, e)
	}
	return entries
}

// calledTool returns the tool that an item calls, or "" if the item does not say.
func (c *Codec) calledTool(raw json.RawMessage) string {
	o, _ := jsonobject.Parse(raw) // it was read before
	if kind, _ := o.Text("type"); kind == "tool_search_call" {
		return c.searchTool()
	}
	name, _ := o.Text("name")
	return c.tools.Tool(name)
}

// namesIn returns the names of functions, and of those in namespaces.
func namesIn(list json.RawMessage) (names []string) {
	var tools []struct {
		Type, Name string
		Tools      json.RawMessage
	}
	_ = json.Unmarshal(list, &tools)
	for _, t := range tools {
		if t.Type == "namespace" {
			names = append(names, namesIn(t.Tools)...)
		} else {
			names = append(names, t.Name)
		}
	}
	return names
}

// readOutput reads the text of an output of a tool. The output of a search has none.
func readOutput(o jsonobject.Object) *history.PastResult {
	r := &history.PastResult{}
	if kind, _ := o.Text("type"); kind == "tool_search_output" {
		return r
	}
	if text, ok := o.Text("output"); ok {
		r.Texts = []string{text}
	} else {
		var parts []json.RawMessage
		_ = json.Unmarshal(o.Get("output"), &parts) // anything else has no text
		for _, p := range parts {
			if text, ok := textIn(p); ok {
				r.Texts = append(r.Texts, text)
			}
		}
	}
	r.Failed = content.Failed(r.Text())
	return r
}

// textIn returns the text of a part of an output.
func textIn(part json.RawMessage) (text string, ok bool) {
	o, _ := jsonobject.Parse(part) // anything but an object has none
	return o.Text("text")
}

// withText returns an output with a text in the place of all text in it.
func withText(raw json.RawMessage, text string) json.RawMessage {
	o, _ := jsonobject.Parse(raw) // it was read before
	if _, ok := o.Text("output"); ok {
		o.Set("output", jsonobject.Quote(text))
		return o.Encode()
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(o.Get("output"), &parts)
	o.Set("output", jsonobject.List(history.ReplaceText(parts, text, func(part json.RawMessage) bool {
		_, ok := textIn(part)
		return ok
	})))
	return o.Encode()
}

// User implements [wire.Codec].
func (c *Codec) User(parts ...pegboard.Part) []json.RawMessage { return userItem(encodeParts(parts)) }

// Results implements [wire.Codec].
//
// Text is sent as text, PNG, JPEG, GIF and WebP images as images, and PDF as a file. Bytes
// of another type are replaced by a text that describes them, and so are parts that are
// longer than the API takes. The output of a failed call begins with the word "Error",
// because the API has no other mark for it.
//
// Tools that a result refers to go back with their definitions. A search that the API
// left to the client is answered by those alone: the rest of its result comes first in
// the message of the user.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	var items, spoken []json.RawMessage
	searches := searchesIn(m.History)
	answers := answer.WithID(m.Calls, outcomes)
	for _, a := range answers {
		if searches[a.Call.ID] {
			item, beside := c.searchResult(a.Call, a.Result)
			items, spoken = append(items, item), append(spoken, beside...)
			continue
		}
		items = append(items, c.output(a.Call, a.Result))
	}
	return append(items, userItem(append(spoken, encodeParts(answer.Messages(m, answers, more))...))...)
}

// userItem returns parts as a message of the user, or nil without parts.
func userItem(parts []json.RawMessage) []json.RawMessage {
	if len(parts) == 0 {
		return nil
	}
	return []json.RawMessage{jsonobject.With("type", jsonobject.Quote("message")).
		With("role", jsonobject.Quote("user")).With("content", jsonobject.List(parts)).Encode()}
}

// searchesIn returns the ids of the calls that search for tools.
func searchesIn(items []json.RawMessage) map[string]bool {
	ids := map[string]bool{}
	for _, raw := range items {
		o, _ := jsonobject.Parse(raw) // anything but an object is no call
		if kind, _ := o.Text("type"); kind == "tool_search_call" && byClient(o) {
			id, _ := o.Text("call_id")
			ids[id] = true
		}
	}
	return ids
}

// references returns the tools that a result refers to.
func references(r *pegboard.Result) (tools []string) {
	for _, p := range r.Parts {
		if p.Tool != "" {
			tools = append(tools, p.Tool)
		}
	}
	return tools
}

// searchResult returns the answer to a search by the client, and the content that the
// answer cannot hold.
func (c *Codec) searchResult(call pegboard.Call, r *pegboard.Result) (item json.RawMessage, beside []json.RawMessage) {
	beside = encodeParts(r.Parts)
	if r.IsError {
		beside = fail(beside)
	}
	if len(beside) > 0 { // without the note it would read as the user's words
		beside = append([]json.RawMessage{textPart("(This is what " + call.Name + " said beside the tools it found.)")}, beside...)
	}
	return searchOutput(jsonobject.Quote(call.ID), c.definitions(references(r))), beside
}

func searchOutput(id json.RawMessage, tools []json.RawMessage) json.RawMessage {
	return jsonobject.With("type", jsonobject.Quote("tool_search_output")).With("call_id", id).
		With("execution", jsonobject.Quote("client")).With("status", jsonobject.Quote("completed")).
		With("tools", jsonobject.List(tools)).Encode()
}

// output returns the answer to a call of a function. It holds a string, or a list if there
// is more than text.
func (c *Codec) output(call pegboard.Call, r *pegboard.Result) json.RawMessage {
	parts := r.Parts
	if tools := c.definitions(references(r)); len(tools) > 0 {
		parts = append(parts[:len(parts):len(parts)], pegboard.Part{Text: history.FunctionsBlock(tools)})
	}
	var output json.RawMessage
	if text, ok := plain(parts); ok {
		if r.IsError {
			text = content.Failure(text)
		}
		output = jsonobject.Quote(content.Cut(text, maxText))
	} else {
		list := encodeParts(parts)
		if r.IsError {
			list = fail(list)
		}
		output = jsonobject.List(list)
	}
	return functionOutput(jsonobject.Quote(call.ID), output)
}

func functionOutput(id, output json.RawMessage) json.RawMessage {
	return jsonobject.With("type", jsonobject.Quote("function_call_output")).With("call_id", id).With("output", output).Encode()
}

// plain returns parts as one text, if all of them are text.
func plain(parts []pegboard.Part) (text string, ok bool) {
	var texts []string
	for _, p := range parts {
		if sendable(p) != "" {
			return "", false
		}
		if s := content.Text(p, sendableKinds); s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n"), true
}
