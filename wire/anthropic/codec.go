package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
)

// A Codec is the [wire.Codec] of the Messages API for one pool. The zero Codec has no
// tools, and reads replies with the names they hold.
//
// A Codec never changes; its methods may be called concurrently.
type Codec struct {
	tools     toolset.Set
	suspended bool
}

var _ wire.Codec = (*Codec)(nil)

// New returns the Codec of a pool.
//
// A tool is strict if it is declared so, the API has a form of its schema, and the strict
// tools before it leave room: one request holds 20, with 24 optional properties and 16
// of several types. It is deferred if the pool says so, see [pegboard.Deferral], unless
// all would be. Its examples are sent with it.
func New(p *pegboard.Pool, config Config) *Codec {
	poolcheck.MustExist(p, "anthropic.New")
	l := newToolList(config)
	var buffer [128]json.RawMessage // few pools have more tools; this list costs no allocation
	tools, ok := l.fill(buffer[:0], p)
	if !ok { // most pools have no name that the API refuses
		l.names = toolset.Names(p, nameRule)
		tools, _ = l.fill(buffer[:0], p)
	}
	c := &Codec{tools: toolset.Set{Pool: p, Names: l.names, Problems: l.problems, Parameters: renamed}, suspended: config.Suspended}
	if len(tools) > 0 {
		c.tools.Encoded = jsonobject.List(tools)
	}
	return c
}

// Tools implements [wire.Codec]: server tools, then the tools of the pool.
//
// A deferred tool is sent, marked as such, but the model sees it only once a search has
// found it: a search of the API, see [Config].ServerTools, or a tool of the pool whose
// result holds parts with a Tool, such as [pegboard.ToolSearch].
func (c *Codec) Tools() json.RawMessage { return c.tools.List() }

// Omitted implements [wire.Codec]. It also returns tools that are sent as less than was
// declared; these problems are not marked as Omitted. The parts of a schema that strict
// cannot express are not among them: [wire.Lint] reports those.
func (c *Codec) Omitted() []wire.Problem { return slices.Clone(c.tools.Problems) }

// Name implements [wire.Codec].
func (c *Codec) Name(tool string) string { return c.tools.Names.API(tool) }

// Choice implements [wire.Codec] with "tool_choice".
//
// The API cannot confine the model to some of the tools: of choice.Tools only a single
// one that is Required can be expressed. Confine a pool instead, or deny the other tools.
// With thinking that is switched on by hand the API takes only [wire.Auto] and
// [wire.None].
//
// Another choice than in the turn before loses the messages in the prompt cache, but not
// the tools.
func (c *Codec) Choice(choice wire.Choice) json.RawMessage {
	if c.tools.Encoded == nil {
		return json.RawMessage("{}")
	}
	if choice.Mode == wire.Required && len(choice.Tools) == 1 {
		choice.Mode, choice.Tool = wire.One, choice.Tools[0]
	}
	choice.Tools = nil
	choice = deferral.Choice(c.tools.Pool, choice)
	kind := "auto"
	switch choice.Mode {
	case wire.Required:
		kind = "any"
	case wire.None:
		kind = "none"
	case wire.One:
		kind = "tool"
	}
	o := object(kind)
	if choice.Mode == wire.One {
		o.Set("name", jsonobject.Quote(c.Name(choice.Tool)))
	}
	if choice.Sequential && choice.Mode != wire.None { // the API takes no such member with "none"
		o.Set("disable_parallel_tool_use", json.RawMessage("true"))
	}
	return jsonobject.With("tool_choice", o.Encode()).Encode()
}

// Read implements [wire.Codec].
//
// Events yields a call when its block has stopped. Only a call whose input is empty or no
// JSON object waits for the next event: a model that runs out of tokens leaves such a
// call, and it must not run.
func (c *Codec) Read(body io.Reader) wire.Reply {
	a := &assembler{codec: c, body: reply.NewBody(body)}
	return reply.New(a, &a.Draft)
}

