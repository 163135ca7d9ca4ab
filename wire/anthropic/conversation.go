package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A conversation is one in the form of [history.Repair].
type conversation struct {
	raw      []json.RawMessage
	messages []pastMessage
	repairs  []wire.Repair // that have nothing to do with calls
}

func readConversation(messages []json.RawMessage) *conversation {
	c := &conversation{raw: messages, messages: make([]pastMessage, len(messages))}
	for i, raw := range messages {
		var ok bool
		if c.messages[i], ok = parsePast(raw); !ok {
			c.repairs = append(c.repairs, wire.Repair{Kind: wire.UnreadableMessage, Message: i})
		}
	}
	return c
}

// View implements [history.Conversation].
func (c *conversation) View() []history.Message {
	view := make([]history.Message, len(c.messages))
	for i, m := range c.messages {
		view[i] = m.view
	}
	return view
}

// Locate implements [history.Conversation].
func (c *conversation) Locate(repairs []wire.Repair) []wire.Repair { return repairs }

// Append implements [history.Conversation].
func (c *conversation) Append(out []json.RawMessage, t history.Turn) []json.RawMessage {
	if !t.Changed {
		return append(out, c.raw[t.Message])
	}
	var content []json.RawMessage
	for _, at := range t.Blocks {
		block := c.messages[at.Message].blocks[at.Block]
		if at.Missing {
			block = missingResult(block)
		}
		content = append(content, block)
	}
	if t.Message == history.New {
		return append(out, encodeMessage("user", content))
	}
	return append(out, c.messages[t.Message].with(content))
}

// A pastMessage is a message of a conversation. One that cannot be read is the zero
// pastMessage, whose role is Other.
type pastMessage struct {
	fields jsonobject.Object
	blocks []json.RawMessage
	parsed []jsonobject.Object // the blocks
	view   history.Message
}

func parsePast(raw json.RawMessage) (m pastMessage, ok bool) {
	fields, ok := jsonobject.ParseUnique(raw)
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
		fields, ok := jsonobject.ParseUnique(b)
		if !ok {
			return pastMessage{}, false
		}
		m.parsed = append(m.parsed, fields)
		m.view.Blocks = append(m.view.Blocks, viewBlock(fields))
	}
	return m, true
}

// viewBlock returns a block in the form of [history.Repair]. A block of an unknown type is
// content.
func viewBlock(fields jsonobject.Object) history.Block {
	kind, _ := fields.Text("type")
	switch kind {
	case "tool_use":
		id, _ := fields.Text("id")
		if !isClientCall(kind, id) {
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

// with returns the message with other content.
func (m pastMessage) with(content []json.RawMessage) json.RawMessage {
	m.fields.Set("content", jsonobject.List(content))
	return m.fields.Encode()
}

// awaitsServer reports whether the message holds a call of a server tool, such as
// server_tool_use or mcp_tool_use, whose result is not in the message.
func (m pastMessage) awaitsServer() bool {
	waiting := map[string]bool{}
	for _, block := range m.parsed {
		kind, _ := block.Text("type")
		id, _ := block.Text("id")
		if strings.HasSuffix(kind, "tool_use") && !isClientCall(kind, id) {
			waiting[id] = true
		}
		answered, _ := block.Text("tool_use_id")
		delete(waiting, answered)
	}
	return len(waiting) > 0
}

// mentions returns the tools that a block makes known, by their names in the API.
func (m pastMessage) mentions(block int) []string {
	o := m.parsed[block]
	switch m.view.Blocks[block].Kind {
	case history.Call:
		if m.view.Role != history.Model {
			return nil
		}
		name, _ := o.Text("name")
		return []string{name}
	case history.Result:
		parts, _ := resultParts(o)
		return referencesIn(parts)
	}
	if kind, _ := o.Text("type"); kind == "tool_search_tool_result" {
		found, _ := jsonobject.Parse(o.Get("content"))
		return referencesIn(list(found.Get("tool_references")))
	}
	return nil
}

func encodeMessage(role string, content []json.RawMessage) json.RawMessage {
	return jsonobject.With("role", jsonobject.Quote(role)).With("content", jsonobject.List(content)).Encode()
}

// missingResult returns the block that answers a call without a result.
func missingResult(call json.RawMessage) json.RawMessage {
	fields, _ := jsonobject.Parse(call) // it was read before
	name, _ := fields.Text("name")
	return object("tool_result").
		With("tool_use_id", fields.Get("id")).
		With("content", jsonobject.List([]json.RawMessage{textBlock(history.Answer(name))})).
		With("is_error", json.RawMessage("true")).Encode()
}

// readResult reads the text of a result of a tool.
func readResult(o jsonobject.Object) *history.PastResult {
	r := &history.PastResult{Failed: string(o.Get("is_error")) == "true"}
	r.CallID, _ = o.Text("tool_use_id")
	if text, ok := o.Text("content"); ok {
		r.Texts = []string{text}
		return r
	}
	parts, _ := resultParts(o)
	for _, part := range parts {
		if text, ok := textIn(part); ok {
			r.Texts = append(r.Texts, text)
		}
	}
	return r
}

// withText returns a result with a text in the place of all its text.
func withText(o jsonobject.Object, text string) json.RawMessage {
	if _, ok := o.Text("content"); ok {
		o.Set("content", jsonobject.Quote(text))
		return o.Encode()
	}
	parts, _ := resultParts(o)
	o.Set("content", jsonobject.List(history.ReplaceText(parts, text, func(part json.RawMessage) bool {
		_, ok := textIn(part)
		return ok
	})))
	return o.Encode()
}

// resultParts returns the content of a result, if it is a list. It fails if o is no
// result.
func resultParts(o jsonobject.Object) (parts []json.RawMessage, ok bool) {
	kind, _ := o.Text("type")
	return list(o.Get("content")), kind == "tool_result"
}

// list returns the elements of an array, or nil.
func list(raw json.RawMessage) (elements []json.RawMessage) {
	if len(raw) > 0 && raw[0] == '[' {
		_ = json.Unmarshal(raw, &elements) // it was read before
	}
	return elements
}

// referencesIn returns the tools that blocks refer to.
func referencesIn(blocks []json.RawMessage) (tools []string) {
	for _, b := range blocks {
		if tool, ok := referenceIn(b); ok {
			tools = append(tools, tool)
		}
	}
	return tools
}

// referenceIn returns the tool that a block refers to.
func referenceIn(raw json.RawMessage) (tool string, ok bool) {
	o, _ := jsonobject.Parse(raw)
	if kind, _ := o.Text("type"); kind != "tool_reference" {
		return "", false
	}
	return o.Text("tool_name")
}

// textIn returns the text of a text block.
func textIn(raw json.RawMessage) (text string, ok bool) {
	o, _ := jsonobject.Parse(raw)
	if kind, _ := o.Text("type"); kind != "text" {
		return "", false
	}
	return o.Text("text")
}
