package chat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

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
		if at.Said > 0 {
			out[at.Message] = textcall.Replace(out[at.Message], at, text)
			continue
		}
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
	if c.config.TextCalls {
		entries = textcall.AddPast(entries, messages, c.tools.Schema, c.tools.Tool, past.message)
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
