package schema

import (
	"encoding/json"
	"slices"
	"strconv"

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
	lenient  bool // leave out unevaluatedProperties, which counts on what conditions evaluate
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

// dependent adds what depends on other properties being there. The hidden ones always are.
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
