package structured

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// maxLooks is how many schemas are looked at to see which values a root allows. References may
// lead around in circles.
const maxLooks = 1000

// checkRoot returns an error if the root of a schema allows no object. It says nothing of a
// schema that cannot be read, of which pegboard.BuildRaw says more.
func checkRoot(schema json.RawMessage) error {
	var doc any
	if !json.Valid(schema) || json.Unmarshal(schema, &doc) != nil {
		return nil //nolint:nilerr // see above
	}
	if _, ok := doc.(map[string]any); !ok {
		return errors.New("the schema is no JSON object")
	}
	if r := (&root{doc: doc}); !r.allowsObject(doc) {
		return errors.New("the root of the schema allows no object; make what it describes a property of one")
	}
	return nil
}

// A root finds out whether a schema allows objects.
type root struct {
	doc   any
	looks int
}

// allowsObject reports whether s may allow an object. It is true for a reference
// that is not followed.
func (r *root) allowsObject(s any) bool {
	node, ok := s.(map[string]any)
	if !ok {
		return s != false
	}
	if r.looks++; r.looks > maxLooks {
		return true
	}
	if !typeAllowsObject(node["type"]) || !valuesAllowObject(node) {
		return false
	}
	if ref, ok := node["$ref"].(string); ok {
		if target, ok := r.at(ref); ok && !r.allowsObject(target) {
			return false
		}
	}
	if all, ok := node["allOf"].([]any); ok && slices.ContainsFunc(all, func(s any) bool { return !r.allowsObject(s) }) {
		return false
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if ways, ok := node[key].([]any); ok && len(ways) > 0 && !slices.ContainsFunc(ways, r.allowsObject) {
			return false
		}
	}
	return true
}

// typeAllowsObject reports whether the types of a schema include objects. A name that is no type
// counts as one that does.
func typeAllowsObject(t any) bool {
	others := []any{"array", "boolean", "integer", "null", "number", "string"}
	if list, ok := t.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return !slices.Contains(others, t) })
	}
	return !slices.Contains(others, t)
}

// valuesAllowObject reports whether const and enum of a schema have an object.
func valuesAllowObject(node map[string]any) bool {
	isObject := func(v any) bool { _, ok := v.(map[string]any); return ok }
	if v, ok := node["const"]; ok && !isObject(v) {
		return false
	}
	values, ok := node["enum"].([]any)
	return !ok || slices.ContainsFunc(values, isObject)
}

// at returns the schema that a reference inside of the document leads to.
func (r *root) at(ref string) (target any, ok bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	target = r.doc
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		node, isObject := target.(map[string]any)
		if pointer == "" || !isObject {
			return target, isObject
		}
		if target, ok = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]; !ok {
			return nil, false
		}
	}
	return target, true
}
