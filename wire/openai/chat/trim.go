package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/content"
)

// Trim returns messages with the text of those results replaced that s does not let
// out whole, to be called right before each request, on the whole conversation. s sees
// every result of a call, in order: its Turn is the number of the model's messages
// before it, and it is Fixed if it is one of [pegboard.ToolSearch] that shows the
// definitions of tools. Its CallID is the id of the call, # and a hash of the text,
// because some services count ids anew in each turn: it stays the same when messages are
// added or removed, and only equal results share one.
//
// One text takes the place of all text of a result, where the first was; the word
// "Error" before the text of a call that failed is part of it. What else a result holds
// stays. What is Fixed is never replaced, nor is a result without text.
//
// Messages in which nothing is replaced are returned as they are, byte for byte. The
// same messages and the same answers of s give the same bytes. Messages that cannot be
// read are passed over. Trim adds nothing that [Normalize] would have to repair; either
// may come first. The messages given are not changed; those returned share their bytes.
func (w *Wire) Trim(ctx context.Context, messages []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(messages)
	past := w.pastResults(messages)
	for i, text := range trim.Results(ctx, s, past.results) {
		fields := past.fields[i]
		fields.Set("content", withText(fields.Get("content"), text))
		out[past.at[i]] = fields.Encode()
	}
	return out
}

// pastResults are the results in a conversation.
type pastResults struct {
	results []pegboard.HistoryResult
	at      []int               // of each result, the message that it is
	fields  []jsonobject.Object // what that holds
}

func (w *Wire) pastResults(messages []json.RawMessage) (p pastResults) {
	turns, called := w.readPast(messages)
	turn := 0
	for _, t := range turns {
		if t.role == history.Model {
			turn++
		}
		for i, b := range t.blocks {
			if b.Kind != history.Result {
				continue
			}
			r := readResult(t.results[i], called[b.ID])
			id, _ := t.results[i].Text("tool_call_id")
			sum := sha256.Sum256([]byte(r.Text()))
			id += "#" + hex.EncodeToString(sum[:8])
			p.results = append(p.results, pegboard.HistoryResult{CallID: id, Tool: r.Tool, Turn: turn, Text: r.Text(), Fixed: r.ShowsTools()})
			p.at, p.fields = append(p.at, t.first+i), append(p.fields, t.results[i])
		}
	}
	return p
}

// readPast returns the turns of a conversation, and the tools that the model called, by
// the keys of the calls. A result may stand before its call.
func (w *Wire) readPast(messages []json.RawMessage) (turns []pastTurn, called map[string]string) {
	var c conversation
	for _, raw := range messages {
		c.add(raw)
	}
	called = map[string]string{}
	for _, t := range c.turns {
		for i, b := range t.blocks {
			if _, known := called[b.ID]; b.Kind == history.Call && !known && b.ID != "" {
				called[b.ID] = w.tool(functionOf(t.raw[i]))
			}
		}
	}
	return c.turns, called
}

// functionOf returns the name of the function that a call is of, as the API knows it.
func functionOf(call json.RawMessage) string {
	fields, _ := jsonobject.Parse(call) // it was read before
	function, _ := jsonobject.Parse(fields.Get("function"))
	name, _ := function.Text("name")
	return name
}

// readResult reads the text of a result of a tool.
func readResult(fields jsonobject.Object, tool string) deferral.Result {
	r := deferral.Result{Tool: tool, Texts: texts(fields.Get("content"))}
	r.Failed = content.Failed(r.Text())
	return r
}

// withText returns content with a text in the place of all that [texts] finds in it.
func withText(content json.RawMessage, text string) json.RawMessage {
	var kinds []struct{ Type, Text string }
	var parts []json.RawMessage
	if json.Unmarshal(content, &kinds) != nil || json.Unmarshal(content, &parts) != nil {
		return jsonobject.Quote(text)
	}
	return jsonobject.List(trim.Replace(parts, text, func(part json.RawMessage) bool {
		var p struct{ Type string }
		return json.Unmarshal(part, &p) == nil && p.Type == "text"
	}))
}
