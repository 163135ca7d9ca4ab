package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	// maxHidden is how deep references and alternatives may nest about the root of a schema.
	maxHidden = 32
	// maxHiderSteps is how many parts of a schema are looked at. Each reference counts again.
	maxHiderSteps = 10 * maxParts
)

// A hider writes a schema without some properties of the value that it describes. It
// rewrites the schemas that apply to that value, and shares the others.
type hider struct {
	names    []string
	document *jsonobject.Tree
	refAlone bool // in this draft, keywords beside a $ref mean nothing
	steps    int
	dropped  bool // conditions were left out
	lenient  bool // leave out unevaluatedProperties, which depends on the properties that conditions evaluate
}

func newHider(document *jsonobject.Tree, names []string) *hider {
	draft := draftOf(map[string]any{"$schema": document.Text("$schema")})
	old := []*jsonschema.Draft{jsonschema.Draft4, jsonschema.Draft6, jsonschema.Draft7}
	return &hider{names: names, document: document, refAlone: slices.Contains(old, draft)}
}

// root returns the document without the properties.
func (h *hider) root() (*jsonobject.Tree, error) {
	if hasInnerID(h.document.Without("$id")) {
		return nil, errNotFollowed
	}
	root, err := h.object(h.document, maxHidden)
	if err == nil && h.dropped {
		h.lenient = true
		root, err = h.object(h.document, maxHidden)
	}
	if err != nil {
		return nil, err
	}
	h.keepTargets(root)
	h.prune(root)
	return root, nil
}

// isOver counts a step, and reports whether it is one too many.
func (h *hider) isOver(depth int) bool {
	h.steps++
	return depth == 0 || h.steps > maxHiderSteps
}

func (h *hider) hides(name any) bool {
	text, ok := name.(string)
	return ok && slices.Contains(h.names, text)
}

// visible returns the list without the names of the properties.
func (h *hider) visible(list []any) []any { return slices.DeleteFunc(slices.Clone(list), h.hides) }

// schema returns v, which applies to the value, without the properties.
func (h *hider) schema(v any, depth int) (any, error) {
	n, ok := v.(*jsonobject.Tree)
	if !ok {
		return v, nil
	}
	return h.object(n, depth)
}

