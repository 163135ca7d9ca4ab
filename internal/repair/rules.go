package repair

import (
	"slices"
	"strings"
)

// maxSteps bounds the work on a schema. Schemas of real tools need a few hundred steps.
const maxSteps = 200_000

// rules answer questions about a schema. They forbid only values that the schema forbids:
// where they do not understand a schema, they allow more than it does. A nil node allows
// everything.
type rules struct {
	draft
	root          *node
	prefix        int // number of elements of a list that may have their own schema
	types         map[*node]types
	children      map[place]*node
	optionalCache map[place]bool
	steps         int // remaining
}

// A place is a property or element of the values that a schema describes.
type place struct {
	of    *node
	key   string
	index int // of an element, counted from 1; 0 for a property
}

func newRules(root *node, d draft) *rules {
	return &rules{
		draft: d, root: root, prefix: root.longest("prefixItems", "items"), steps: maxSteps,
		types: map[*node]types{}, children: map[place]*node{}, optionalCache: map[place]bool{},
	}
}

// property returns a schema for the value of a property, or nil.
func (r *rules) property(of *node, key string) *node {
	return r.child(place{of: of, key: key})
}

// element returns a schema for the element at index i, or nil.
func (r *rules) element(of *node, i int) *node {
	return r.child(place{of: of, index: 1 + min(i, r.prefix)})
}

// countStep counts a step and reports whether no steps remain. The answers of the rules are
// useless from then on.
func (r *rules) countStep() bool {
	r.steps--
	return r.steps < 0
}

// optional reports whether objects that n describes may lack the property key, which n must
// declare.
func (r *rules) optional(n *node, key string) bool {
	p := place{of: n, key: key}
	isOptional, ok := r.optionalCache[p]
	if !ok {
		s := propertySearch{rules: r, key: key, seen: map[*node]bool{}}
		s.visit(n)
		isOptional = s.declared && !s.required
		r.optionalCache[p] = isOptional
	}
	return isOptional
}

// ownKeywords returns n, or nil if a reference makes its other keywords ignored.
func (r *rules) ownKeywords(n *node) *node {
	if r.refAlone && n.get("$ref") != nil {
		return nil
	}
	return n
}

// conjuncts returns the schemas that n applies to the same value, all of which must fit.
func (r *rules) conjuncts(n *node) []*node {
	var all []*node
	if fragment, ok := strings.CutPrefix(n.text("$ref"), "#"); ok {
		all = appendNew(all, r.root.at(fragment))
	}
	return append(all, r.ownKeywords(n).elements("allOf")...)
}

// alternatives returns the groups of schemas that n applies to the same value, one of each
// of which must fit.
func (r *rules) alternatives(n *node) [][]*node {
	var groups [][]*node
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if group := r.ownKeywords(n).elements(keyword); len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// typesOf returns the types that n may allow.
func (r *rules) typesOf(n *node) types {
	if n == nil {
		return everything
	}
	if n.object == nil {
		if n.value == false {
			return 0
		}
		return everything
	}
	if t, ok := r.types[n]; ok {
		return t
	}
	if r.countStep() {
		return everything
	}
	r.types[n] = everything // for references that lead back here
	t := everything
	if own := r.ownKeywords(n); own != nil {
		t = r.statedTypes(own)
	}
	for _, s := range r.conjuncts(n) {
		t &= r.typesOf(s)
	}
	for _, group := range r.alternatives(n) {
		var either types
		for _, s := range group {
			either |= r.typesOf(s)
		}
		t &= either
	}
	r.types[n] = t
	return t
}

// child returns a schema for the value at p, or nil. It does not regard patterns.
func (r *rules) child(p place) *node {
	if p.of == nil || p.of.object == nil {
		return nil
	}
	if n, ok := r.children[p]; ok || r.countStep() {
		return n
	}
	r.children[p] = nil // for references that lead back here
	var all []*node
	if own := r.ownKeywords(p.of); own != nil {
		all = appendNew(all, r.ownChild(own, p))
	}
	for _, s := range r.conjuncts(p.of) {
		all = appendNew(all, r.child(place{of: s, key: p.key, index: p.index}))
	}
	for _, group := range r.alternatives(p.of) {
		all = appendNew(all, r.alternativeChild(group, p))
	}
	n := combine("allOf", all)
	r.children[p] = n
	return n
}

// alternativeChild returns a schema for the value at p that allows everything that one of
// the schemas in group does.
func (r *rules) alternativeChild(group []*node, p place) *node {
	container := object
	if p.index > 0 {
		container = list
	}
	var fitting []*node
	for _, s := range group {
		if r.typesOf(s)&container == 0 {
			continue // this schema cannot fit
		}
		n := r.child(place{of: s, key: p.key, index: p.index})
		if n == nil {
			return nil
		}
		fitting = appendNew(fitting, n)
	}
	return combine("anyOf", fitting)
}

func appendNew(nodes []*node, n *node) []*node {
	if n == nil || slices.Contains(nodes, n) {
		return nodes
	}
	return append(nodes, n)
}

// ownChild returns the schema that the keywords of n itself have for the value at p.
func (r *rules) ownChild(n *node, p place) *node {
	if p.index > 0 {
		return r.ownElement(n, p.index-1)
	}
	if declared := n.get("properties").get(p.key); declared != nil {
		return declared
	}
	if patterns := n.get("patternProperties"); patterns != nil && len(patterns.object) > 0 {
		return nil // a pattern may match the key
	}
	return n.get("additionalProperties")
}

func (r *rules) ownElement(n *node, i int) *node {
	first, rest := n.elements("prefixItems"), n.get("items")
	if r.listItems {
		first = nil
		if rest != nil && rest.list != nil {
			first, rest = rest.list, n.get("additionalItems")
		}
	}
	if i < len(first) {
		return first[i]
	}
	return rest
}
