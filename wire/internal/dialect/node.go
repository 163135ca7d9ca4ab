package dialect

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A node is one schema. The empty node accepts every value. Nodes are shared; they never
// change after they were read.
type node struct {
	nothing     bool // accepts no value
	ref         string
	title       string
	description string

	types      []string // nil for all types
	hasEnum    bool     // accepts only the values of enum
	enum       []any
	props      []property
	required   []string
	closed     bool  // accepts no undeclared properties
	additional *node // schema of undeclared properties, or nil
	patterns   bool  // has patternProperties
	items      *node // or nil
	prefix     []*node

	all          []*node  // schemas that must also fit
	choices      []choice // an alternative of each must fit
	bounds       []bound
	losses       []string // texts on constraints that no dialect can express
	notes        []string // texts on annotations, such as examples
	defaultValue any      // if hasDefault
	hasDefault   bool
}

type property struct {
	name  string
	value *node
}

type choice struct {
	alternatives []*node
	exactlyOne   bool // one alternative must fit, not several
}

// A bound is a keyword that limits values of one type.
type bound struct {
	keyword string
	value   any
}

// text returns the value of a pattern or format.
func (b bound) text() string {
	s, _ := b.value.(string)
	return s
}

// boundTypes maps the bounds that a dialect may have to the type that they limit.
var boundTypes = map[string]string{
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"minProperties": "object", "maxProperties": "object",
}

// lossTypes maps the keywords that no dialect has to the type that they limit, or to "" if they
// limit values of all types.
var lossTypes = map[string]string{
	"contains": "array", "unevaluatedItems": "array", "minContains": "array", "maxContains": "array",
	"propertyNames": "object", "patternProperties": "object", "dependentRequired": "object", "dependentSchemas": "object",
	"dependencies": "object", "unevaluatedProperties": "object",
	"not": "", "if": "", "then": "", "else": "",
}

// typeNames are the types of JSON Schema.
var typeNames = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// typeOf returns the type of a value, "integer" for a number without a fraction.
func typeOf(v any) string {
	switch v := v.(type) {
	case *jsonobject.Tree:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if integral(v) {
			return "integer"
		}
		return "number"
	default:
		return "null"
	}
}

// hasType reports whether the types include t.
func hasType(types []string, t string) bool {
	for _, name := range types {
		if name == t || name == "number" && t == "integer" {
			return true
		}
	}
	return false
}

// acceptsAll reports whether n has no constraint.
func (n *node) acceptsAll() bool {
	return !n.nothing && n.ref == "" && n.types == nil && !n.hasEnum && len(n.props) == 0 && len(n.required) == 0 && !n.closed &&
		n.additional == nil && !n.patterns && n.items == nil && len(n.prefix) == 0 && len(n.all) == 0 && len(n.choices) == 0 &&
		len(n.bounds) == 0 && len(n.losses) == 0
}

// withoutNotes returns n without its title, description, notes and default.
func (n *node) withoutNotes() *node {
	c := *n
	c.title, c.description, c.notes, c.defaultValue, c.hasDefault = "", "", nil, nil, false
	return &c
}

// implied returns the types of n. Without a type, n has the types of its listed values or of
// its keywords. Nil means that n does not restrict the type.
func (n *node) implied() []string {
	switch {
	case n.types != nil:
		return n.types
	case n.hasEnum:
		var all []string
		for _, v := range n.enum {
			if t := typeOf(v); !hasType(all, t) {
				all = append(all, t)
			}
		}
		return all
	case len(n.props) > 0 || len(n.required) > 0 || n.closed || n.additional != nil || n.patterns:
		return []string{"object"}
	case n.items != nil || len(n.prefix) > 0:
		return []string{"array"}
	}
	for _, b := range n.bounds {
		return []string{boundTypes[b.keyword]}
	}
	return nil
}

// item returns the schema of the item at index i, or nil.
func (n *node) item(i int) *node {
	if i < len(n.prefix) {
		return n.prefix[i]
	}
	return n.items
}

// undeclared returns the schema of undeclared properties, or nil if they are not restricted.
func (n *node) undeclared() *node {
	switch {
	case n.patterns:
		return nil // it depends on the name; a text describes it
	case n.closed:
		return &node{nothing: true}
	default:
		return n.additional
	}
}

// onlyRefers reports whether n is a reference without constraints beside it.
func (n *node) onlyRefers() bool {
	if n.ref == "" {
		return false
	}
	rest := n.withoutNotes()
	rest.ref = ""
	return rest.acceptsAll()
}

// propertiesOf returns the properties of n, including the required ones that it does not
// declare.
func propertiesOf(n *node) []property {
	all := slices.Clone(n.props)
	known := make(map[string]bool, len(all))
	for _, p := range all {
		known[p.name] = true
	}
	for _, name := range n.required {
		if known[name] {
			continue
		}
		value := n.undeclared()
		if value == nil {
			value = &node{}
		}
		all = append(all, property{name, value})
	}
	return all
}

// valuesOf returns the values in list that have the type t.
func valuesOf(list []any, t string) []any {
	kept := []any{}
	for _, v := range list {
		if hasType([]string{t}, typeOf(v)) {
			kept = append(kept, v)
		}
	}
	return kept
}

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