func (h *hider) schemas(list []any, depth int) ([]any, error) {
	out := make([]any, len(list))
	for i, v := range list {
		var err error
		if out[i], err = h.schema(v, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (h *hider) object(n *jsonobject.Tree, depth int) (*jsonobject.Tree, error) {
	n, err := h.dereferenced(n, depth)
	if err != nil {
		return nil, err
	}
	condition, conditional := n.Get("if")
	conditional = conditional && h.isSimple(condition, depth)
	out := &jsonobject.Tree{}
	for keyword, value := range n.All() {
		switch keyword {
		case "if", "then", "else":
			if !conditional {
				h.dropped = true
				continue // whether the condition holds depends on the properties
			}
		case "unevaluatedProperties":
			if h.lenient {
				continue
			}
		case "not":
			if !h.isSimple(value, depth) {
				continue
			}
		}
		if err := h.keyword(out, keyword, value, depth-1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keyword adds a keyword to out.
func (h *hider) keyword(out *jsonobject.Tree, keyword string, value any, depth int) error {
	tree, _ := value.(*jsonobject.Tree)
	list, _ := value.([]any)
	switch keyword {
	case "properties":
		out.Set(keyword, tree.Without(h.names...))
	case "required":
		require(out, h.visible(list))
	case "minProperties", "maxProperties":
		out.Set(keyword, h.fewer(value))
	case "propertyNames":
		h.propertyNames(out, value)
	case "const", "enum": // list whole inputs
	case "default", "examples":
		out.Set(keyword, h.data(value))
	case "allOf", "anyOf", "oneOf":
		return h.alternatives(out, keyword, list, depth)
	case "not", "if", "then", "else":
		v, err := h.schema(value, depth)
		out.Set(keyword, v)
		return err
	case "dependentRequired", "dependentSchemas", "dependencies":
		return h.dependent(out, keyword, tree, depth)
	case "type", "$defs", "definitions":
		out.Set(keyword, value)
	default:
		if isStrings(list) { // an order of the properties, or the like
			value = h.visible(list)
		}
		out.Set(keyword, value)
	}
	return nil
}

// require adds names to the required properties of out.
func require(out *jsonobject.Tree, names []any) {
	if all, _ := withoutRepeats(slices.Concat(out.List("required"), names)).([]any); len(all) > 0 {
		out.Set("required", all)
	}
}

// apply adds schemas to allOf of out.
func apply(out *jsonobject.Tree, schemas ...any) {
	if len(schemas) > 0 {
		out.Set("allOf", slices.Concat(out.List("allOf"), schemas))
	}
}

// fewer returns a bound of the number of properties, less those that are hidden.
func (h *hider) fewer(bound any) any {
	number, _ := bound.(json.Number)
	n, err := strconv.ParseFloat(string(number), 64) // 2.0 is an integer, too
	if err != nil {
		return bound
	}
	return json.Number(strconv.FormatFloat(max(0, n-float64(len(h.names))), 'f', -1, 64))
}

// propertyNames adds the keyword without the hidden names.
func (h *hider) propertyNames(out *jsonobject.Tree, value any) {
	n, ok := value.(*jsonobject.Tree)
	if ok && n.Has("enum") {
		visible := h.visible(n.List("enum"))
		if len(visible) == 0 {
			return
		}
		n = n.Without()
		n.Set("enum", visible)
		value = n
	}
	out.Set("propertyNames", value)
}

// data returns a whole input, or a list of them, without the properties.
func (h *hider) data(v any) any {
	switch v := v.(type) {
	case *jsonobject.Tree:
		return v.Without(h.names...)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = h.data(item)
		}
		return list
	}
	return v
}

// alternatives adds allOf, anyOf or oneOf. Of several alternatives, one may fit only because
// of the properties, so oneOf becomes anyOf unless they are simple.
func (h *hider) alternatives(out *jsonobject.Tree, keyword string, list []any, depth int) error {
	visible, err := h.schemas(list, depth)
	switch isComplex := func(v any) bool { return !h.isSimple(v, depth) }; {
	case keyword == "allOf":
		apply(out, visible...)
	case keyword == "oneOf" && slices.ContainsFunc(list, isComplex):
		either := &jsonobject.Tree{}
		either.Set("anyOf", visible)
		apply(out, either)
	default:
		out.Set(keyword, visible)
	}
	return err
}

// dependent adds the conditions on properties that are there. Hidden properties are always there.
func (h *hider) dependent(out *jsonobject.Tree, keyword string, conditions *jsonobject.Tree, depth int) error {
	kept := &jsonobject.Tree{}
	for name, value := range conditions.All() {
		var visible any
		var err error
		list, isList := value.([]any)
		if isList {
			visible = h.visible(list)
		} else if visible, err = h.schema(value, depth); err != nil {
			return err
		}
		switch {
		case !h.hides(name):
			kept.Set(name, visible)
		case isList:
			require(out, h.visible(list))
		default:
			apply(out, visible)
		}
	}
	if kept.Len() > 0 {
		out.Set(keyword, kept)
	}
	return nil
}

// isSimple reports whether the rewritten form of v accepts an input if and only if v accepts
// it with the properties added, whatever their values are.
func (h *hider) isSimple(v any, depth int) bool {
	n, ok := v.(*jsonobject.Tree)
	if !ok || h.isOver(depth) {
		return !ok
	}
	for keyword, value := range n.All() {
		tree, _ := value.(*jsonobject.Tree)
		list, _ := value.([]any)
		switch keyword {
		case "properties":
			if slices.ContainsFunc(h.names, tree.Has) {
				return false
			}
		case "allOf", "anyOf", "oneOf":
			if slices.ContainsFunc(list, func(v any) bool { return !h.isSimple(v, depth-1) }) {
				return false
			}
		case "not":
			if !h.isSimple(value, depth-1) {
				return false
			}
		case "type", "required", "title", "description", "$comment", "default", "examples", "deprecated":
		default:
			return false
		}
	}
	return true
}

func isStrings(list []any) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}

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

// keepTargets keeps the schemas that references in root lead to, if they were rewritten. Each
// becomes a definition of its own, since these references describe other values.
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
