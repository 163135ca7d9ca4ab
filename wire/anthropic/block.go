package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// invalidJSON is the member under which input that is no JSON object goes back
// to the model.
const invalidJSON = "INVALID_JSON"

// block is one content block of a reply. What it began with is kept byte for
// byte; what its deltas brought is kept beside it until the block is written.
type block struct {
	raw   json.RawMessage // as it began
	kind  string
	id    string
	name  string
	given json.RawMessage // the input it began with; nil if none

	answers string // the id of the server's call that it is the result of

	input   []byte // the joined partial JSON
	grown   []growth
	stopped bool // it is complete
	handed  bool // it was handed out as a call
}

// growth is a member that deltas added to.
type growth struct {
	name string
	text []byte            // joined strings
	list []json.RawMessage // or further elements of an array
}

func newBlock(raw json.RawMessage) (*block, error) {
	fields, ok := parseOnce(raw)
	if !ok { // encoding/json would take NAME for name, and the last of two
		return nil, malformed("a content block is not an object, or has a member twice")
	}
	b := &block{raw: raw}
	b.kind, _ = fields.Text("type")
	b.id, _ = fields.Text("id")
	b.name, _ = fields.Text("name")
	b.answers, _ = fields.Text("tool_use_id")
	if input := fields.Get("input"); string(input) != "null" {
		b.given = input
	}
	if b.kind == "tool_use" && (b.id == "" || b.name == "") {
		return nil, malformed("a tool_use block has no id or no name")
	}
	return b, nil
}

// isCall reports whether the block is a call for the client. The server answers
// its own.
func (b *block) isCall() bool { return b.kind == "tool_use" && !strings.HasPrefix(b.id, "srvtoolu_") }

// isServerCall reports whether the block is a call that the server answers, as
// server_tool_use and mcp_tool_use are.
func (b *block) isServerCall() bool { return strings.HasSuffix(b.kind, "tool_use") && !b.isCall() }

func (b *block) isText() bool { return b.kind == "text" }

func (b *block) isThinking() bool { return b.kind == "thinking" || b.kind == "redacted_thinking" }

// isBlank reports whether a text block says nothing, which the API refuses.
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

// maxMembers is how many members a delta may have, and add to. Known ones have four.
const maxMembers = 256

// add takes a delta: partial JSON, a citation, or else text for the members of
// the block that the delta names, as text, thinking and signature are. A delta
// of a kind not known yet is thus taken, too.
func (b *block) add(delta jsonobject.Object) error {
	kind, _ := delta.Text("type")
	switch kind {
	case "input_json_delta":
		partial, ok := delta.Text("partial_json")
		if !ok {
			return malformed("an input_json_delta has no partial_json")
		}
		b.input = append(b.input, partial...)
	case "citations_delta":
		if c := delta.Get("citation"); c != nil {
			g := b.growth("citations")
			g.list = append(g.list, c)
		}
	default:
		if len(delta) > maxMembers || len(b.grown) > maxMembers {
			return malformed("a content block has more than %d members", maxMembers)
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

// identity reports whether a member says what a block is. That never grows.
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

// encode returns the block as it is sent back: untouched if it came at once.
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

// sentInput returns the input that goes back. The API takes nothing but an
// object there.
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
