package dialect

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A node is one schema, taken apart. The empty node takes every value. Nodes are
// shared and never change once read.
type node struct {
	nothing     bool // no value fits
	ref         string
	title       string
	description string

	types      []string // nil for all
	hasEnum    bool     // only the values of enum fit
	enum       []any
	props      []property
	required   []string
	closed     bool  // no further properties
	additional *node // of further properties, nil if nothing is said of them
	patterns   bool  // properties are told by patterns of their names
	items      *node // nil if nothing is said
	prefix     []*node

	all          []*node  // that must fit, too
	choices      []choice // of which one must fit, each
	bounds       []bound
	losses       []string // what no dialect can express, in words: lost
	notes        []string // what binds nobody, in words: default and examples
	defaultValue any      // the default, if hasPreset
	hasDefault   bool
}

type property struct {
	name  string
	value *node
}

type choice struct {
	alternatives []*node
	exactlyOne   bool // one
}

// A bound is a keyword that limits values of one type.
type bound struct {
	keyword string
	value   any
}

// text returns a pattern or format.
func (b bound) text() string {
	s, _ := b.value.(string)
	return s
}

// boundTypes are the bounds that can be kept, and the types they limit.
var boundTypes = map[string]string{
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"minProperties": "object", "maxProperties": "object",
}

// lossTypes are the keywords that can only be put in words, and the types they
// limit. Those without one limit all values.
var lossTypes = map[string]string{
	"contains": "array", "unevaluatedItems": "array", "minContains": "array", "maxContains": "array",
	"propertyNames": "object", "patternProperties": "object", "dependentRequired": "object", "dependentSchemas": "object",
	"dependencies": "object", "unevaluatedProperties": "object",
	"not": "", "if": "", "then": "", "else": "",
}

// typeNames are the types a schema may name, in the order in which a node without
// any is told by its keywords.
var typeNames = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// typeOf returns the type of a value: integer for a number without fraction.
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

// hasType reports whether one of the types has values of type t.
func hasType(types []string, t string) bool {
	for _, name := range types {
		if name == t || name == "number" && t == "integer" {
			return true
		}
	}
	return false
}

// acceptsAll reports whether n says nothing that binds.
func (n *node) acceptsAll() bool {
	return !n.nothing && n.ref == "" && n.types == nil && !n.hasEnum && len(n.props) == 0 && len(n.required) == 0 && !n.closed &&
		n.additional == nil && !n.patterns && n.items == nil && len(n.prefix) == 0 && len(n.all) == 0 && len(n.choices) == 0 &&
		len(n.bounds) == 0 && len(n.losses) == 0
}

// withoutNotes returns n without what describes it.
func (n *node) withoutNotes() *node {
	c := *n
	c.title, c.description, c.notes, c.defaultValue, c.hasDefault = "", "", nil, nil, false
	return &c
}

// implied returns the types that n has values of. One that is named by no type is
// told by its values or its keywords. Nil means that n says nothing of types.
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
