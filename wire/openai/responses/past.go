package responses

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// pastTurn is the items of one speaker in a row.
type pastTurn struct {
	items []int // as indices of those given
	view  history.Message
}

// past is a conversation as it was.
type past struct {
	turns []pastTurn
	found []Repair // that have nothing to do with calls
}

func readPast(items []json.RawMessage) (p past) {
	parsed := make([]pastItem, len(items))
	referred := false // to items that are not here
	calls := map[string]bool{}
	seen := map[string]bool{}
	for i, raw := range items {
		item, ok := parsePast(raw)
		switch {
		case !ok:
			p.found = append(p.found, Repair{Kind: UnreadableMessage, Message: i})
		case item.identified && seen[string(raw)]:
			item.again = true
			p.found = append(p.found, Repair{Kind: DuplicateMessage, Message: i})
		case item.identified:
			seen[string(raw)] = true
		}
		referred = referred || item.reference
		calls[item.block.ID] = calls[item.block.ID] || item.block.Kind == history.Call
		parsed[i] = item
	}
	for i, item := range parsed {
		if referred && item.block.Kind == history.Result && !calls[item.block.ID] {
			item.block = history.Block{Kind: history.Content}
		}
		if !item.again {
			p.add(i, item)
		}
	}
	return p
}

func (p *past) add(i int, item pastItem) {
	last := len(p.turns) - 1
	if last < 0 || item.role == history.Other || p.turns[last].view.Role != item.role {
		p.turns = append(p.turns, pastTurn{view: history.Message{Role: item.role}})
		last++
	}
	t := &p.turns[last]
	t.items = append(t.items, i)
	if item.role != history.Other {
		t.view.Blocks = append(t.view.Blocks, item.block)
	}
}

// locate says of which items repairs speak. That a turn is empty says nothing of
// an item.
func (p past) locate(mended []history.Repair) (repairs []Repair) {
	first := map[history.Block]history.Ref{}
	for i, t := range p.turns {
		for j, b := range t.view.Blocks {
			if _, ok := first[b]; !ok {
				first[b] = history.Ref{Message: i, Block: j}
			}
		}
	}
	used := map[history.Ref]bool{}
	for _, r := range mended {
		kind := history.Result
		switch r.Kind {
		case history.MissingResult, history.DuplicateCall, history.StrayCall:
			kind = history.Call
		case history.EmptyMessage, history.SplitMessage:
			continue
		}
		counts := r.Kind == history.MissingResult || r.Kind == history.MisplacedResult
		duplicate := r.Kind == history.DuplicateCall || r.Kind == history.DuplicateResult
		for j, b := range p.turns[r.Message].view.Blocks {
			at := history.Ref{Message: r.Message, Block: j}
			if b != (history.Block{Kind: kind, ID: r.CallID}) || used[at] || duplicate && at == first[b] {
				continue
			}
			used[at] = !counts
			repairs = append(repairs, Repair{Kind: RepairKind(r.Kind), CallID: callID(r.CallID), Message: p.turns[r.Message].items[j]})
			break
		}
	}
	return repairs
}

// pastItem is what is looked at of an item.
type pastItem struct {
	role      history.Role
	block     history.Block
	reference bool // to an item that the API keeps

	identified bool // it has an id, and is neither a call nor an output
	again      bool // it was there before
}

// parsePast says what an item is. What is not known is content of the model, which
// stays where it is.
func parsePast(raw json.RawMessage) (item pastItem, ok bool) {
	fields, ok := parseOnce(raw)
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

// callBlock returns a call or an output, of which each kind has ids of its own. Any
// other item is content.
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
	execution, said := fields.Text("execution")
	id, _ := fields.Text("call_id")
	return execution == "client" || !said && id != ""
}

// parseOnce parses an object, and fails if a member stands twice: readers differ
// on what such an object says.
func parseOnce(raw json.RawMessage) (o jsonobject.Object, ok bool) {
	o, err := jsonobject.Parse(raw)
	if err != nil {
		return nil, false
	}
	seen := make(map[string]bool, len(o))
	for _, m := range o {
		if seen[m.Name] {
			return nil, false
		}
		seen[m.Name] = true
	}
	return o, true
}

// missingOutput answers a call whose output is not known.
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
