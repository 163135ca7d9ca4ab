package responses

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A conversation is one in the form of [history.Repair]: the items of one speaker in a row
// are one turn, each of them a block.
type conversation struct {
	items   []json.RawMessage
	turns   []pastTurn
	repairs []wire.Repair // that have nothing to do with calls
}

// A pastTurn is the items of one speaker in a row. Of other roles it is one item.
type pastTurn struct {
	items []int // indices of the items
	view  history.Message
}

func readConversation(items []json.RawMessage) *conversation {
	c := &conversation{items: items}
	parsed := make([]pastItem, len(items))
	refers := false // to items that are not here
	calls := map[string]bool{}
	seen := map[string]bool{}
	for i, raw := range items {
		item, ok := parsePast(raw)
		switch {
		case !ok:
			c.repairs = append(c.repairs, wire.Repair{Kind: wire.UnreadableMessage, Message: i})
		case item.identified && seen[string(raw)]:
			item.duplicate = true
			c.repairs = append(c.repairs, wire.Repair{Kind: wire.DuplicateMessage, Message: i})
		case item.identified:
			seen[string(raw)] = true
		}
		refers = refers || item.reference
		calls[item.block.ID] = calls[item.block.ID] || item.block.Kind == history.Call
		parsed[i] = item
	}
	for i, item := range parsed {
		if refers && item.block.Kind == history.Result && !calls[item.block.ID] {
			item.block = history.Block{Kind: history.Content}
		}
		if !item.duplicate {
			c.add(i, item)
		}
	}
	return c
}

func (c *conversation) add(i int, item pastItem) {
	last := len(c.turns) - 1
	if last < 0 || item.role == history.Other || c.turns[last].view.Role != item.role {
		c.turns = append(c.turns, pastTurn{view: history.Message{Role: item.role}})
		last++
	}
	t := &c.turns[last]
	t.items = append(t.items, i)
	if item.role != history.Other {
		t.view.Blocks = append(t.view.Blocks, item.block)
	}
}

// View implements [history.Conversation].
func (c *conversation) View() []history.Message {
	view := make([]history.Message, len(c.turns))
	for i, t := range c.turns {
		view[i] = t.view
	}
	return view
}

// Append implements [history.Conversation].
func (c *conversation) Append(out []json.RawMessage, t history.Turn) []json.RawMessage {
	if t.Message != history.New && c.turns[t.Message].view.Role == history.Other {
		return append(out, c.items[c.turns[t.Message].items[0]])
	}
	for _, at := range t.Blocks {
		item := c.items[c.turns[at.Message].items[at.Block]]
		if at.Missing {
			item = missingOutput(item)
		}
		out = append(out, item)
	}
	return out
}

// Locate implements [history.Conversation]. It returns nothing about empty and joined
// turns: a turn is no item.
func (c *conversation) Locate(repairs []wire.Repair) (located []wire.Repair) {
	first := map[history.Block]history.Ref{}
	for i, t := range c.turns {
		for j, b := range t.view.Blocks {
			if _, ok := first[b]; !ok {
				first[b] = history.Ref{Message: i, Block: j}
			}
		}
	}
	used := map[history.Ref]bool{}
	for _, r := range repairs {
		kind := history.Result
		switch r.Kind {
		case wire.MissingResult, wire.SuspendedCall, wire.DuplicateCall, wire.StrayCall:
			kind = history.Call
		case wire.EmptyMessage, wire.SplitMessage:
			continue
		}
		counts := r.Kind == wire.MissingResult || r.Kind == wire.SuspendedCall || r.Kind == wire.MisplacedResult
		duplicate := r.Kind == wire.DuplicateCall || r.Kind == wire.DuplicateResult
		for j, b := range c.turns[r.Message].view.Blocks {
			at := history.Ref{Message: r.Message, Block: j}
			if b != (history.Block{Kind: kind, ID: r.CallID}) || used[at] || duplicate && at == first[b] {
				continue
			}
			used[at] = !counts
			located = append(located, wire.Repair{Kind: r.Kind, CallID: callID(r.CallID), Message: c.turns[r.Message].items[j]})
			break
		}
	}
	return located
}

