package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A node is a JSON object that keeps the order of its keys. Its values are
// *node, []any, string, json.Number, bool or nil.
type node struct {
	members []member
}

type member struct {
	key   string
	value any
}

func (n *node) get(key string) any {
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// child returns the object at key, or nil.
func (n *node) child(key string) *node {
	c, _ := n.get(key).(*node)
	return c
}

// set replaces the value of key, or appends it.
func (n *node) set(key string, value any) {
	for i := range n.members {
		if n.members[i].key == key {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{key, value})
}

func (n *node) remove(key string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.key == key })
}

func parseObject(raw []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := parseNode(d)
	if err != nil {
		return nil, err
	}
	n, ok := v.(*node)
	if !ok {
		return nil, errors.New("the schema is no object")
	}
	return n, nil
}

func parseNode(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		n := &node{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseNode(d)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, member{fmt.Sprint(key), value})
		}
		_, err := d.Token()
		return n, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			item, err := parseNode(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := d.Token()
		return list, err
	default:
		return token, nil
	}
}

// appendNode appends v as JSON.
func appendNode(dst []byte, v any) []byte {
	switch v := v.(type) {
	case *node:
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(strictjson.AppendQuoted(dst, m.key), ':')
			dst = appendNode(dst, m.value)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendNode(dst, item)
		}
		return append(dst, ']')
	case string:
		return strictjson.AppendQuoted(dst, v)
	case json.Number:
		return append(dst, v...)
	case bool:
		return fmt.Append(dst, v)
	default:
		return append(dst, "null"...)
	}
}
