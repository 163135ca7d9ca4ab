package dialect

import (
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// merged returns a schema that accepts the values that a and b both accept. It does not merge
// their parts yet: it combines them under all.
func merged(a, b *node) *node {
	n := *a
	n.nothing = a.nothing || b.nothing
	if n.title == "" {
		n.title = b.title
	}
	if n.description == "" {
		n.description = b.description
	}
	if !n.hasDefault {
		n.defaultValue, n.hasDefault = b.defaultValue, b.hasDefault
	}
	n.notes = slices.Concat(a.notes, b.notes)
	n.types, n.nothing = mergedTypes(a.types, b.types, n.nothing)
	if b.hasEnum {
		n.enum, n.hasEnum = intersect(a, b.enum), true
	}
	n.props = mergedProperties(a, b)
	n.required = slices.Clone(a.required)
	for _, name := range b.required {
		if !slices.Contains(n.required, name) {
			n.required = append(n.required, name)
		}
	}
	n.closed, n.patterns = a.closed || b.closed, a.patterns || b.patterns
	n.additional = mergedNodes(a.additional, b.additional)
	for i := range max(len(a.prefix), len(b.prefix)) {
		if i == 0 {
			n.prefix = nil
		}
		n.prefix = append(n.prefix, mergedNodes(a.item(i), b.item(i)))
	}
	n.items = mergedNodes(a.items, b.items)
	n.choices = slices.Concat(a.choices, b.choices)
	n.bounds = slices.Concat(a.bounds, b.bounds)
	n.losses = slices.Concat(a.losses, b.losses)
	return &n
}

func mergedNodes(a, b *node) *node {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	default:
		return &node{all: []*node{a, b}}
	}
}

func mergedTypes(a, b []string, nothing bool) ([]string, bool) {
	if a == nil || b == nil {
		return slices.Concat(a, b), nothing
	}
	var types []string
	for _, t := range a {
		if t == "number" && !slices.Contains(b, t) {
			t = "integer"
		}
		if hasType(b, t) && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types, nothing || len(types) == 0
}

func mergedProperties(a, b *node) []property {
	if len(a.props) == 0 && len(b.props) == 0 {
		return nil
	}
	of := func(n *node) map[string]*node {
		m := make(map[string]*node, len(n.props))
		for _, p := range n.props {
			m[p.name] = p.value
		}
		return m
	}
	inA, inB := of(a), of(b)
	var all []property
	for _, p := range a.props {
		other := inB[p.name]
		if other == nil {
			other = b.undeclared()
		}
		all = append(all, property{p.name, mergedNodes(p.value, other)})
	}
	for _, p := range b.props {
		if inA[p.name] == nil {
			all = append(all, property{p.name, mergedNodes(p.value, a.undeclared())})
		}
	}
	return all
}

// simplify drops listed values that do not fit the types, and keeps the narrowest of repeated
// bounds.
func simplify(n *node) {
	if n.hasEnum {
		if n.types != nil {
			kept := []any{}
			for _, v := range n.enum {
				if hasType(n.types, typeOf(v)) {
					kept = append(kept, v)
				}
			}
			n.enum = kept
		}
		n.nothing = n.nothing || len(n.enum) == 0
	}
	at := map[string]int{}
	var kept []bound
	for _, b := range n.bounds {
		i, known := at[b.keyword]
		switch {
		case !known:
			at[b.keyword] = len(kept)
			kept = append(kept, b)
		case b.value == kept[i].value:
		case b.keyword == "pattern" || b.keyword == "format" || b.keyword == "multipleOf":
			n.losses = append(slices.Clip(n.losses), keywordText(b.keyword, b.value))
		case narrower(b, kept[i]):
			kept[i] = b
		}
	}
	n.bounds = kept
}

// narrower reports whether a allows less than b. Both have the same keyword.
func narrower(a, b bound) bool {
	switch a.keyword {
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return less(b.value, a.value)
	default:
		return less(a.value, b.value)
	}
}

// intersect returns the values of list that n allows. If n lists no values, it allows all.
func intersect(n *node, list []any) []any {
	if !n.hasEnum {
		return list
	}
	return common(n.enum, list)
}

// common returns the values of a that b has too.
func common(a, b []any) []any {
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[string(jsonobject.Encode(v))] = true
	}
	kept := []any{}
	for _, v := range a {
		if in[string(jsonobject.Encode(v))] {
			kept = append(kept, v)
		}
	}
	return kept
}
