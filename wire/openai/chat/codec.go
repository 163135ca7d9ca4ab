package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// A Codec is the [wire.Codec] of Chat Completions for one pool. The zero Codec has no
// tools, and reads replies with the names they hold.
//
// A Codec never changes; its methods may be called concurrently.
type Codec struct {
	tools  toolset.Set
	config Config
}

var _ wire.Codec = (*Codec)(nil)

// Config holds the choices of a host for a [Codec]. The zero Config is a good one.
type Config struct {
	// Suspended says that the calls of the model's last message wait for a Resume, see
	// [pegboard.Session.Suspension]: Normalize adds no results for them. The API refuses a
	// request before they are answered.
	Suspended bool
}

// New returns the Codec of a pool.
func New(p *pegboard.Pool, config Config) *Codec {
	poolcheck.MustExist(p, "chat.New")
	form := toolset.Form{Names: dialect.OpenAI.NameRule(), Encode: encodeTool, Refused: function.Refused}
	set, tools := toolset.New(p, form, nil, deferral.Request(p))
	set.Encoded = jsonobject.List(tools)
	return &Codec{tools: set, config: config}
}

// Tools implements [wire.Codec]. Each function says whether it is strict. It is if the
// tool asks for it and its schema has a strict form; the tool's own schema is checked
// when it is called. Many services, and the API itself, refuse an empty array: leave the
// member out then.
func (c *Codec) Tools() json.RawMessage { return c.tools.List() }

// Omitted implements [wire.Codec]. A deferred tool is checked when it is loaded, and then
// comes last.
func (c *Codec) Omitted() []wire.Problem { return slices.Clone(c.tools.Problems) }

// Name implements [wire.Codec].
func (c *Codec) Name(tool string) string { return c.tools.Names.API(tool) }

// Choice implements [wire.Codec] with "tool_choice" and, if choice is Sequential,
// "parallel_tool_calls". It leaves out a member that would only repeat the default of the API,
// so that services that do not know these members take the request.
//
// Not every service that speaks this protocol knows choice.Tools, and some models of
// OpenAI refuse "parallel_tool_calls".
func (c *Codec) Choice(choice wire.Choice) json.RawMessage {
	if string(c.Tools()) == "[]" {
		return json.RawMessage("{}")
	}
	return function.Choice(deferral.Choice(c.tools.Pool, choice), function.ChoiceForm{
		Tool: func(tool string) json.RawMessage {
			name := jsonobject.With("name", jsonobject.Quote(c.Name(tool)))
			return jsonobject.With("type", jsonobject.Quote("function")).With("function", name.Encode()).Encode()
		},
		Allowed: func(mode string, tools []json.RawMessage) json.RawMessage {
			// All tools stay in the request, so that a cached prompt stays valid.
			list := jsonobject.With("mode", jsonobject.Quote(mode)).With("tools", jsonobject.List(tools))
			return jsonobject.With("type", jsonobject.Quote("allowed_tools")).With("allowed_tools", list.Encode()).Encode()
		},
	})
}

// Read implements [wire.Codec].
//
// The protocol does not say when a call ends. A call is complete when its arguments are
// a whole object and another call begins, or when the model has finished. Events yields
// calls in the order in which they began; a call whose arguments are empty or no object
// delays those after it until the end of the reply.
//
// A body that ends between two events after the model has said why it stopped is whole,
// even if reading it failed: some services leave out the rest. Only if a call came after
// the reason, the rest is required.
func (c *Codec) Read(body io.Reader) wire.Reply {
	a := newAssembler(c, body)
	return reply.New(a, &a.Draft)
}

// encodeTool returns d as the API takes it, or nil if the API refuses its schema.
func encodeTool(d pegboard.Declaration, name string) json.RawMessage {
	key := "openai-chat"
	if name != d.Name {
		key += ":" + name
	}
	return d.Encoded(key, func(d pegboard.Declaration) []byte {
		form, err := function.Parameters(d)
		if err != nil {
			return nil
		}
		o := jsonobject.With("name", jsonobject.Quote(name))
		if d.Description != "" {
			o.Set("description", jsonobject.Quote(d.Description))
		}
		o.Set("parameters", form.Schema)
		o.Set("strict", function.Strict(form))
		return jsonobject.With("type", jsonobject.Quote("function")).With("function", o.Encode()).Encode()
	})
}