// A pastItem is an item of a conversation. One that cannot be read has the role Other.
type pastItem struct {
	role       history.Role
	block      history.Block
	reference  bool // to an item that the API keeps
	identified bool // it has an id, and is neither a call nor an output
	duplicate  bool // the same item stands before it
}

// parsePast reads an item. One of an unknown type is content of the model, which stays
// where it is.
func parsePast(raw json.RawMessage) (item pastItem, ok bool) {
	fields, ok := jsonobject.ParseUnique(raw)
	if !ok || !json.Valid(raw) { // something may follow the object
		return pastItem{}, false
	}
	kind, typed := fields.Text("type")
	role, spoken := fields.Text("role")
	switch {
	case kind == "message" || !typed && spoken:
		item, ok = parseMessage(role)
	case kind == "item_reference" || !typed && fields.Get("id") != nil:
		return pastItem{role: history.Model, reference: true}, true
	case kind == "":
		return pastItem{}, false
	case kind == "reasoning":
		item = pastItem{role: history.Model, block: history.Block{Kind: history.Lead}}
	default:
		item = pastItem{role: history.Model, block: callBlock(kind, fields)}
	}
	switch item.block.Kind {
	case history.Result:
		item.role = history.User
	case history.Content, history.Lead:
		id, _ := fields.Text("id")
		item.identified = id != ""
	}
	return item, ok
}

func parseMessage(role string) (item pastItem, ok bool) {
	switch role {
	case "assistant":
		return pastItem{role: history.Model}, true
	case "user":
		return pastItem{role: history.User}, true
	case "system", "developer":
		return pastItem{}, true
	}
	return pastItem{}, false
}

// callBlock returns the block of a call or an output. The ids of each kind of call are
// apart from those of others. Any other item is content.
func callBlock(kind string, fields jsonobject.Object) (b history.Block) {
	switch kind {
	case "tool_search_call", "tool_search_output":
		if !byClient(fields) {
			return b
		}
		b.Kind = history.Result
		if kind == "tool_search_call" {
			b.Kind = history.Call
		}
		kind = "tool_search_call"
	case "function_call", "custom_tool_call", "apply_patch_call":
		b.Kind = history.Call
	case "function_call_output", "custom_tool_call_output", "apply_patch_call_output":
		b.Kind = history.Result
		kind = strings.TrimSuffix(kind, "_output")
	default:
		return b
	}
	if id, _ := fields.Text("call_id"); id != "" {
		b.ID = kind + idSeparator + id
	}
	return b
}

const idSeparator = " "

// callID returns the id that is in the ID of a block.
func callID(id string) string {
	_, id, _ = strings.Cut(id, idSeparator)
	return id
}

// byClient reports whether an item belongs to a search that is left to the client.
func byClient(fields jsonobject.Object) bool {
	execution, given := fields.Text("execution")
	id, _ := fields.Text("call_id")
	return execution == "client" || !given && id != ""
}

// missingOutput returns the item that answers a call without an output.
func missingOutput(call json.RawMessage) json.RawMessage {
	fields, _ := jsonobject.Parse(call) // it was read before
	kind, _ := fields.Text("type")
	name, _ := fields.Text("name")
	id, text := fields.Get("call_id"), jsonobject.Quote(history.Answer(name))
	if kind == "tool_search_call" {
		return searchOutput(id, nil)
	}
	o := jsonobject.With("type", jsonobject.Quote(kind+"_output")).With("call_id", id)
	if kind == "apply_patch_call" {
		o.Set("status", jsonobject.Quote("failed"))
	}
	return o.With("output", text).Encode()
}
