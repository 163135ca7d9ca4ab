package repair

import (
	"slices"
	"strings"
)

// maxSteps bounds the work on a schema. Those of real tools take a few hundred.
const maxSteps = 200_000

// rules answer what a schema says about the values of an input. Where they do
// not understand it they say less than it does, never more: what they forbid
// the schema forbids. A nil node says nothing.
type rules struct {
	draft
	root          *node
	prefix        int // how many elements of a list can have a schema of their own
	types         map[*node]types
	children      map[place]*node
	optionalCache map[place]bool
	steps         int // left
}

// A place is a property or an element of the values that a schema describes.
type place struct {
	of    *node
	key   string
	index int // of an element, from 1; 0 for a property
}

func newRules(root *node, d draft) *rules {
	return &rules{
		draft: d, root: root, prefix: root.longest("prefixItems", "items"), steps: maxSteps,
		types: map[*node]types{}, children: map[place]*node{}, optionalCache: map[place]bool{},
	}
}

// property returns a schema for the value of a property.
func (r *rules) property(of *node, key string) *node {
	return r.child(place{of: of, key: key})
}

// element returns a schema for the element at index i.
func (r *rules) element(of *node, i int) *node {
	return r.child(place{of: of, index: 1 + min(i, r.prefix)})
}

// countStep counts a step and reports whether there are none left. What the rules
// say from then on is of no use.
func (r *rules) countStep() bool {
	r.steps--
	return r.steps < 0
}

// ownKeywords returns n, or nil if its keywords count for nothing beside a reference.
func (r *rules) ownKeywords(n *node) *node {
	if r.refAlone && n.get("$ref") != nil {
		return nil
	}
	return n
}

// conjuncts returns the schemas that n applies to the same value, all of them.
func (r *rules) conjuncts(n *node) []*node {
	var all []*node
	if fragment, ok := strings.CutPrefix(n.text("$ref"), "#"); ok {
		all = appendNew(all, r.root.at(fragment))
	}
	return append(all, r.ownKeywords(n).elements("allOf")...)
}

// alternatives returns the groups of schemas of which one applies to the same value.
func (r *rules) alternatives(n *node) [][]*node {
	var groups [][]*node
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if group := r.ownKeywords(n).elements(keyword); len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// typesOf returns the types that n may accept.
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
	r.types[n] = everything // for a reference that leads back here
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

// child returns a schema for the value at p. It says nothing of patterns.
func (r *rules) child(p place) *node {
	if p.of == nil || p.of.object == nil {
		return nil
	}
	if n, ok := r.children[p]; ok || r.countStep() {
		return n
	}
	r.children[p] = nil // for a reference that leads back here
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

// alternativeChild returns a schema for the value at p under one of the schemas in group.
func (r *rules) alternativeChild(group []*node, p place) *node {
	container := object
	if p.index > 0 {
		container = list
	}
	var fitting []*node
	for _, s := range group {
		if r.typesOf(s)&container == 0 {
			continue // cannot be the one
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

// ownChild returns what the keywords of n itself say of the value at p.
func (r *rules) ownChild(n *node, p place) *node {
	if p.index > 0 {
		return r.ownElement(n, p.index-1)
	}
	if declared := n.get("properties").get(p.key); declared != nil {
		return declared
	}
	if patterns := n.get("patternProperties"); patterns != nil && len(patterns.object) > 0 {
		return nil // it may be theirs
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
