package schema

import "slices"

// expand returns a copy of v, a schema or a list of them, with no references but
// to recursive types.
func (in *inliner) expand(v any) any {
	switch v := v.(type) {
	case *node:
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

func (in *inliner) expandSchema(n *node) any {
	beside := &node{}
	for _, m := range n.members {
		beside.members = append(beside.members, member{m.key, in.expandKeyword(m)})
	}
	keysToText(beside)
	name, ok := reference(n)
	if !ok || in.recursive[name] || in.definitions[name] == nil {
		return beside
	}
	beside.remove("$ref")
	return merge(in.expand(in.definitions[name]), beside)
}

func (in *inliner) expandKeyword(m member) any {
	switch m.key {
	case "enum", "const", "default", "examples":
		return m.value // data, whatever it looks like
	case "required":
		return once(m.value)
	case "items":
		return open(in.expand(m.value))
	case "properties", "patternProperties", "dependentSchemas", definitionsKey:
		named, ok := m.value.(*node)
		if !ok {
			return m.value
		}
		all := &node{}
		for _, n := range named.members {
			all.members = append(all.members, member{n.key, open(in.expand(n.value))})
		}
		return all
	default:
		return in.expand(m.value)
	}
}

// merge returns the definition with what stands beside the reference to it.
func merge(definition any, beside *node) any {
	if len(beside.members) == 0 {
		return definition
	}
	d, ok := definition.(*node)
	if !ok && definition != false {
		return beside
	}
	if !ok {
		d = &node{members: []member{{"not", &node{}}}}
	}
	for _, m := range beside.members {
		if d.get(m.key) != nil && !isAnnotation(m.key) {
			beside.set("allOf", []any{d})
			return beside
		}
	}
	for _, m := range beside.members {
		d.set(m.key, m.value)
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

// open returns the empty schema for true, its other form, which some model
// providers do not take.
func open(v any) any {
	if v == true {
		return &node{}
	}
	return v
}

// once drops repeated values from a list of required properties.
func once(v any) any {
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

// keysToText rewrites the schema of a map with integer keys, which the library
// makes one of patterns, to the form of other maps.
func keysToText(n *node) {
	patterns := n.child("patternProperties")
	if patterns == nil || len(patterns.members) != 1 || n.get("additionalProperties") != false || n.get("properties") != nil {
		return
	}
	if patterns.members[0].key != "^[0-9]+$" {
		return
	}
	n.remove("patternProperties")
	n.set("propertyNames", &node{members: []member{{"pattern", "^-?[0-9]+$"}}})
	n.set("additionalProperties", patterns.members[0].value)
}
