package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// conversation is one as [history.Mend] wants it: neighbouring messages with the
// roles "tool" and "user" are one turn, each of them a block. A message of the
// model is a turn whose blocks are what it says, if anything, and its calls.
type conversation struct {
	turns []pastTurn
	ids   map[string]*usedID
	next  int // the index of the next message
	spans int // how many of the turns are not the model's
}

// pastTurn is one turn. Of the model and of others it is one message.
type pastTurn struct {
	role   history.Role
	first  int               // the index of its first message
	blocks []history.Block   // what Mend sees
	raw    []json.RawMessage // of each block: a message, or a call; nil for what the model says
	whole  json.RawMessage   // the message of the model or of others
	fields jsonobject.Object // of the message of the model

	results []jsonobject.Object // of each block of the user's, what a message that is a result holds
}

// usedID tells the calls apart that have the same id.
type usedID struct {
	times            int
	called, answered bool   // since it was last used anew; a result before the call does not count
	spans            int    // at the call
	function         []byte // what it calls
}

// key returns what stands for an id in Mend: no two calls there may have the same.
// An id names another call if there was a result since, or if something else is
// called after others have spoken.
func (c *conversation) key(id string, kind history.Kind, function []byte) string {
	if id == "" {
		return ""
	}
	if c.ids == nil {
		c.ids = map[string]*usedID{}
	}
	u := c.ids[id]
	if u == nil {
		u = &usedID{}
		c.ids[id] = u
	}
	if kind == history.Call {
		if u.answered || u.called && u.spans < c.spans && !bytes.Equal(u.function, function) {
			*u = usedID{times: u.times + 1}
		}
		if !u.called {
			u.called, u.spans, u.function = true, c.spans, function
		}
	} else {
		u.answered = u.called
	}
	return id + "\x00" + strconv.Itoa(u.times)
}

// idOf returns the id that a key stands for.
func idOf(key string) string {
	return key[:max(0, strings.LastIndexByte(key, 0))]
}

// add adds a message. It reports whether the message can be read; if not, it stays
// as it is.
func (c *conversation) add(raw json.RawMessage) bool {
	at := c.next
	c.next++
	other := pastTurn{role: history.Other, first: at, whole: raw}
	fields, ok := parseOnce(raw)
	if !ok {
		c.begin(other)
		return false
	}
	switch role, _ := fields.Text("role"); role {
	case "tool":
		id, _ := fields.Text("tool_call_id")
		c.addBlock(at, history.Block{Kind: history.Result, ID: c.key(id, history.Result, nil)}, raw, fields)
	case "user":
		c.addBlock(at, history.Block{Kind: history.Content}, raw, nil)
	case "assistant":
		turn, ok := c.modelTurn(fields)
		if !ok {
			c.begin(other)
			return false
		}
		turn.first, turn.whole = at, raw
		c.begin(turn)
	default: // system, developer, function
		c.begin(other)
		return role == "system" || role == "developer" || role == "function"
	}
	return true
}

func (c *conversation) begin(t pastTurn) {
	c.turns = append(c.turns, t)
	if t.role != history.Model {
		c.spans++
	}
}

// addBlock adds a message that is a block of the user's turn.
func (c *conversation) addBlock(at int, b history.Block, raw json.RawMessage, result jsonobject.Object) {
	if len(c.turns) == 0 || c.turns[len(c.turns)-1].role != history.User {
		c.begin(pastTurn{role: history.User, first: at})
	}
	t := &c.turns[len(c.turns)-1]
	t.blocks, t.raw, t.results = append(t.blocks, b), append(t.raw, raw), append(t.results, result)
}

func (c *conversation) modelTurn(fields jsonobject.Object) (t pastTurn, ok bool) {
	t = pastTurn{role: history.Model, fields: fields}
	var calls []json.RawMessage
	if raw := fields.Get("tool_calls"); raw != nil && json.Unmarshal(raw, &calls) != nil {
		return t, false
	}
	if kind, says := saying(fields); says {
		t.blocks, t.raw = append(t.blocks, history.Block{Kind: kind}), append(t.raw, nil)
	}
	var ids []string
	var functions []json.RawMessage
	for _, raw := range calls {
		call, ok := parseOnce(raw)
		if !ok {
			return t, false
		}
		id, _ := call.Text("id")
		ids, functions = append(ids, id), append(functions, call.Get("function"))
	}
	for i, id := range ids { // now that nothing can go wrong
		t.blocks = append(t.blocks, history.Block{Kind: history.Call, ID: c.key(id, history.Call, functions[i])})
		t.raw = append(t.raw, calls[i])
	}
	return t, true
}

// saying reports whether a message of the model says anything besides its calls:
// an answer, or only the reasoning, with which no message may end.
func saying(fields jsonobject.Object) (kind history.Kind, says bool) {
	for _, m := range fields {
		switch empty := string(m.Value); {
		case m.Name == "role", m.Name == "name", m.Name == "tool_calls", empty == "null", empty == "[]", empty == "{}":
		case strings.TrimSpace(strings.Trim(plain(m.Value), `"`)) == "":
		case m.Name == "content", m.Name == "refusal", m.Name == "audio", m.Name == "function_call":
			return history.Content, true
		default:
			says = true
		}
	}
	return history.Lead, says
}

// parseOnce parses an object, and fails if a member stands twice, or anything
// follows: readers differ on what such an object says.
func parseOnce(raw json.RawMessage) (o jsonobject.Object, ok bool) {
	o, err := jsonobject.Parse(raw)
	if err != nil || !json.Valid(raw) {
		return nil, false
	}
	seen := map[string]bool{}
	for _, m := range o {
		if seen[m.Name] {
			return nil, false
		}
		seen[m.Name] = true
	}
	return o, true
}

func (c *conversation) view() []history.Message {
	view := make([]history.Message, len(c.turns))
	for i, t := range c.turns {
		view[i] = history.Message{Role: t.role, Blocks: t.blocks}
	}
	return view
}

// repairs returns what Mend did with the messages behind the turns.
func (c *conversation) repairs(mended []history.Repair) (all []Repair) {
	seen := map[history.Repair]int{}
	for _, r := range mended {
		t := c.turns[r.Message]
		if t.role == history.User && r.Kind == history.EmptyMessage {
			continue // its messages are reported one by one
		}
		at := t.first
		if t.role == history.User {
			at += c.place(r, seen[r])
			seen[r]++
		}
		all = append(all, Repair{Kind: RepairKind(r.Kind), CallID: idOf(r.CallID), Message: at})
	}
	return all
}

// place returns which block of a user's turn the nth of equal repairs is about.
func (c *conversation) place(r history.Repair, n int) int {
	var same []int
	for i, b := range c.turns[r.Message].blocks {
		if b.Kind == history.Result && b.ID == r.CallID {
			same = append(same, i)
		}
	}
	if r.Kind == history.DuplicateResult && !c.resultBefore(r) {
		n++ // the first one counts
	}
	return same[min(n, len(same)-1)]
}

// resultBefore reports whether a turn before r's has a result of the same call.
func (c *conversation) resultBefore(r history.Repair) bool {
	return slices.ContainsFunc(c.turns[:r.Message], func(t pastTurn) bool {
		return slices.ContainsFunc(t.blocks, func(b history.Block) bool { return b.Kind == history.Result && b.ID == r.CallID })
	})
}
