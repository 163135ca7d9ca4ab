package schema

import (
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// expand returns a copy of v, a schema or a list of them, with no references but
// to recursive types.
func (in *inliner) expand(v any) any {
	switch v := v.(type) {
	case *jsonobject.Tree:
		return in.expandSchema(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = in.expand(item)
		}
		return list
	default:
		return v
	}
}

func (in *inliner) expandSchema(n *jsonobject.Tree) any {
	beside := &jsonobject.Tree{}
	for keyword, value := range n.All() {
		beside.Set(keyword, in.expandKeyword(keyword, value))
	}
	rewriteIntegerKeys(beside)
	name, ok := reference(n)
	if !ok || in.recursive[name] || in.definitions[name] == nil {
		return beside
	}
	beside.Delete("$ref")
	return merge(in.expand(in.definitions[name]), beside)
}

func (in *inliner) expandKeyword(keyword string, value any) any {
	switch keyword {
	case "enum", "const", "default", "examples":
		return value // data, whatever it looks like
	case "required":
		return withoutRepeats(value)
	case "items":
		return emptyForTrue(in.expand(value))
	case "properties", "patternProperties", "dependentSchemas", definitionsKey:
		named, ok := value.(*jsonobject.Tree)
		if !ok {
			return value
		}
		all := &jsonobject.Tree{}
		for name, v := range named.All() {
			all.Set(name, emptyForTrue(in.expand(v)))
		}
		return all
	default:
		return in.expand(value)
	}
}

// merge returns the definition with what stands beside the reference to it.
func merge(definition any, beside *jsonobject.Tree) any {
	if beside.Len() == 0 {
		return definition
	}
	d, ok := definition.(*jsonobject.Tree)
	if !ok && definition != false {
		return beside
	}
	if !ok {
		d = &jsonobject.Tree{}
		d.Set("not", &jsonobject.Tree{})
	}
	for keyword := range beside.All() {
		if value, _ := d.Get(keyword); value != nil && !isAnnotation(keyword) {
			beside.Set("allOf", []any{d})
			return beside
		}
	}
	for keyword, value := range beside.All() {
		d.Set(keyword, value)
	}
	return d
}

// isAnnotation reports whether a keyword describes and never refuses anything.
func isAnnotation(key string) bool {
	switch key {
	case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment":
		return true
	}
	return false
}

// emptyForTrue returns the empty schema for true, its other form, which some model
// providers do not take.
func emptyForTrue(v any) any {
	if v == true {
		return &jsonobject.Tree{}
	}
	return v
}

// withoutRepeats drops repeated values from a list of required properties.
func withoutRepeats(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	var names []any
	for _, name := range list {
		if text, ok := name.(string); ok && !slices.Contains(names, any(text)) {
			names = append(names, text)
		}
	}
	return names
}

// rewriteIntegerKeys rewrites the schema of a map with integer keys, which the library
// makes one of patterns, to the form of other maps.
func rewriteIntegerKeys(n *jsonobject.Tree) {
	further, _ := n.Get("additionalProperties")
	patterns := n.Child("patternProperties")
	values, ok := patterns.Get("^[0-9]+$")
	if !ok || patterns.Len() != 1 || further != false || n.Has("properties") {
		return
	}
	n.Delete("patternProperties")
	names := &jsonobject.Tree{}
	names.Set("pattern", "^-?[0-9]+$")
	n.Set("propertyNames", names)
	n.Set("additionalProperties", values)
}
