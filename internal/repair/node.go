package repair

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// maxSchema is the maximum number of bytes of a schema that is read. The same limit holds
// for schemas of tools.
const maxSchema = 1 << 20

// A node is one value of a schema: an object, a list or a scalar. Its address is its
// identity.
type node struct {
	object map[string]*node
	list   []*node
	value  any
}

// readSchema returns the root of a schema and its draft. It refuses schemas that it would
// misread: those of unknown dialects, and those with embedded schema resources, which have
// their own rules and references.
func readSchema(raw json.RawMessage) (root *node, d draft, ok bool) {
	v, err := strictjson.Decode(raw, strictjson.Limits{Bytes: maxSchema})
	if err != nil {
		return nil, d, false
	}
	root = nodeOf(v)
	if d, ok = draftOf(root.text("$schema")); !ok {
		return nil, d, false
	}
	for _, n := range root.object {
		if d.embeds(n) {
			return nil, d, false
		}
	}
	return root, d, true
}

func nodeOf(v any) *node {
	n := &node{}
	switch v := v.(type) {
	case map[string]any:
		n.object = make(map[string]*node, len(v))
		for key, value := range v {
			n.object[key] = nodeOf(value)
		}
	case []any:
		n.list = make([]*node, len(v))
		for i, item := range v {
			n.list[i] = nodeOf(item)
		}
	default:
		n.value = v
	}
	return n
}

// combine returns a schema that applies several schemas under a keyword, or the only one.
func combine(keyword string, schemas []*node) *node {
	switch len(schemas) {
	case 0:
		return nil
	case 1:
		return schemas[0]
	default:
		return &node{object: map[string]*node{keyword: {list: schemas}}}
	}
}

// get returns the value of a keyword, or nil if it is missing or n is not an object.
func (n *node) get(keyword string) *node {
	if n == nil {
		return nil
	}
	return n.object[keyword]
}

// elements returns the elements of the list under a keyword.
func (n *node) elements(keyword string) []*node {
	if list := n.get(keyword); list != nil {
		return list.list
	}
	return nil
}

// text returns the string under a keyword, or "".
func (n *node) text(keyword string) string {
	if value := n.get(keyword); value != nil {
		s, _ := value.value.(string)
		return s
	}
	return ""
}

// at returns the node that a JSON pointer in a URI fragment leads to, or nil.
func (n *node) at(fragment string) *node {
	if fragment == "" {
		return n
	}
	pointer, err := url.PathUnescape(fragment)
	tokens, ok := strings.CutPrefix(pointer, "/")
	if err != nil || !ok {
		return nil
	}
	for token := range strings.SplitSeq(tokens, "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if n = n.child(token); n == nil {
			return nil
		}
	}
	return n
}

func (n *node) child(token string) *node {
	if n.object != nil {
		return n.object[token]
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(n.list) {
		return nil
	}
	return n.list[i]
}

// longest returns the length of the longest list under one of the keywords.
func (n *node) longest(keywords ...string) int {
	length := 0
	for _, keyword := range keywords {
		length = max(length, len(n.elements(keyword)))
	}
	for _, inner := range n.object {
		length = max(length, inner.longest(keywords...))
	}
	for _, inner := range n.list {
		length = max(length, inner.longest(keywords...))
	}
	return length
}