// offered returns the name of a tool in the API, if the request holds the tool.
func (c *Codec) offered(tool string) (api string, ok bool) {
	if c.tools.Pool == nil {
		return "", false
	}
	t, ok := c.tools.Pool.Lookup(tool)
	if !ok {
		return "", false
	}
	name := t.Info().Name
	omitted := func(p wire.Problem) bool { return p.Omitted && p.Tool == name }
	return c.Name(name), !slices.ContainsFunc(c.tools.Problems, omitted)
}

// Normalize implements [wire.Codec]. Results come first in the user's message right after
// the model's. Calls of server tools are never answered or dropped.
//
// Results may also refer to tools that are no longer in the pool, and the API refuses the
// whole request for one of them: a text replaces the reference for as long as the tool is
// not there. A tool that has another name now, as an alias says, is referred to by that.
// References from the search of the API stay. The zero Codec leaves all references alone.
func (c *Codec) Normalize(messages []json.RawMessage) ([]json.RawMessage, []wire.Repair) {
	var stale []wire.Repair
	if c.tools.Pool != nil {
		messages, stale = c.dropStale(messages)
	}
	past := readConversation(messages)
	return history.Normalize(past, append(stale, past.repairs...), c.suspended)
}

// dropStale returns the messages without stale references.
func (c *Codec) dropStale(messages []json.RawMessage) (fresh []json.RawMessage, repairs []wire.Repair) {
	fresh = make([]json.RawMessage, len(messages))
	for i, raw := range messages {
		var ids []string
		fresh[i], ids = c.dropStaleIn(raw)
		for _, id := range ids {
			repairs = append(repairs, wire.Repair{Kind: wire.StaleReference, CallID: id, Message: i})
		}
	}
	return fresh, repairs
}

// dropStaleIn returns a message without stale references, and for each that was in it the
// id of the call.
func (c *Codec) dropStaleIn(raw json.RawMessage) (fresh json.RawMessage, ids []string) {
	if !bytes.Contains(raw, []byte("tool_reference")) {
		return raw, nil // most messages need not be parsed
	}
	past, _ := parsePast(raw)
	for i, o := range past.parsed {
		parts, ok := resultParts(o)
		if !ok {
			continue
		}
		before := len(ids)
		for j, part := range parts {
			tool, ok := referenceIn(part)
			if !ok {
				continue
			}
			now, ok := c.offered(c.tools.Tool(tool))
			if ok && now == tool {
				continue
			}
			id, _ := o.Text("tool_use_id")
			ids, parts[j] = append(ids, id), textBlock(goneTool(tool))
			if ok { // it has another name now
				parts[j] = toolReference(now)
			}
		}
		if len(ids) > before {
			o.Set("content", jsonobject.List(parts))
			past.blocks[i] = o.Encode()
		}
	}
	if len(ids) == 0 {
		return raw, nil
	}
	return past.with(past.blocks), ids
}

// Trim implements [wire.Codec]. Images, documents and search results in a result stay.
func (c *Codec) Trim(ctx context.Context, messages []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(messages)
	past, entries := c.entries(messages)
	for at, text := range history.Trim(ctx, s, entries) {
		m := past[at.Message]
		m.blocks[at.Block] = withText(m.parsed[at.Block], text)
		out[at.Message] = m.with(m.blocks)
	}
	return out
}

// Loaded implements [wire.Codec]. Definitions in the form of other providers count, too.
func (c *Codec) Loaded(messages []json.RawMessage) []string {
	_, entries := c.entries(messages)
	return history.Loaded(entries, c.tools.Tool)
}

// Recall implements [wire.Codec]. With thinking that is switched on by hand, a message of
// the user should follow: a turn of the model that is still going on and calls tools must
// begin with thinking there, and this one does not. Otherwise anything may follow.
func (c *Codec) Recall(tools []string) []json.RawMessage {
	search, found, ok := deferral.Recall(c.tools.Pool, tools, "toolu_", func(tool string) bool {
		_, ok := c.offered(tool)
		return ok
	})
	if !ok {
		return nil
	}
	use := object("tool_use").With("id", jsonobject.Quote(search.ID)).
		With("name", jsonobject.Quote(c.Name(search.Name))).With("input", search.Input).Encode()
	m := wire.Message{Calls: []pegboard.Call{search}, History: []json.RawMessage{encodeMessage("assistant", []json.RawMessage{use})}}
	return append(m.History, c.Results(&m, found)...)
}

