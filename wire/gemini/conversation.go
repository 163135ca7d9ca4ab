package gemini

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A conversation is one in the form of [history.Repair].
type conversation struct {
	raw      []json.RawMessage
	contents []pastContent
	view     []history.Message
	calls    map[string]function // by the keys in view, the calls and results that have them
	repairs  []wire.Repair       // that have nothing to do with calls
}

func readConversation(contents []json.RawMessage) *conversation {
	c := &conversation{raw: contents, contents: make([]pastContent, len(contents))}
	for i, raw := range contents {
		var ok bool
		if c.contents[i], ok = parsePast(raw); !ok {
			c.repairs = append(c.repairs, wire.Repair{Kind: wire.UnreadableMessage, Message: i})
		}
	}
	c.view, c.calls = match(c.contents)
	return c
}

// View implements [history.Conversation].
func (c *conversation) View() []history.Message { return c.view }

// Locate implements [history.Conversation].
func (c *conversation) Locate(repairs []wire.Repair) []wire.Repair {
	for i, r := range repairs {
		f := c.calls[r.CallID]
		repairs[i].CallID, repairs[i].Name = f.id, f.name
	}
	return repairs
}

// Append implements [history.Conversation].
func (c *conversation) Append(out []json.RawMessage, t history.Turn) []json.RawMessage {
	if !t.Changed {
		return append(out, c.raw[t.Message])
	}
	var parts []json.RawMessage
	for _, at := range t.Blocks {
		if at.Missing {
			parts = append(parts, missingResponse(c.contents[at.Message].functions[at.Block]))
		} else {
			parts = append(parts, c.contents[at.Message].parts[at.Block])
		}
	}
	if t.Message == history.New {
		return append(out, encodeContent("user", parts))
	}
	return append(out, c.contents[t.Message].with(parts))
}

// A pastContent is one of a request's contents. One that cannot be read is the zero
// pastContent, whose role is Other.
type pastContent struct {
	fields    jsonobject.Object
	parts     []json.RawMessage
	role      history.Role
	functions []function // one for each part
}

// A function is the call or the result that a part holds. Other parts are Content or Lead.
type function struct {
	kind history.Kind
	id   string // of a call or result; may be empty
	name string
}

func parsePast(raw json.RawMessage) (c pastContent, ok bool) {
	fields, ok := jsonobject.ParseUnique(raw)
	if !ok || !json.Valid(raw) { // something may follow the object
		return c, false
	}
	c.fields = fields
	role, isText := fields.Text("role")
	switch {
	case role == "model":
		c.role = history.Model
	case role == "user", role == "function", fields.Get("role") == nil, isText && role == "":
		c.role = history.User
	default:
		return pastContent{}, false
	}
	parts := fields.Get("parts")
	if parts != nil && (string(parts) == "null" || json.Unmarshal(parts, &c.parts) != nil) {
		return pastContent{}, false
	}
	for _, p := range c.parts {
		f, ok := readFunction(p)
		if !ok {
			return pastContent{}, false
		}
		c.functions = append(c.functions, f)
	}
	return c, true
}

// readFunction returns the function of a part. An unknown part is Content.
func readFunction(part json.RawMessage) (f function, ok bool) {
	fields, ok := jsonobject.ParseUnique(part)
	if !ok {
		return f, false
	}
	for _, kind := range []history.Kind{history.Call, history.Result} {
		_, raw := functionIn(fields, kind)
		if raw == nil {
			continue
		}
		o, ok := jsonobject.ParseUnique(raw)
		if !ok {
			return f, false
		}
		f.kind = kind
		f.id, _ = o.Text("id")
		f.name, _ = o.Text("name")
		return f, true
	}
	if isThought(fields) {
		f.kind = history.Lead
	}
	return f, true
}

// functionIn returns the call or result that a part holds, or nil, and the member that
// holds it. The names of members may be written in either way.
func functionIn(part jsonobject.Object, kind history.Kind) (member string, raw json.RawMessage) {
	members := []string{"functionCall", "function_call"}
	if kind == history.Result {
		members = []string{"functionResponse", "function_response"}
	}
	for _, member := range members {
		if raw := part.Get(member); raw != nil && string(raw) != "null" {
			return member, raw
		}
	}
	return "", nil
}

// with returns the content with other parts.
func (c pastContent) with(parts []json.RawMessage) json.RawMessage {
	c.fields.Set("parts", jsonobject.List(parts))
	return c.fields.Encode()
}

func encodeContent(role string, parts []json.RawMessage) json.RawMessage {
	return jsonobject.With("role", jsonobject.Quote(role)).With("parts", jsonobject.List(parts)).Encode()
}

// missingResponse returns the part that answers a call without a result.
func missingResponse(call function) json.RawMessage {
	var o jsonobject.Object
	if call.id != "" {
		o.Set("id", jsonobject.Quote(call.id))
	}
	o.Set("name", jsonobject.Quote(call.name))
	o.Set("response", jsonobject.With("error", jsonobject.Quote(history.Answer(call.name))).Encode())
	return jsonobject.With("functionResponse", o.Encode()).Encode()
}

// readResult reads the text of a functionResponse.
func readResult(part json.RawMessage) *history.PastResult {
	_, _, _, response := responseIn(part)
	r := &history.PastResult{Repeats: true, Failed: response.Get("error") != nil}
	for _, m := range response {
		if text, ok := textIn(m); ok {
			r.Texts = append(r.Texts, text)
		}
	}
	if r.Texts == nil && len(response) > 0 {
		r.Texts = []string{string(response.Encode())} // no line of JSON begins a block of definitions
	}
	return r
}

// responseIn returns the response of a functionResponse, and the objects around it.
func responseIn(part json.RawMessage) (fields jsonobject.Object, member string, result, response jsonobject.Object) {
	fields, _ = jsonobject.Parse(part) // it was read before
	member, raw := functionIn(fields, history.Result)
	result, _ = jsonobject.Parse(raw)
	response, _ = jsonobject.Parse(result.Get("response")) // anything but an object is empty
	return fields, member, result, response
}

// textIn returns the text that a member of a response holds.
func textIn(m jsonobject.Member) (text string, ok bool) {
	if m.Name != "output" && m.Name != "error" {
		return "", false
	}
	return jsonobject.Object{m}.Text(m.Name)
}

// withText returns a functionResponse with a text in the place of all its text.
func withText(part json.RawMessage, text string) json.RawMessage {
	fields, member, result, response := responseIn(part)
	var kept jsonobject.Object
	replaced := false
	for _, m := range response {
		if _, ok := textIn(m); !ok {
			kept = append(kept, m)
		} else if !replaced {
			kept, replaced = append(kept, jsonobject.Member{Name: m.Name, Value: jsonobject.Quote(text)}), true
		}
	}
	if !replaced { // the response has neither member
		under := "output"
		if response.Get("error") != nil {
			under = "error"
		}
		kept = jsonobject.With(under, jsonobject.Quote(text))
	}
	result.Set("response", kept.Encode())
	fields.Set(member, result.Encode())
	return fields.Encode()
}
