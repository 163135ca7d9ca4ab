package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

const (
	definitionsKey = "$defs"
	refPrefix      = "#/$defs/"
)

// refine turns what the library made of a type into the schema of a tool: the
// properties as encoding/json sees them, definitions put in where they are used
// and kept only for recursive types, the root an object.
func refine(document *node, names *typeNames) error {
	if defs := document.child(definitionsKey); defs != nil {
		for _, m := range defs.members {
			if err := fixProperties(m.value, names.types[m.key]); err != nil {
				return err
			}
		}
	}
	in := newInliner(document.child(definitionsKey))
	document.remove(definitionsKey)
	document.remove("$schema")
	document.remove("$id")
	root, err := in.root(document)
	if err != nil {
		return err
	}
	switch root.get("type") {
	case "object":
	case nil:
		root.members = slices.Insert(root.members, 0, member{"type", "object"})
	default:
		return fmt.Errorf("%w, this one gives itself the type %v", errNoObject, root.get("type"))
	}
	if kept := in.recursiveDefinitions(root); kept != nil {
		root.set(definitionsKey, kept)
	}
	*document = *root
	return nil
}

// fixProperties gives the definition of a struct exactly the properties that
// encoding/json knows, in order, and says which are required. A type that has
// methods to describe itself is taken at its word.
func fixProperties(definition any, t reflect.Type) error {
	d, ok := definition.(*node)
	if !ok || t == nil || t.Kind() != reflect.Struct || decoderOf(t) != decodesPlain || extendsItself(t) {
		return nil
	}
	old := d.child("properties")
	if old == nil {
		return nil
	}
	properties := &node{}
	required := []any{}
	for _, f := range fieldsOf(t) {
		value := old.get(f.name)
		if value == nil {
			return fmt.Errorf("%s.%s: the field has no schema", t, f.Name)
		}
		properties.set(f.name, value)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	d.set("properties", properties)
	d.remove("required")
	if len(required) > 0 {
		d.set("required", required)
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

func newInliner(defs *node) *inliner {
	in := &inliner{definitions: map[string]any{}, recursive: map[string]bool{}}
	if defs == nil {
		return in
	}
	for _, m := range defs.members {
		in.definitions[m.key] = m.value
		in.order = append(in.order, m.key)
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
	case *node:
		if name, ok := reference(v); ok {
			names = append(names, name)
		}
		for _, m := range v.members {
			names = append(names, references(m.value)...)
		}
	case []any:
		for _, item := range v {
			names = append(names, references(item)...)
		}
	}
	return names
}

func reference(n *node) (string, bool) {
	ref, _ := n.get("$ref").(string)
	return strings.CutPrefix(ref, refPrefix)
}

// root expands the document, also where it is a recursive type itself.
func (in *inliner) root(document *node) (*node, error) {
	if name, ok := reference(document); ok {
		if d, ok := in.definitions[name].(*node); ok {
			document = d
		}
	}
	root, ok := in.expand(document).(*node)
	if !ok {
		return nil, fmt.Errorf("%w", errNoObject)
	}
	return root, nil
}

func (in *inliner) recursiveDefinitions(root *node) *node {
	used := in.reached(root)
	kept := &node{}
	for _, name := range in.order {
		if in.recursive[name] && slices.Contains(used, name) {
			kept.set(name, in.expand(in.definitions[name]))
		}
	}
	if len(kept.members) == 0 {
		return nil
	}
	return kept
}
