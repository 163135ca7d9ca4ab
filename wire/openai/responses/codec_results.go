package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

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
	if parts, ok := textcall.Answer(m, outcomes, more, textcall.Form{Name: c.Name, Define: c.define}); ok {
		return c.User(parts...)
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

// define words the references to tools that parts begin with.
func (c *Codec) define(parts []pegboard.Part) []string {
	end := slices.IndexFunc(parts, func(p pegboard.Part) bool { return p.Tool == "" })
	if end < 0 {
		end = len(parts)
	}
	tools := c.definitions(references(&pegboard.Result{Parts: parts[:end]}))
	if len(tools) == 0 {
		return nil
	}
	return []string{history.FunctionsBlock(tools)}
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
