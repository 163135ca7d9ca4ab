package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// An inliner replaces references with the definitions that they lead to.
type inliner struct {
	definitions map[string]any
	order       []string
	recursive   map[string]bool
}

func newInliner(defs *jsonobject.Tree) *inliner {
	in := &inliner{definitions: map[string]any{}, recursive: map[string]bool{}}
	for name, d := range defs.All() {
		in.definitions[name] = d
		in.order = append(in.order, name)
	}
	for _, name := range in.order {
		in.recursive[name] = slices.Contains(in.reached(in.definitions[name]), name)
	}
	return in
}

// reached returns the names of all definitions that v refers to, directly or indirectly.
func (in *inliner) reached(v any) []string {
	names := references(v)
	for i := 0; i < len(names); i++ {
		for _, next := range references(in.definitions[names[i]]) {
			if !slices.Contains(names, next) {
				names = append(names, next)
			}
		}
	}
	return names
}

// references returns the names of the definitions that v refers to directly.
func references(v any) []string {
	var names []string
	switch v := v.(type) {
	case *jsonobject.Tree:
		if name, ok := reference(v); ok {
			names = append(names, name)
		}
		for _, value := range v.All() {
			names = append(names, references(value)...)
		}
	case []any:
		for _, item := range v {
			names = append(names, references(item)...)
		}
	}
	return names
}

func reference(n *jsonobject.Tree) (string, bool) {
	return strings.CutPrefix(n.Text("$ref"), refPrefix)
}

// root expands the document, even if it is itself a reference to a recursive type.
func (in *inliner) root(document *jsonobject.Tree) (*jsonobject.Tree, error) {
	if name, ok := reference(document); ok {
		if d, ok := in.definitions[name].(*jsonobject.Tree); ok {
			document = d
		}
	}
	root, ok := in.expand(document).(*jsonobject.Tree)
	if !ok {
		return nil, fmt.Errorf("%w", errNoObject)
	}
	return root, nil
}

func (in *inliner) recursiveDefinitions(root *jsonobject.Tree) *jsonobject.Tree {
	used := in.reached(root)
	kept := &jsonobject.Tree{}
	for _, name := range in.order {
		if in.recursive[name] && slices.Contains(used, name) {
			kept.Set(name, in.expand(in.definitions[name]))
		}
	}
	if kept.Len() == 0 {
		return nil
	}
	return kept
}

// expand returns a copy of v, a schema or a list of schemas, that has references only to
// recursive types.
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
		return value // data, not a schema
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

// merge returns a definition with the keywords that stand beside the reference to it.
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

// isAnnotation reports whether a keyword only describes values.
func isAnnotation(key string) bool {
	switch key {
	case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment":
		return true
	}
	return false
}

// emptyForTrue returns the empty schema for true. The two mean the same, and some model
// providers do not accept true.
func emptyForTrue(v any) any {
	if v == true {
		return &jsonobject.Tree{}
	}
	return v
}

// withoutRepeats returns a list of required properties without repeated names.
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

// rewriteIntegerKeys gives the schema of a map with integer keys the form of other maps. The
// library writes it with patternProperties.
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
