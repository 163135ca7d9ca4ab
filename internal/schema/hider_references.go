package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// dereferenced returns n with the definition that its $ref leads to in place of the
// reference, if the definition says something of the properties.
func (h *hider) dereferenced(n *jsonobject.Tree, depth int) (*jsonobject.Tree, error) {
	if h.isOver(depth) || n.Has("$dynamicRef") || n.Has("$recursiveRef") {
		return nil, errNotFollowed
	}
	if !n.Has("$ref") {
		return n, nil
	}
	found, ok := h.document.Find(n.Text("$ref"))
	if !ok {
		return nil, errNotFollowed
	}
	target, ok := found.(*jsonobject.Tree)
	if !ok || !h.concerns(target, depth-1) {
		return n, nil
	}
	target, err := h.dereferenced(target.Without(definitionsKey, "definitions", "$id", "$schema", "$anchor"), depth-1)
	if err != nil {
		return nil, err
	}
	merged, conflict := n.Without("$ref"), false
	for keyword := range n.All() {
		structural := strings.HasPrefix(keyword, "$") || keyword == "definitions"
		if h.refAlone && !structural && !isAnnotation(keyword) {
			merged.Delete(keyword)
		} else if value, _ := target.Get(keyword); value != nil && !isAnnotation(keyword) {
			conflict = true
		}
	}
	if conflict {
		apply(merged, target)
		return merged, nil
	}
	for keyword, value := range target.All() {
		if !merged.Has(keyword) {
			merged.Set(keyword, value)
		}
	}
	return merged, nil
}

// concerns reports whether v, which applies to the value, may say something of the
// properties.
func (h *hider) concerns(v any, depth int) bool {
	n, ok := v.(*jsonobject.Tree)
	if !ok || h.isOver(depth) {
		return ok
	}
	anyConcerns := func(list []any) bool {
		return slices.ContainsFunc(list, func(v any) bool { return h.concerns(v, depth-1) })
	}
	for keyword, value := range n.All() {
		tree, _ := value.(*jsonobject.Tree)
		list, _ := value.([]any)
		var concerned bool
		switch keyword {
		case "properties":
			concerned = slices.ContainsFunc(h.names, tree.Has)
		case "allOf", "anyOf":
			concerned = anyConcerns(list)
		case "then", "else":
			concerned = h.concerns(value, depth-1)
		case "oneOf":
			concerned = anyConcerns(list) || slices.ContainsFunc(list, func(v any) bool { return !h.isSimple(v, depth-1) })
		case "not", "if":
			concerned = h.concerns(value, depth-1) || !h.isSimple(value, depth-1)
		case "$ref":
			target, found := h.document.Find(n.Text("$ref"))
			concerned = !found || h.concerns(target, depth-1)
		case "minProperties", "maxProperties", "propertyNames", "const", "enum", "$dynamicRef", "$recursiveRef",
			"dependentRequired", "dependentSchemas", "dependencies":
			concerned = true
		default:
			concerned = keyword != "type" && slices.ContainsFunc(list, h.hides)
		}
		if concerned {
			return true
		}
	}
	return false
}

// keepTargets keeps what references in root lead to, if it was rewritten: as a definition of
// its own, since these references describe other values.
func (h *hider) keepTargets(root *jsonobject.Tree) {
	key := definitionsKey
	if !root.Has(definitionsKey) && (h.refAlone || root.Has("definitions")) {
		key = "definitions"
	}
	definitions := root.Child(key).Without()
	kept := map[string]string{} // the new reference, by the start of the old
	var redirect func(v any) any
	keep := func(start string) string {
		if at, ok := kept[start]; ok {
			return at
		}
		name := "kept" + strconv.Itoa(len(kept)+1)
		for definitions.Has(name) {
			name += "_"
		}
		kept[start] = "#/" + key + "/" + name
		definitions.Set(name, true) // takes the name
		target, _ := h.document.Find(start)
		if tree, ok := target.(*jsonobject.Tree); ok && start == "#" {
			target = tree.Without(definitionsKey, "definitions", "$id", "$schema", "$anchor")
		}
		definitions.Set(name, redirect(target))
		return kept[start]
	}
	redirect = func(v any) any {
		return eachReference(v, func(ref string) string {
			start := h.rewritten(ref)
			if start == "" {
				return ref
			}
			return keep(start) + strings.TrimPrefix(ref, start)
		})
	}
	redirected, _ := redirect(root.Without(key)).(*jsonobject.Tree)
	for keyword, value := range redirected.All() {
		root.Set(keyword, value)
	}
	for name, value := range definitions.Without().All() {
		definitions.Set(name, redirect(value))
	}
	if definitions.Len() > 0 {
		root.Set(key, definitions)
	}
}

