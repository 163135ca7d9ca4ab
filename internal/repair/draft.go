package repair

import "strings"

// A draft says in which ways a dialect differs from draft 2020-12.
type draft struct {
	id        string // the keyword that names a schema
	listItems bool   // items may be a list, with additionalItems after it; no prefixItems
	refAlone  bool   // next to $ref all other keywords are ignored
	noConst   bool   // const means nothing
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

// embeds reports whether a schema with a name or dialect of its own is in n.
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
