package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

// Normalize implements [wire.Codec]. Results come first in the user's message right after
// the model's. Calls of server tools are never answered or dropped.
//
// Results may also refer to tools that are no longer in the pool, and the API refuses the
// whole request for one of them: a text replaces the reference for as long as the tool is
// not there. A tool that has another name now, as an alias says, is referred to by that.
// What the search of the API has found stays. The zero Codec leaves all references alone.
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
		if at.Said > 0 {
			out[at.Message] = textcall.Replace(out[at.Message], at, text)
			continue
		}
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
	if c.textCalls {
		entries = textcall.AddPast(entries, messages, c.tools.Schema, c.tools.Tool, func(at history.Ref) int { return at.Message })
	}
	return past, entries
}