// entries reads a conversation. A result may stand before its call.
func (c *Codec) entries(messages []json.RawMessage) (past []pastMessage, entries []history.Entry) {
	past = make([]pastMessage, len(messages))
	called := map[string]string{} // by the ids of calls, the tool that the first one is of
	for i, raw := range messages {
		m, _ := parsePast(raw) // one that cannot be read is empty
		past[i] = m
		for j, b := range m.view.Blocks {
			if b.Kind != history.Call || m.view.Role != history.Model || b.ID == "" {
				continue
			}
			if _, known := called[b.ID]; !known {
				name, _ := m.parsed[j].Text("name")
				called[b.ID] = c.tools.Tool(name)
			}
		}
	}
	turn := 0
	for i, m := range past {
		if m.view.Role == history.Model {
			turn++
		}
		for j, b := range m.view.Blocks {
			e := history.Entry{At: history.Ref{Message: i, Block: j}, Names: m.mentions(j)}
			if b.Kind == history.Result {
				e.Past = readResult(m.parsed[j])
				e.Past.Tool, e.Past.Turn = called[b.ID], turn
				e.Past.Search = called[b.ID] == history.SearchTool
				e.Past.Refers = len(e.Names) > 0
			}
			entries = append(entries, e)
		}
	}
	return past, entries
}

// User implements [wire.Codec].
func (c *Codec) User(parts ...pegboard.Part) []json.RawMessage {
	return c.Results(&wire.Message{}, nil, parts...)
}

// Results implements [wire.Codec]: one message with the role "user".
//
// Text is sent as text, or with a MIME and a title as a document; PDF as a document, PNG,
// JPEG, GIF and WebP as images; a part with a Source as a search result, and one with a
// Tool as a reference to it. A text replaces all that the API does not take: bytes of another
// type, anything but text in a failed result, a reference to a tool that is not in the
// request, and any reference in Messages or more. A failed call whose input was no JSON object gets
// that input back as {"INVALID_JSON": "…"}.
//
// While a call of a server tool waits for its result, the API takes nothing but results
// in this message: then Messages and more become part of the last result. Without a result Results
// returns nil; send m.History alone.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	var content []json.RawMessage
	answers, waits := answer.WithID(m.Calls, outcomes), awaitsServer(m.History)
	more = answer.Messages(m, answers, more)
	for i, a := range answers {
		var inside []pegboard.Part
		if waits && i == len(answers)-1 {
			inside = more
		}
		content = append(content, c.toolResult(a.Call, a.Result, inside))
	}
	if !waits {
		content = append(content, place{codec: c}.blocks(more)...)
	}
	if len(content) == 0 {
		return nil
	}
	return []json.RawMessage{encodeMessage("user", content)}
}

// awaitsServer reports whether a call of a server tool waits for its result.
func awaitsServer(messages []json.RawMessage) bool {
	if len(messages) == 0 {
		return false
	}
	last, _ := parsePast(messages[len(messages)-1]) // one that cannot be read has no calls
	return last.awaitsServer()
}

func (c *Codec) toolResult(call pegboard.Call, r *pegboard.Result, more []pegboard.Part) json.RawMessage {
	at := place{codec: c, result: true, failed: r.IsError}
	blocks := at.blocks(r.Parts)
	if r.IsError && len(call.Input) > 0 && !jsonobject.Is(call.Input) {
		blocks = append(blocks, textBlock(string(wrapInvalid(call.Input))))
	}
	blocks = append(blocks, at.blocks(more)...)
	if r.IsError && len(blocks) == 0 { // the API refuses a failure without content
		blocks = append(blocks, textBlock(fmt.Sprintf("%s failed and did not say why. Look at what it did before you repeat it.", call.Name)))
	}
	o := object("tool_result").With("tool_use_id", jsonobject.Quote(call.ID))
	if len(blocks) > 0 {
		o.Set("content", jsonobject.List(blocks))
	}
	if r.IsError {
		o.Set("is_error", json.RawMessage("true"))
	}
	return o.Encode()
}