// rewritten returns the start of a reference to a part of the document that was rewritten,
// or "".
func (h *hider) rewritten(ref string) string {
	if ref == "#" {
		return "#"
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return ""
	}
	first, rest, _ := strings.Cut(path, "/")
	name, _, _ := strings.Cut(rest, "/")
	switch first {
	case definitionsKey, "definitions":
		return ""
	case "properties":
		if h.hides(unescape(name)) {
			return "#/properties/" + name
		}
		return ""
	}
	return "#"
}

// prune removes the definitions that nothing refers to, since they may be about the
// properties. It removes none if a reference is not a path in the document.
func (h *hider) prune(root *jsonobject.Tree) {
	used, paths := map[string]bool{}, true
	var visit func(v any)
	visit = func(v any) {
		eachReference(v, func(ref string) string {
			path, ok := strings.CutPrefix(ref, "#/")
			paths = paths && (ok || ref == "#")
			parts := strings.SplitN(path, "/", 3)
			if len(parts) < 2 || parts[0] != definitionsKey && parts[0] != "definitions" {
				return ref
			}
			if at := parts[0] + "/" + unescape(parts[1]); !used[at] {
				used[at] = true
				target, _ := root.Child(parts[0]).Get(unescape(parts[1]))
				visit(target)
			}
			return ref
		})
	}
	visit(root.Without(definitionsKey, "definitions"))
	if !paths {
		return
	}
	for _, key := range []string{definitionsKey, "definitions"} {
		kept := &jsonobject.Tree{}
		for name, value := range root.Child(key).All() {
			if used[key+"/"+name] {
				kept.Set(name, value)
			}
		}
		if root.Delete(key); kept.Len() > 0 {
			root.Set(key, kept)
		}
	}
}

// eachReference returns a copy of a schema in which each reference is replaced.
func eachReference(v any, replace func(ref string) string) any {
	switch v := v.(type) {
	case *jsonobject.Tree:
		out := &jsonobject.Tree{}
		for keyword, value := range v.All() {
			ref, isText := value.(string)
			switch {
			case keyword == "$ref" && isText:
				out.Set(keyword, replace(ref))
			case keyword == "enum", keyword == "const", keyword == "default", keyword == "examples":
				out.Set(keyword, value)
			case namesSchemas(keyword):
				named := &jsonobject.Tree{}
				tree, _ := value.(*jsonobject.Tree)
				for name, schema := range tree.All() {
					named.Set(name, eachReference(schema, replace))
				}
				out.Set(keyword, named)
			default:
				out.Set(keyword, eachReference(value, replace))
			}
		}
		return out
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = eachReference(item, replace)
		}
		return list
	}
	return v
}

// namesSchemas reports whether the value of a keyword is an object of named schemas.
func namesSchemas(keyword string) bool {
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas", "dependencies", definitionsKey, "definitions":
		return true
	}
	return false
}

// hasInnerID reports whether a part of v has an identifier of its own, from which its
// references start.
func hasInnerID(v any) bool {
	switch v := v.(type) {
	case *jsonobject.Tree:
		for keyword, value := range v.All() {
			_, isText := value.(string)
			if isText && keyword == "$id" || hasInnerID(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasInnerID)
	}
	return false
}
