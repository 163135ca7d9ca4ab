package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A conversation is one in the form of [history.Repair]: neighbouring messages with the
// roles "tool" and "user" are one turn, each of them a block. A message of the model is a
// turn whose blocks are its text, if there is any, and its calls.
type conversation struct {
	turns  []pastTurn
	ids    map[string]*usedID
	next   int // index of the next message
	others int // how many of the turns are not the model's
}

// A pastTurn is one turn. Of the model and of other roles it is one message.
type pastTurn struct {
	role   history.Role
	first  int // index of its first message
	blocks []history.Block
	raw    []json.RawMessage // of each block: a message, or a call; nil for the text of the model
	whole  json.RawMessage   // the message, unless the turn is the user's
	fields jsonobject.Object // of the message of the model

	results []jsonobject.Object // of each block of the user's turn, the members of a result
}

// A usedID tells apart the calls that have the same id.
type usedID struct {
	times            int    // how often it has become the id of another call
	called, answered bool   // since then; a result before the call does not count
	others           int    // conversation.others at the call
	function         []byte // that is called
}

// key returns the ID of a block for an id in a message: no two calls may have the same.
// An id names another call if a result has come since, or if another function is called
// after someone other than the model has spoken.
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
		if u.answered || u.called && u.others < c.others && !bytes.Equal(u.function, function) {
			*u = usedID{times: u.times + 1}
		}
		if !u.called {
			u.called, u.others, u.function = true, c.others, function
		}
	} else {
		u.answered = u.called
	}
	return id + "\x00" + strconv.Itoa(u.times)
}

// idOf returns the id that a key was made of.
func idOf(key string) string {
	return key[:max(0, strings.LastIndexByte(key, 0))]
}

// add adds a message. It reports whether the message can be read; one that cannot stays
// as it is.
func (c *conversation) add(raw json.RawMessage) bool {
	at := c.next
	c.next++
	other := pastTurn{role: history.Other, first: at, whole: raw}
	fields, ok := jsonobject.ParseUnique(raw)
	if !ok || !json.Valid(raw) { // something may follow the object
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
		c.others++
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
		call, ok := jsonobject.ParseUnique(raw)
		if !ok {
			return t, false
		}
		id, _ := call.Text("id")
		ids, functions = append(ids, id), append(functions, call.Get("function"))
	}
	for i, id := range ids { // the keys are chosen only after all calls could be read
		t.blocks = append(t.blocks, history.Block{Kind: history.Call, ID: c.key(id, history.Call, functions[i])})
		t.raw = append(t.raw, calls[i])
	}
	return t, true
}

// saying reports whether a message of the model says anything besides its calls. It is
// Content, or a Lead if there is only reasoning, with which no message may end.
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

// View implements [history.Conversation].
func (c *conversation) View() []history.Message {
	view := make([]history.Message, len(c.turns))
	for i, t := range c.turns {
		view[i] = history.Message{Role: t.role, Blocks: t.blocks}
	}
	return view
}

// Locate implements [history.Conversation]. It returns nothing about empty turns of the
// user: the repairs of their messages say the same.
func (c *conversation) Locate(repairs []wire.Repair) (all []wire.Repair) {
	seen := map[wire.Repair]int{}
	for _, r := range repairs {
		t := c.turns[r.Message]
		if t.role == history.User && r.Kind == wire.EmptyMessage {
			continue
		}
		at := t.first
		if t.role == history.User {
			at += c.place(r, seen[r])
			seen[r]++
		}
		all = append(all, wire.Repair{Kind: r.Kind, CallID: idOf(r.CallID), Message: at})
	}
	return all
}

// place returns the block of a user's turn that the nth of equal repairs is about.
func (c *conversation) place(r wire.Repair, n int) int {
	var same []int
	for i, b := range c.turns[r.Message].blocks {
		if b.Kind == history.Result && b.ID == r.CallID {
			same = append(same, i)
		}
	}
	if r.Kind == wire.DuplicateResult && !c.resultBefore(r) {
		n++ // the first one counts
	}
	return same[min(n, len(same)-1)]
}

// resultBefore reports whether a turn before r's has a result of the same call.
func (c *conversation) resultBefore(r wire.Repair) bool {
	return slices.ContainsFunc(c.turns[:r.Message], func(t pastTurn) bool {
		return slices.ContainsFunc(t.blocks, func(b history.Block) bool { return b.Kind == history.Result && b.ID == r.CallID })
	})
}

// Append implements [history.Conversation].
func (c *conversation) Append(out []json.RawMessage, t history.Turn) []json.RawMessage {
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

// rewrite returns a message of the model with the calls of t, joined with the messages
// whose blocks t holds.
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

// joined returns the members of two messages as one message. Of members that cannot be
// joined the first message's stays.
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

// missingResult returns the message that answers a call without a result.
func missingResult(call json.RawMessage) json.RawMessage {
	fields, _ := jsonobject.Parse(call) // it was read before
	return toolMessage(fields.Get("id"), history.Answer(functionOf(call)))
}

// functionOf returns the name of the function that a call is of, in the API.
func functionOf(call json.RawMessage) string {
	fields, _ := jsonobject.Parse(call) // it was read before
	function, _ := jsonobject.Parse(fields.Get("function"))
	name, _ := function.Text("name")
	return name
}
