package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// invalidJSON is the member under which input that is no JSON object goes back
// to the model.
const invalidJSON = "INVALID_JSON"

// A block is one content block of a reply: its first event byte for byte, and beside that
// the content of its deltas.
type block struct {
	raw   json.RawMessage // of the first event
	kind  string
	id    string
	name  string
	given json.RawMessage // the input in the first event; may be nil

	input   []byte          // the joined partial JSON
	shown   strings.Builder // the same, for user interfaces: a Builder shares its text without copies
	grown   []growth
	stopped bool // it is complete
	added   bool // it was added to the draft as a call
}

// A growth is a member that deltas added to.
type growth struct {
	name string
	text []byte            // joined strings
	list []json.RawMessage // or further elements of an array
}

func newBlock(raw json.RawMessage) (*block, error) {
	fields, ok := jsonobject.ParseUnique(raw)
	if !ok { // encoding/json would take NAME for name, and the last of two
		return nil, reply.Malformed("a content block is not an object, or has a member twice")
	}
	b := &block{raw: raw}
	b.kind, _ = fields.Text("type")
	b.id, _ = fields.Text("id")
	b.name, _ = fields.Text("name")
	if input := fields.Get("input"); string(input) != "null" {
		b.given = input
	}
	if b.kind == "tool_use" && (b.id == "" || b.name == "") {
		return nil, reply.Malformed("a tool_use block has no id or no name")
	}
	return b, nil
}

// isCall reports whether the block is a call for the client, and not for the server.
func (b *block) isCall() bool { return isClientCall(b.kind, b.id) }

func isClientCall(kind, id string) bool {
	return kind == "tool_use" && !strings.HasPrefix(id, "srvtoolu_")
}

func (b *block) isText() bool { return b.kind == "text" }

func (b *block) isThinking() bool { return b.kind == "thinking" || b.kind == "redacted_thinking" }

// isBlank reports whether a text block is blank, which the API refuses.
func (b *block) isBlank() bool {
	o, _ := jsonobject.Parse(b.encode())
	text, _ := o.Text("text")
	return blank(text)
}

// rawInput returns the input of a call as the model wrote it. Some gateways send it
// with the start of the block instead of in deltas.
func (b *block) rawInput() json.RawMessage {
	if len(b.input) == 0 && string(b.given) != "{}" {
		return bytes.Clone(b.given)
	}
	return bytes.Clone(b.input)
}

// maxMembers is how many members a delta may have, and how many members of a block deltas
// may add to. Known deltas have at most four.
const maxMembers = 256

// add takes a delta: partial JSON, a citation, or else text for the members of the block
// that the delta names, such as text, thinking and signature. In this way deltas of
// unknown kinds are taken, too.
func (b *block) add(delta jsonobject.Object) error {
	kind, _ := delta.Text("type")
	switch kind {
	case "input_json_delta":
		partial, ok := delta.Text("partial_json")
		if !ok {
			return reply.Malformed("an input_json_delta has no partial_json")
		}
		b.input = append(b.input, partial...)
		b.shown.WriteString(partial)
	case "citations_delta":
		if c := delta.Get("citation"); c != nil {
			g := b.growth("citations")
			g.list = append(g.list, c)
		}
	default:
		if len(delta) > maxMembers || len(b.grown) > maxMembers {
			return reply.Malformed("a content block has more than %d members", maxMembers)
		}
		for _, m := range delta {
			if text, ok := delta.Text(m.Name); ok && !identity(m.Name) {
				g := b.growth(m.Name)
				g.text = append(g.text, text...)
			}
		}
	}
	return nil
}

// identity reports whether a member identifies a block. Deltas never add to such a member.
func identity(member string) bool {
	switch member {
	case "type", "id", "name", "input", "tool_use_id":
		return true
	}
	return false
}

func (b *block) growth(name string) *growth {
	for i := range b.grown {
		if b.grown[i].name == name {
			return &b.grown[i]
		}
	}
	b.grown = append(b.grown, growth{name: name})
	return &b.grown[len(b.grown)-1]
}

// encode returns the block as the history holds it: unchanged if it came at once.
func (b *block) encode() json.RawMessage {
	o, err := jsonobject.Parse(b.raw)
	if err != nil {
		return b.raw
	}
	input := b.sentInput()
	if len(b.grown) == 0 && bytes.Equal(input, b.given) {
		return b.raw
	}
	if input != nil {
		o.Set("input", input)
	}
	for _, g := range b.grown {
		if g.list != nil {
			var before []json.RawMessage
			_ = json.Unmarshal(o.Get(g.name), &before) // anything but an array is replaced
			o.Set(g.name, jsonobject.List(append(before, g.list...)))
			continue
		}
		before, _ := o.Text(g.name)
		o.Set(g.name, jsonobject.Quote(before+string(g.text)))
	}
	return o.Encode()
}

// sentInput returns the input in the history, where the API takes nothing but an object.
func (b *block) sentInput() json.RawMessage {
	if !strings.HasSuffix(b.kind, "tool_use") {
		return b.given
	}
	switch raw := b.rawInput(); {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case jsonobject.Is(raw):
		return raw
	default:
		return wrapInvalid(raw)
	}
}

func wrapInvalid(raw []byte) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{%q:%s}`, invalidJSON, jsonobject.Quote(string(raw))))
}
