package dialect

import "slices"

// maxChain is how many references and allOf may lead on from one to the next.
const maxChain = 32

// flatten returns a schema without $ref and allOf of its own: what they say is merged
// into it. Those of its parts stay. The references that were followed are added to
// followed, if it is not nil.
func (r *reader) flatten(n *node, followed *[]string, chain int) (*node, error) {
	if chain > maxChain {
		return nil, &RefusalError{Reason: "its references lead too far"}
	}
	if err := r.spend(1 + len(n.props) + len(n.enum)); err != nil {
		return nil, err
	}
	flat := *n
	flat.ref, flat.all = "", nil
	parts := n.all
	if n.ref != "" {
		if followed != nil {
			*followed = append(*followed, n.ref)
		}
		target, err := r.target(n.ref)
		if err != nil {
			return nil, err
		}
		parts = append([]*node{target}, parts...)
	}
	for _, part := range parts {
		p, err := r.flatten(part, followed, chain+1)
		if err != nil {
			return nil, err
		}
		flat = *merged(&flat, p)
	}
	simplify(&flat)
	return &flat, nil
}

// merged returns a schema that fits what fits a and b. Parts of both are merged when
// they are asked for.
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

// item returns the schema of the item at i, or nil if n says nothing of it.
func (n *node) item(i int) *node {
	if i < len(n.prefix) {
		return n.prefix[i]
	}
	return n.items
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

func mergedTypes(a, b []string, never bool) ([]string, bool) {
	if a == nil || b == nil {
		return slices.Concat(a, b), never
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
	return types, never || len(types) == 0
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

// undeclared returns what n says of a property that it does not declare, or nil.
func (n *node) undeclared() *node {
	switch {
	case n.patterns:
		return nil // it depends on the name; the words say it
	case n.closed:
		return &node{nothing: true}
	default:
		return n.additional
	}
}

// simplify drops values that do not fit the types, and keeps the narrowest of bounds
// that are said twice.
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

// narrower reports whether a allows less than b, of one keyword.
func narrower(a, b bound) bool {
	switch a.keyword {
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return less(b.value, a.value)
	default:
		return less(a.value, b.value)
	}
}
