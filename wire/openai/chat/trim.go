package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/history"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
)

// Trim returns messages with the text of those results replaced that s does not let
// out whole, to be called right before each request, on the whole conversation. s sees
// every result of a call, in order: its Turn is the number of the model's messages
// before it, and it is Fixed if it shows the definitions of tools. Its CallID is the id
// of the call, # and a hash of the text, because some services count ids anew in each
// turn: it stays the same when messages are added or removed, and only equal results
// share one.
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
	results []pegboard.PastResult
	at      []int               // of each result, the message that it is
	fields  []jsonobject.Object // what that holds
}

func (w *Wire) pastResults(messages []json.RawMessage) (p pastResults) {
	var c conversation
	for _, raw := range messages {
		c.add(raw)
	}
	tools := map[string]string{} // by the key of the call
	var keys []string            // of the calls of the results
	turn := 0
	for _, t := range c.turns {
		if t.role == history.Model {
			turn++
		}
		for i, b := range t.blocks {
			switch b.Kind {
			case history.Call:
				if _, known := tools[b.ID]; !known && b.ID != "" {
					tools[b.ID] = w.canonical(w.names.Tool(functionOf(t.raw[i])))
				}
			case history.Result:
				r := readResult(t.results[i])
				r.Turn = turn
				p.results, p.at, p.fields = append(p.results, r), append(p.at, t.first+i), append(p.fields, t.results[i])
				keys = append(keys, b.ID)
			}
		}
	}
	for i, key := range keys { // a result may stand before its call
		p.results[i].Tool = tools[key]
	}
	return p
}

// functionOf returns the name of the function that a call is of, as the API knows it.
func functionOf(call json.RawMessage) string {
	fields, _ := jsonobject.Parse(call) // it was read before
	function, _ := jsonobject.Parse(fields.Get("function"))
	name, _ := function.Text("name")
	return name
}

func readResult(fields jsonobject.Object) (r pegboard.PastResult) {
	said := texts(fields.Get("content"))
	r.Text = strings.Join(said, "\n")
	r.Fixed = slices.ContainsFunc(said, trim.ShowsTools)
	id, _ := fields.Text("tool_call_id")
	sum := sha256.Sum256([]byte(r.Text))
	r.CallID = id + "#" + hex.EncodeToString(sum[:8])
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
