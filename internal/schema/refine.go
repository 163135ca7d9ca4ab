package schema

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	definitionsKey = "$defs"
	refPrefix      = "#/$defs/"
)

// refine turns the library's schema of a type into the schema of a tool. Its properties are
// those that encoding/json decodes, definitions replace the references to them and remain
// only for recursive types, and the root is an object.
func refine(document *jsonobject.Tree, names *typeNames) error {
	defs := document.Child(definitionsKey)
	for name, d := range defs.All() {
		if err := fixProperties(d, names.types[name], defs); err != nil {
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

// fixProperties gives the definition of a struct exactly the properties that encoding/json
// decodes, in their order, and the list of required ones. It does not change the definition
// of a type that describes itself by methods.
func fixProperties(definition any, t reflect.Type, definitions *jsonobject.Tree) error {
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
		if err := f.finish(value, definitions); err != nil {
			return fmt.Errorf("%s.%s: %w", cmp.Or(t.Name(), "struct"), f.Name, err)
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

// extendsItself reports whether t has the method with which the library lets a type change
// its schema.
func extendsItself(t reflect.Type) bool {
	_, ok := t.MethodByName("JSONSchemaExtend")
	return ok
}
