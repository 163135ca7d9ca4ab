package rank

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const (
	maxParameters = 500 // of one schema
	maxDepth      = 16  // of schemas within schemas
	maxValues     = 30  // of one parameter
)

// A node holds the keywords of a schema that are read. The decoder leaves out a keyword
// whose value has the wrong type.
type node struct {
	Description          string
	Enum, Examples       []any
	Const, Default       any
	Properties           map[string]node
	Items                *node
	AdditionalProperties *node
	PrefixItems          []node
	AnyOf, OneOf, AllOf  []node
	Defs                 map[string]node `json:"$defs"`
	Definitions          map[string]node
}

// Parameters returns the properties of a JSON Schema at any depth, each before the
// properties within it, and otherwise by name. It appends to a description the strings
// that the schema has as values or examples of the property, one on each line. It returns
// nil for bytes that are not a schema, and leaves out some properties of a very large or
// deep schema.
func Parameters(schema []byte) []Parameter {
	var root node
	if !json.Valid(schema) {
		return nil
	}
	// An error means that a value has the wrong type; all others have been decoded.
	_ = json.Unmarshal(schema, &root)
	var r parameterReader
	r.readBelow(&root, 0)
	return r.found
}

// A parameterReader collects the parameters of a schema.
type parameterReader struct{ found []Parameter }

// readBelow reads the properties of n and of the schemas inside it.
func (r *parameterReader) readBelow(n *node, depth int) {
	if n == nil || depth > maxDepth || len(r.found) >= maxParameters {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		if len(r.found) >= maxParameters {
			return
		}
		property := n.Properties[name]
		r.found = append(r.found, Parameter{Name: name, Description: property.text()})
		r.readBelow(&property, depth+1)
	}
	r.readBelow(n.Items, depth+1)
	r.readBelow(n.AdditionalProperties, depth+1)
	for _, list := range [...][]node{n.PrefixItems, n.AnyOf, n.OneOf, n.AllOf} {
		for i := range list {
			r.readBelow(&list[i], depth+1)
		}
	}
	for _, definitions := range [...]map[string]node{n.Defs, n.Definitions} {
		for _, name := range slices.Sorted(maps.Keys(definitions)) {
			definition := definitions[name]
			r.readBelow(&definition, depth+1)
		}
	}
}

// text returns the description and the values that are strings.
func (n *node) text() string {
	values := slices.Concat(n.Enum, []any{n.Const, n.Default}, n.Examples)
	if n.Items != nil {
		values = append(values, n.Items.Enum...)
	}
	lines := []string{n.Description}
	for _, value := range values {
		if text, ok := value.(string); ok && text != "" && len(lines) <= maxValues {
			lines = append(lines, text)
		}
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}

// A Document is one entry of an index, such as a tool.
type Document struct {
	Name        string // words in snake_case, camelCase or with dots
	Hint        string // read as a part of the description
	Description string
	Parameters  []Parameter // of the input schema, at any depth
}

// A Parameter is one property of an input schema. The description may contain the values
// that the schema allows.
type Parameter struct{ Name, Description string }
