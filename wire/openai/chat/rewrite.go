package chat

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// write adds the messages of a turn to out.
func (c *conversation) write(out []json.RawMessage, t history.Turn) []json.RawMessage {
	if t.Message != history.New {
		past := c.turns[t.Message]
		switch {
		case past.role == history.User:
			if !t.Changed {
				return append(out, past.raw...)
			}
		case t.Changed:
			return append(out, c.rewrite(t))
		default:
			return append(out, past.whole)
		}
	}
	for _, r := range t.Blocks {
		raw := c.turns[r.Message].raw[r.Block]
		if r.Missing {
			raw = missingResult(raw)
		}
		out = append(out, raw)
	}
	return out
}

// rewrite returns a message of the model with other calls than it had, and with
// what the messages say that belong to it.
func (c *conversation) rewrite(t history.Turn) json.RawMessage {
	fields := append(jsonobject.Object(nil), c.turns[t.Message].fields...)
	var calls []json.RawMessage
	for _, r := range t.Blocks {
		switch raw := c.turns[r.Message].raw[r.Block]; {
		case raw != nil:
			calls = append(calls, raw)
		case r.Message != t.Message:
			fields = joined(fields, c.turns[r.Message].fields)
		}
	}
	if len(calls) > 0 {
		fields.Set("tool_calls", jsonobject.List(calls))
		return fields.Encode()
	}
	var kept jsonobject.Object
	for _, m := range fields {
		if m.Name != "tool_calls" { // the API refuses an empty list
			kept = append(kept, m)
		}
	}
	return kept.Encode()
}

// joined returns what two messages say as one. What can stand only once is taken
// from the first.
func joined(first, second jsonobject.Object) jsonobject.Object {
	for _, m := range second {
		before := first.Get(m.Name)
		switch {
		case m.Name == "role" || m.Name == "tool_calls" || string(m.Value) == "null":
		case before == nil, string(before) == "null", string(before) == `""`:
			first.Set(m.Name, m.Value)
		case m.Name == "content", strings.HasPrefix(m.Name, "reasoning"):
			first.Set(m.Name, concatenated(before, m.Value))
		}
	}
	return first
}

// concatenated joins two texts, or lists of parts, or a text and a list.
func concatenated(a, b json.RawMessage) json.RawMessage {
	if a[0] == '"' && b[0] == '"' {
		return json.RawMessage(string(a[:len(a)-1]) + `\n` + string(b[1:]))
	}
	var parts []json.RawMessage
	for _, raw := range []json.RawMessage{a, b} {
		var list []json.RawMessage
		switch {
		case raw[0] == '"' && len(raw) > len(`""`):
			list = []json.RawMessage{jsonobject.With("type", jsonobject.Quote("text")).With("text", raw).Encode()}
		case raw[0] != '"' && json.Unmarshal(raw, &list) != nil:
			return a
		}
		parts = append(parts, list...)
	}
	return jsonobject.List(parts)
}

// missingResult answers a call whose result is not known.
func missingResult(call json.RawMessage) json.RawMessage {
	fields, _ := jsonobject.Parse(call) // it was read before
	return toolMessage(fields.Get("id"), history.Answer(functionOf(call)))
}
