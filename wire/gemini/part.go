package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// invalidJSON is the member under which arguments that are no JSON object go back to
// the model.
const invalidJSON = "INVALID_JSON"

// A part is one part of the model's content, byte for byte.
type part struct {
	raw     json.RawMessage
	text    string
	thought bool // it is part of the summary of the thinking
	empty   bool // it holds nothing, which some versions of the API refuse
	call    *call
}

func newPart(raw json.RawMessage, fields jsonobject.Object) *part {
	p := &part{raw: raw, thought: isThought(fields)}
	text, ok := fields.Text("text")
	p.text = text
	// A signature or a file may come with an empty text, and must go back.
	p.empty = ok && text == "" && !slices.ContainsFunc(fields, func(m jsonobject.Member) bool {
		return m.Name != "text" && m.Name != "thought"
	})
	return p
}

func isThought(fields jsonobject.Object) bool { return string(fields.Get("thought")) == "true" }

func (p *part) encode() json.RawMessage {
	if p.call == nil {
		return p.raw
	}
	return p.call.encode()
}

// A call is a functionCall with all its pieces.
type call struct {
	raw      json.RawMessage // the part with the first piece
	fields   jsonobject.Object
	function jsonobject.Object
	id       string // given by the API, or made here
	sentID   string // given by the API; may be empty
	name     string
	args     json.RawMessage
	streamed *arguments // nil if the arguments came at once
	arrived  int        // bytes of pieces since the call was last shown
	shown    int        // bytes of the arguments when the call was last shown
	complete bool
}

// take adds a piece, and reports whether another one follows.
func (c *call) take(fields, function jsonobject.Object) (more bool, err error) {
	more = string(function.Get("willContinue")) == "true"
	pieces := function.Get("partialArgs")
	if c.streamed == nil && (more || pieces != nil) {
		c.streamed = &arguments{}
	}
	if args := function.Get("args"); args != nil && string(args) != "null" {
		if c.streamed != nil && c.streamed.started() || pieces != nil || c.args != nil {
			return false, reply.Malformed("the call of %s has its arguments twice", c.name)
		}
		c.args = args
	}
	if pieces != nil && string(pieces) != "null" {
		if c.args != nil {
			return false, reply.Malformed("the call of %s has its arguments twice", c.name)
		}
		if err := c.streamed.take(pieces); err != nil {
			return false, reply.Malformed("the call of %s: %w", c.name, err)
		}
	}
	if c.streamed != nil && c.fields.Get("thoughtSignature") == nil {
		if s := fields.Get("thoughtSignature"); s != nil {
			c.fields.Set("thoughtSignature", s)
		}
	}
	if !more && c.streamed != nil && c.streamed.unfinished > 0 {
		return false, reply.Malformed("the call of %s ended within an argument", c.name)
	}
	c.complete = !more
	return more, nil
}

// partial returns the arguments so far, if enough has arrived since the last time: putting
// them together takes time, which otherwise would grow with the square of their length.
func (c *call) partial() (text string, ok bool) {
	const share = 16
	if c.shown > 0 && c.arrived < c.shown/share {
		return "", false
	}
	if c.streamed.started() {
		text = string(c.streamed.encode())
	}
	c.arrived, c.shown = 0, len(text)
	return text, true
}

// input returns the arguments as the model wrote them, or as they were put together.
func (c *call) input() json.RawMessage {
	if c.args == nil && c.streamed != nil {
		return c.streamed.encode()
	}
	return bytes.Clone(c.args)
}

// encode returns the part in the history: unchanged if the call came at once.
func (c *call) encode() json.RawMessage {
	input := c.input()
	valid := input == nil || jsonobject.Is(input)
	if c.streamed == nil && valid {
		return c.raw
	}
	if !valid { // the API takes nothing but an object there
		input = json.RawMessage(fmt.Sprintf(`{%q:%s}`, invalidJSON, jsonobject.Quote(string(input))))
	}
	var function jsonobject.Object
	for _, m := range c.function {
		if m.Name != "willContinue" && m.Name != "partialArgs" {
			function = append(function, m)
		}
	}
	function.Set("args", input)
	fields := append(jsonobject.Object(nil), c.fields...)
	fields.Set("functionCall", function.Encode())
	return fields.Encode()
}
