package responses

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/content"
)

// Results returns the items that answer m: one output for each call of
// [Message.History], in its order, and then more as a message of the user. They
// belong right after History in the input. It is nil if there is nothing to say.
//
// An outcome belongs to the call with its id. Of several the first counts that
// does not wrap [pegboard.ErrDuplicate]; outcomes of other calls are left out. A
// call without an outcome is answered as one that was not run, so that the request
// stays valid after any interruption.
//
// Text is sent as text, PNG, JPEG, GIF and WebP as images, and PDF as a file. Bytes
// of another type are replaced by a text that says what they were, and so is what
// is longer than the API takes. The output of a failed call begins with the word
// "Error", for the API has no other mark.
//
// Tools that a result refers to go back with their definitions. A search that the
// API left to the client is answered by those alone: whatever else its result says
// comes first in the message of the user.
func (m *Message) Results(outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	var items, said []json.RawMessage
	for _, a := range answer.To(m.Calls, outcomes) {
		c, r := a.Call, a.Result
		if m.searches[c.ID] {
			item, beside := m.found(c, r)
			items, said = append(items, item), append(said, beside...)
			continue
		}
		items = append(items, m.output(c, r))
	}
	said = append(said, encodeParts(more)...)
	if len(said) > 0 {
		items = append(items, jsonobject.With("type", jsonobject.Quote("message")).
			With("role", jsonobject.Quote("user")).With("content", jsonobject.List(said)).Encode())
	}
	return items
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

// definitions returns the tools as the request holds them.
func (m *Message) definitions(tools []string) []json.RawMessage {
	if m.wire == nil {
		return nil
	}
	return m.wire.definitions(tools)
}

// found answers a search by the client, and returns what its answer cannot hold.
func (m *Message) found(c pegboard.Call, r *pegboard.Result) (item json.RawMessage, beside []json.RawMessage) {
	beside = encodeParts(r.Parts)
	if r.IsError {
		beside = fail(beside)
	}
	if len(beside) > 0 { // or it would seem to be what the user says
		beside = append([]json.RawMessage{textPart("(This is what " + c.Name + " said beside the tools it found.)")}, beside...)
	}
	return searchOutput(jsonobject.Quote(c.ID), m.definitions(references(r))), beside
}

func searchOutput(id json.RawMessage, tools []json.RawMessage) json.RawMessage {
	return jsonobject.With("type", jsonobject.Quote("tool_search_output")).With("call_id", id).
		With("execution", jsonobject.Quote("client")).With("status", jsonobject.Quote("completed")).
		With("tools", jsonobject.List(tools)).Encode()
}

// output answers a call of a function: by a string, or a list if there is more
// than text.
func (m *Message) output(c pegboard.Call, r *pegboard.Result) json.RawMessage {
	parts := r.Parts
	if tools := m.definitions(references(r)); len(tools) > 0 {
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
	return functionOutput(jsonobject.Quote(c.ID), output)
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
		if s := content.Text(p, shown); s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n"), true
}
