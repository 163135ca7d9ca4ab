package repair

import "strings"

// A draft holds the differences of a dialect from draft 2020-12.
type draft struct {
	id        string // the keyword with the identifier of a schema
	listItems bool   // items may be a list, with additionalItems after it; no prefixItems
	refAlone  bool   // all keywords beside $ref are ignored
	noConst   bool   // const is ignored
}

// draftOf returns the draft that $schema names, 2020-12 if it is "".
func draftOf(dialect string) (draft, bool) {
	name := strings.TrimSuffix(dialect, "#")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "http://"), "https://")
	switch name {
	case "", "json-schema.org/draft/2020-12/schema":
		return draft{id: "$id"}, true
	case "json-schema.org/draft/2019-09/schema":
		return draft{id: "$id", listItems: true}, true
	case "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema":
		return draft{id: "$id", listItems: true, refAlone: true}, true
	case "json-schema.org/draft-04/schema":
		return draft{id: "id", listItems: true, refAlone: true, noConst: true}, true
	default:
		return draft{}, false
	}
}

// embeds reports whether n or a node in it is a schema with its own identifier or dialect.
func (d draft) embeds(n *node) bool {
	if n.text(d.id) != "" || n.text("$schema") != "" {
		return true
	}
	for _, inner := range n.object {
		if d.embeds(inner) {
			return true
		}
	}
	for _, inner := range n.list {
		if d.embeds(inner) {
			return true
		}
	}
	return false
}

// statedTypes returns the types that the keywords of n allow, without regard to the schemas
// that n applies.
func (d draft) statedTypes(n *node) types {
	t := everything
	if name := n.get("type"); name != nil {
		t = namedTypes(name)
	}
	if values := n.elements("enum"); len(values) > 0 {
		var listed types
		for _, value := range values {
			listed |= typeOf(value)
		}
		t &= listed
	}
	if value := n.get("const"); value != nil && !d.noConst {
		t &= typeOf(value)
	}
	return t
}