// call returns a call by the model under the name in the pool.
func (c *Codec) call(id, name string, input []byte) pegboard.Call {
	tool := c.tools.Names.Tool(name)
	if d, ok := c.tools.Declaration(tool); ok && jsonobject.Is(input) {
		input = function.WithoutNulls(d, input)
	}
	return pegboard.Call{ID: id, Name: tool, Input: input}
}

// Normalize implements [wire.Codec]. The tools of c do not matter.
//
// An id may name another call in a later turn, as with services that count anew: a
// result belongs to the last call with its id before it. Messages of the old form, with
// function_call and the role "function", stay as they are.
func (c *Codec) Normalize(messages []json.RawMessage) ([]json.RawMessage, []wire.Repair) {
	var past conversation
	var unreadable []wire.Repair
	for i, raw := range messages {
		if !past.add(raw) {
			unreadable = append(unreadable, wire.Repair{Kind: wire.UnreadableMessage, Message: i})
		}
	}
	return history.Normalize(&past, unreadable, c.config.Suspended)
}

// Trim implements [wire.Codec]. The word "Error" before the text of a call that failed is
// part of the text.
func (c *Codec) Trim(ctx context.Context, messages []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(messages)
	past, entries := c.entries(messages)
	for at, text := range history.Trim(ctx, s, entries) {
		t := past.turns[at.Message]
		result := t.results[at.Block]
		result.Set("content", withText(result.Get("content"), text))
		out[t.first+at.Block] = result.Encode()
	}
	return out
}

// Loaded implements [wire.Codec].
func (c *Codec) Loaded(messages []json.RawMessage) []string {
	_, entries := c.entries(messages)
	return history.Loaded(entries, c.tools.Tool)
}

// Recall implements [wire.Codec]. Anything may follow the messages.
func (c *Codec) Recall(tools []string) []json.RawMessage {
	search, found, ok := deferral.Recall(c.tools.Pool, tools, "call_", c.tools.Sendable)
	if !ok {
		return nil
	}
	sent := call{id: search.ID, name: c.Name(search.Name), quoted: inside(jsonobject.Quote(string(search.Input)))}
	m := wire.Message{Calls: []pegboard.Call{search}, History: encodeMessage("", "", grown{}, []json.RawMessage{sent.encode()})}
	return append(m.History, c.Results(&m, found)...)
}

// entries reads a conversation. A result may stand before its call.
func (c *Codec) entries(messages []json.RawMessage) (past conversation, entries []history.Entry) {
	for _, raw := range messages {
		past.add(raw)
	}
	called := map[string]string{} // by the IDs of blocks, the tool that the first call is of
	for _, t := range past.turns {
		for i, b := range t.blocks {
			if _, known := called[b.ID]; b.Kind == history.Call && !known && b.ID != "" {
				called[b.ID] = c.tools.Tool(functionOf(t.raw[i]))
			}
		}
	}
	turn := 0
	for i, t := range past.turns {
		if t.role == history.Model {
			turn++
		}
		for j, b := range t.blocks {
			e := history.Entry{At: history.Ref{Message: i, Block: j}}
			switch b.Kind {
			case history.Call:
				e.Names = []string{functionOf(t.raw[j])}
			case history.Result:
				e.Past = readResult(t.results[j])
				e.Past.Tool, e.Past.Turn = called[b.ID], turn
				e.Past.Search = called[b.ID] == history.SearchTool
			default:
				continue
			}
			entries = append(entries, e)
		}
	}
	return past, entries
}

// readResult reads a message with the role "tool".
func readResult(fields jsonobject.Object) *history.PastResult {
	r := &history.PastResult{Repeats: true, Texts: texts(fields.Get("content"))}
	r.CallID, _ = fields.Text("tool_call_id")
	r.Failed = content.Failed(r.Text())
	return r
}

// withText returns old content with a text in the place of all that [texts] finds in it.
func withText(old json.RawMessage, text string) json.RawMessage {
	var kinds []struct{ Type, Text string }
	var parts []json.RawMessage
	if json.Unmarshal(old, &kinds) != nil || json.Unmarshal(old, &parts) != nil {
		return jsonobject.Quote(text)
	}
	return jsonobject.List(history.ReplaceText(parts, text, func(part json.RawMessage) bool {
		var p struct{ Type string }
		return json.Unmarshal(part, &p) == nil && p.Type == "text"
	}))
}

