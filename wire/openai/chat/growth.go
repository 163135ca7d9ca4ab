package chat

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// grown holds the members of an object that arrives in pieces.
type grown struct {
	members []*growth
	byName  map[string]*growth
}

// A growth is one member: joined strings, the elements of joined arrays, or else the
// last value.
type growth struct {
	name  string
	text  []byte
	list  []json.RawMessage
	value json.RawMessage
}

// add takes the next piece of a member.
func (g *grown) add(name string, piece json.RawMessage) {
	if string(piece) == "null" {
		return
	}
	m := g.member(name)
	var text string
	var list []json.RawMessage
	switch {
	case piece[0] == '"' && json.Unmarshal(piece, &text) == nil:
		m.text = append(m.text, text...)
	case piece[0] == '[' && json.Unmarshal(piece, &list) == nil:
		m.list = append(m.list, list...)
	default:
		m.value = piece
	}
}

func (g *grown) member(name string) *growth {
	m := g.byName[name]
	if m == nil {
		if g.byName == nil {
			g.byName = map[string]*growth{}
		}
		m = &growth{name: name}
		g.members, g.byName[name] = append(g.members, m), m
	}
	return m
}

// put adds the members to o, which has none of them.
func (g grown) put(o *jsonobject.Object) {
	for _, m := range g.members {
		*o = append(*o, jsonobject.Member{Name: m.name, Value: m.encode()})
	}
}

func (m *growth) encode() json.RawMessage {
	switch {
	case m.value != nil:
		return m.value
	case m.list != nil:
		return jsonobject.List(m.list)
	}
	return jsonobject.Quote(string(m.text))
}
