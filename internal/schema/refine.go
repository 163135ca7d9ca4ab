package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	definitionsKey = "$defs"
	refPrefix      = "#/$defs/"
)

// refine turns what the library made of a type into the schema of a tool: the
// properties as encoding/json sees them, definitions put in where they are used
// and kept only for recursive types, the root an object.
func refine(document *jsonobject.Tree, names *typeNames) error {
	defs := document.Child(definitionsKey)
	for name, d := range defs.All() {
		if err := fixProperties(d, names.types[name]); err != nil {
			return err
		}
	}
	in := newInliner(defs)
	root, err := in.root(document.Without(definitionsKey, "$schema", "$id"))
	if err != nil {
		return err
	}
	switch kind, _ := root.Get("type"); kind {
	case "object":
	case nil:
		root = typedObject(root)
	default:
		return fmt.Errorf("%w, this one gives itself the type %v", errNoObject, kind)
	}
	if kept := in.recursiveDefinitions(root); kept != nil {
		root.Set(definitionsKey, kept)
	}
	*document = *root
	return nil
}

// typedObject returns a schema with the type object as its first member.
func typedObject(s *jsonobject.Tree) *jsonobject.Tree {
	typed := &jsonobject.Tree{}
	typed.Set("type", "object")
	for keyword, value := range s.Without("type").All() {
		typed.Set(keyword, value)
	}
	return typed
}

// fixProperties gives the definition of a struct exactly the properties that
// encoding/json knows, in order, and says which are required. A type that has
// methods to describe itself is taken at its word.
func fixProperties(definition any, t reflect.Type) error {
	d, ok := definition.(*jsonobject.Tree)
	if !ok || t == nil || t.Kind() != reflect.Struct || decoderOf(t) != decodesPlain || extendsItself(t) {
		return nil
	}
	old := d.Child("properties")
	if old == nil {
		return nil
	}
	properties := &jsonobject.Tree{}
	required := []any{}
	for _, f := range fieldsOf(t) {
		value, _ := old.Get(f.name)
		if value == nil {
			return fmt.Errorf("%s.%s: the field has no schema", t, f.Name)
		}
		properties.Set(f.name, value)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	d.Set("properties", properties)
	d.Delete("required")
	if len(required) > 0 {
		d.Set("required", required)
	}
	return nil
}

// extendsItself reports whether t has the library's method that changes a
// schema after reflection.
func extendsItself(t reflect.Type) bool {
	_, ok := t.MethodByName("JSONSchemaExtend")
	return ok
}

// An inliner puts definitions in the place of references to them.
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

// reached returns the names of all definitions that v leads to.
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

// references returns the names of the definitions that v refers to.
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

// root expands the document, also where it is a recursive type itself.
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
