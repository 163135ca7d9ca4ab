package chat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// invalidJSON is the member under which arguments that are no JSON object go back
// to the model.
const invalidJSON = "INVALID_JSON"

// A call is a call that is being read.
type call struct {
	id, name string
	quoted   []byte          // the arguments as they came: the inside of a JSON string
	shown    strings.Builder // the arguments for user interfaces: an escape may be broken between two pieces
	progress progress
	extra    grown // members that the service adds to a call, such as a signature
	released bool  // it was added to the draft
	echo     bool  // it may be the name of the call before and nothing else
}

// A piece is the part of a call that one delta holds.
type piece struct {
	index    *int
	id, name string
	quoted   []byte
	extra    jsonobject.Object
}

func parsePiece(raw json.RawMessage) (p piece, err error) {
	o, err := jsonobject.Parse(raw)
	if err != nil {
		return p, malformedCall(err)
	}
	for _, m := range o {
		switch m.Name {
		case "index":
			if err := json.Unmarshal(m.Value, &p.index); err != nil {
				return p, malformedCall(err)
			}
		case "id":
			p.id = plain(m.Value)
		case "type":
		case "function":
			if string(m.Value) != "null" {
				err = p.takeFunction(m.Value)
			}
		default:
			p.extra = append(p.extra, m)
		}
	}
	return p, err
}

// takeFunction takes the name and the arguments. Some services send these as an
// object instead of the text of one.
func (p *piece) takeFunction(raw json.RawMessage) error {
	var f struct{ Name, Arguments json.RawMessage }
	if err := json.Unmarshal(raw, &f); err != nil {
		return malformedCall(err)
	}
	p.name = plain(f.Name)
	switch {
	case len(f.Arguments) == 0 || string(f.Arguments) == "null":
	case f.Arguments[0] == '"':
		p.quoted = inside(f.Arguments)
	default:
		p.quoted = inside(jsonobject.Quote(string(f.Arguments)))
	}
	return nil
}

// inside returns a JSON string without its quotes. Pieces that were split within a pair
// of escapes can be joined in this form.
func inside(quoted json.RawMessage) []byte { return quoted[1 : len(quoted)-1] }

// begins reports whether p is the start of another call, though it looks like a
// piece of c: some services number all calls alike, or do not number them at all.
// No call begins without a name. With a number and without an id, the name may
// come in pieces.
func (p *piece) begins(c *call) bool {
	switch {
	case p.name == "":
		return false
	case p.id != "" && c.id != "":
		return p.id != c.id || len(p.quoted) > 0 && c.complete()
	case p.name == c.name: // the name is repeated with each piece, or the tool is called again
		return c.complete() || p.index == nil && len(c.quoted) == 0
	}
	return p.index == nil || len(c.quoted) > 0
}

// echoes reports whether p, which begins a call, may be no more than the name of c,
// repeated after the arguments of c were complete.
func (p *piece) echoes(c *call) bool { return p.id == "" && p.name == c.name && c.complete() }

// add takes the next piece. A call that was released was complete.
func (c *call) add(p piece) error {
	if c.id == "" {
		c.id = p.id
	}
	if len(c.quoted) == 0 && p.name != c.name {
		c.name += p.name
	}
	for _, m := range p.extra {
		c.extra.add(m.Name, m.Value)
	}
	written := decode(p.quoted)
	if c.released {
		if len(bytes.TrimSpace(written)) > 0 {
			return malformedCall(fmt.Errorf("the arguments of %q go on after their end", c.name))
		}
		return nil
	}
	c.quoted = append(c.quoted, p.quoted...)
	c.shown.Write(written)
	c.progress.add(written)
	return nil
}

// complete reports whether the arguments are a whole object.
func (c *call) complete() bool { return c.progress.whole(c.input) }

// isEcho reports whether c is no call but an echo: no arguments followed the name.
func (c *call) isEcho() bool {
	return c.echo && c.id == "" && len(bytes.TrimSpace(c.input())) == 0
}

// input returns the arguments as the model wrote them.
func (c *call) input() []byte { return decode(c.quoted) }

func decode(quoted []byte) []byte {
	var s string
	_ = json.Unmarshal([]byte(`"`+string(quoted)+`"`), &s) // each piece was a string
	if s == "" {
		return nil
	}
	return []byte(s)
}

// encode returns the call as the history holds it. OpenAI takes any arguments, but most
// services that speak its protocol refuse a request whose arguments are no object.
func (c *call) encode() json.RawMessage {
	var arguments json.RawMessage
	switch input := c.input(); {
	case jsonobject.Is(input):
		arguments = json.RawMessage(`"` + string(c.quoted) + `"`)
	case len(bytes.TrimSpace(input)) == 0:
		arguments = json.RawMessage(`"{}"`)
	default:
		arguments = jsonobject.Quote(fmt.Sprintf("{%q:%s}", invalidJSON, jsonobject.Quote(string(input))))
	}
	function := jsonobject.With("name", jsonobject.Quote(c.name)).With("arguments", arguments)
	o := jsonobject.With("id", jsonobject.Quote(c.id)).With("type", jsonobject.Quote("function")).With("function", function.Encode())
	c.extra.put(&o)
	return o.Encode()
}

// identify gives a call without an id one, because its result must name it. The same
// reply gives the same ids.
func (c *call) identify(reply string, position int) {
	if c.id == "" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%s", reply, position, c.name, c.quoted))
		c.id = "call_" + hex.EncodeToString(sum[:12])
	}
}