// User implements [wire.Codec].
func (c *Codec) User(parts ...pegboard.Part) []json.RawMessage {
	return c.Results(&wire.Message{}, nil, parts...)
}

// Results implements [wire.Codec]: one message with the role "tool" for each call, and
// one with the role "user" for images, Messages and more, if there are any.
//
// Results hold nothing but text here. Documents and search results are sent as text with
// their title and source, references to tools as their definitions, and a failed call
// says that it is one. PNG, JPEG, GIF and WebP images are announced in the result and
// follow in the message of the user, numbered; a model that cannot see refuses a request
// with images. Bytes of other types are replaced by a text that describes them.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	a := answers{codec: c}
	pairs := answer.WithID(m.Calls, outcomes)
	for _, one := range pairs {
		a.addResult(one.Call, one.Result)
	}
	a.addMore(answer.Messages(m, pairs, more))
	if user := a.user(); user != nil {
		a.messages = append(a.messages, user)
	}
	return a.messages
}

// answers are the messages that Results returns, while they are made.
type answers struct {
	codec    *Codec
	messages []json.RawMessage
	images   int

	parts []json.RawMessage // of the user's message
	texts []string          // of the parts that are text
}

func (a *answers) addResult(c pegboard.Call, r *pegboard.Result) {
	var texts []string
	a.render(r.Parts, func(text string) { texts = append(texts, text) }, func(p pegboard.Part) {
		a.images++
		texts = append(texts, fmt.Sprintf("(Image %d follows in a message of its own.)", a.images))
		a.addText(fmt.Sprintf("Image %d, from the result of %s:", a.images, c.Name))
		a.addImage(p)
	})
	text := strings.Join(texts, "\n")
	switch {
	case r.IsError:
		text = content.Failure(text)
	case strings.TrimSpace(text) == "":
		text = "(no output)" // some services refuse empty content
	}
	a.messages = append(a.messages, toolMessage(jsonobject.Quote(c.ID), text))
}

func toolMessage(id json.RawMessage, text string) json.RawMessage {
	return jsonobject.With("role", jsonobject.Quote("tool")).With("tool_call_id", id).With("content", jsonobject.Quote(text)).Encode()
}

func (a *answers) addMore(parts []pegboard.Part) { a.render(parts, a.addText, a.addImage) }

// render calls text and image for each part. Neighbouring references to tools become one
// text.
func (a *answers) render(parts []pegboard.Part, text func(string), image func(pegboard.Part)) {
	for len(parts) > 0 {
		p := parts[0]
		if p.Tool != "" {
			n := 1
			for n < len(parts) && parts[n].Tool != "" {
				n++
			}
			text(strings.Join(a.codec.tools.Definitions(parts[:n]), "\n"))
			parts = parts[n:]
			continue
		}
		parts = parts[1:]
		if content.IsImage(content.Kind(p)) {
			image(p)
		} else if t := content.Text(p, "text and PNG, JPEG, GIF and WebP images"); t != "" {
			text(t)
		}
	}
}

func (a *answers) addText(text string) {
	a.texts = append(a.texts, text)
	a.parts = append(a.parts, jsonobject.With("type", jsonobject.Quote("text")).With("text", jsonobject.Quote(text)).Encode())
}

func (a *answers) addImage(p pegboard.Part) {
	url := jsonobject.With("url", jsonobject.Quote(content.DataURL(content.Kind(p), p.Data)))
	a.parts = append(a.parts, jsonobject.With("type", jsonobject.Quote("image_url")).With("image_url", url.Encode()).Encode())
}

// user returns the message of the user that follows the results, or nil. Text alone is
// sent as a string, which every service takes.
func (a *answers) user() json.RawMessage {
	if len(a.parts) == 0 {
		return nil
	}
	text := jsonobject.Quote(strings.Join(a.texts, "\n"))
	if len(a.texts) < len(a.parts) {
		text = jsonobject.List(a.parts)
	}
	return jsonobject.With("role", jsonobject.Quote("user")).With("content", text).Encode()
}
