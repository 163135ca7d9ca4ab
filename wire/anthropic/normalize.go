package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Normalize repairs the messages of a conversation before they are sent, so that
// the API does not refuse them for their calls and results: after an interruption
// or a crash, when messages were cut off, repeated or reordered, or when results
// were kept one by one. It returns the messages to send and what was repaired, in
// the order of the messages given.
//
// Then each call has one result, and the results of a message come first in the
// user's message right after it, in the order of the calls. [RepairKind] lists
// what is done. Calls of the last message are answered, too: normalise when all
// results are in, right before the request.
//
// Messages that need no repair are returned as they are, byte for byte, and so is
// every block of the others. The same history always gives the same bytes, which
// keeps a cached prompt valid, and normalising twice changes nothing. Calls of
// server tools are never answered or dropped. What the API may refuse for other
// reasons is left alone.
//
// The messages given are not changed; those returned share their bytes.
func Normalize(messages []json.RawMessage) ([]json.RawMessage, []Repair) {
	parsed := make([]pastMessage, len(messages))
	view := make([]history.Message, len(messages))
	var repairs []Repair
	for i, raw := range messages {
		var ok bool
		if parsed[i], ok = parsePast(raw); !ok {
			repairs = append(repairs, Repair{Kind: UnreadableMessage, Message: i})
		}
		view[i] = parsed[i].view
	}
	turns, mended := history.Mend(view)
	for _, r := range mended {
		repairs = append(repairs, Repair{Kind: RepairKind(r.Kind), CallID: r.CallID, Message: r.Message})
	}
	slices.SortStableFunc(repairs, func(a, b Repair) int { return cmp.Compare(a.Message, b.Message) })
	out := make([]json.RawMessage, 0, len(turns))
	for _, t := range turns {
		if t.Changed {
			out = append(out, rewrite(t, parsed))
		} else {
			out = append(out, messages[t.Message])
		}
	}
	return out, repairs
}

// A Repair is one thing that Normalize put right.
type Repair struct {
	Kind    RepairKind
	CallID  string // of the call or result; empty if it was a whole message
	Message int    // where it stood, as an index of the messages given
}

// RepairKind says what was wrong in a conversation.
type RepairKind int

// What can be wrong, and what is done about it.
const (
	// MissingResult: a call has no result. It gets one that says so.
	MissingResult = RepairKind(history.MissingResult)
	// MisplacedResult: a result is not where it belongs. It is moved there.
	MisplacedResult = RepairKind(history.MisplacedResult)
	// StrayResult: a result has no call. It is dropped.
	StrayResult = RepairKind(history.StrayResult)
	// DuplicateResult: the call has another result before. This one is dropped.
	DuplicateResult = RepairKind(history.DuplicateResult)
	// DuplicateCall: another call before has the same id. This one is dropped,
	// with the thinking before it if nothing else follows that.
	DuplicateCall = RepairKind(history.DuplicateCall)
	// StrayCall: a call has no id, or is in a message of the user. It is dropped
	// in the same way.
	StrayCall = RepairKind(history.StrayCall)
	// SplitMessage: a message of the model belongs to the one before, the results
	// of whose calls come only after it. The two become one.
	SplitMessage = RepairKind(history.SplitMessage)
	// EmptyMessage: nothing is left of a message. It is dropped.
	EmptyMessage = RepairKind(history.EmptyMessage)
	// UnreadableMessage: a message is not one of the Messages API. It stays as it
	// is, and what it may hold is not counted.
	UnreadableMessage = RepairKind(history.UnreadableMessage)
	// StaleReference: a result refers to a tool that is not in the request, or not by
	// this name. A text or its name takes its place. Only [Wire.Normalize] finds these.
	StaleReference = UnreadableMessage + 1
)

// String returns the kind in lower case.
func (k RepairKind) String() string {
	if k == StaleReference {
		return "stale reference"
	}
	return history.RepairKind(k).String()
}

// pastMessage is a message of a conversation. One that cannot be read has a view
// that leaves it alone.
type pastMessage struct {
	fields jsonobject.Object
	blocks []json.RawMessage
	parsed []jsonobject.Object // the blocks
	view   history.Message
}

func parsePast(raw json.RawMessage) (m pastMessage, ok bool) {
	fields, ok := parseOnce(raw)
	if !ok || !json.Valid(raw) { // something may follow the object
		return m, false
	}
	m.fields = fields
	role, _ := fields.Text("role")
	switch role {
	case "assistant":
		m.view.Role = history.Model
	case "user":
		m.view.Role = history.User
	case "system":
		return m, true
	default:
		return pastMessage{}, false
	}
	content := fields.Get("content")
	if text, ok := fields.Text("content"); ok {
		if !blank(text) { // the API refuses a block of blank text
			m.blocks = append(m.blocks, object("text").With("text", content).Encode())
		}
	} else if string(content) == "null" || json.Unmarshal(content, &m.blocks) != nil {
		return pastMessage{}, false
	}
	for _, b := range m.blocks {
		fields, ok := parseOnce(b)
		if !ok {
			return pastMessage{}, false
		}
		m.parsed = append(m.parsed, fields)
		m.view.Blocks = append(m.view.Blocks, viewBlock(fields))
	}
	return m, true
}

// parseOnce parses an object, and fails if a member stands twice: readers differ
// on what such an object says.
func parseOnce(raw json.RawMessage) (o jsonobject.Object, ok bool) {
	o, err := jsonobject.Parse(raw)
	if err != nil {
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

// viewBlock says what a block is. Everything that is not known is content.
func viewBlock(fields jsonobject.Object) history.Block {
	kind, _ := fields.Text("type")
	switch kind {
	case "tool_use":
		id, _ := fields.Text("id")
		if strings.HasPrefix(id, "srvtoolu_") {
			return history.Block{Kind: history.Content}
		}
		return history.Block{Kind: history.Call, ID: id}
	case "tool_result":
		id, _ := fields.Text("tool_use_id")
		return history.Block{Kind: history.Result, ID: id}
	case "thinking", "redacted_thinking":
		return history.Block{Kind: history.Lead}
	}
	return history.Block{Kind: history.Content}
}

// rewrite returns a message with other blocks than it had.
func rewrite(t history.Turn, past []pastMessage) json.RawMessage {
	var content []json.RawMessage
	for _, r := range t.Blocks {
		block := past[r.Message].blocks[r.Block]
		if r.Missing {
			block = missingResult(block)
		}
		content = append(content, block)
	}
	if t.Message == history.New {
		return encodeMessage("user", content)
	}
	fields := past[t.Message].fields
	fields.Set("content", jsonobject.List(content))
	return fields.Encode()
}

// missingResult answers a call whose result is not known.
func missingResult(call json.RawMessage) json.RawMessage {
	fields, _ := jsonobject.Parse(call) // it was read before
	name, _ := fields.Text("name")
	return object("tool_result").
		With("tool_use_id", fields.Get("id")).
		With("content", jsonobject.List([]json.RawMessage{textBlock(history.Answer(name))})).
		With("is_error", json.RawMessage("true")).Encode()
}
