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
