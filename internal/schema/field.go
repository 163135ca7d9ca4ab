package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A field is a property of a struct, as encoding/json decodes and encodes it.
type field struct {
	reflect.StructField
	name     string   // of the property
	tagged   bool     // the tag sets the name
	options  []string // of the tag json
	optional bool     // an input may leave it out
	embedded bool     // by a pointer, which may be nil
	hidden   bool     // it is encoded, but no part of an input's schema
	shadows  bool     // another field has the same name
	depth    int      // of embedding
	order    []int
}

// fieldsOf returns the properties of a struct that is an input, in the order of its fields.
// Embedded structs are flattened. Of fields with the same name, the least embedded one
// counts; if there are several, the only tagged one of them, or none.
func fieldsOf(t reflect.Type) []field {
	return dominantOf(slices.DeleteFunc(candidateFields(t, field{}), func(f field) bool { return f.hidden }))
}

// encodedFieldsOf is fieldsOf for the properties that encoding/json writes.
func encodedFieldsOf(t reflect.Type) []field { return dominantOf(candidateFields(t, field{})) }

func dominantOf(candidates []field) []field {
	byName := map[string][]field{}
	for _, f := range candidates {
		byName[f.name] = append(byName[f.name], f)
	}
	var all []field
	for _, same := range byName {
		if f, ok := dominant(same); ok {
			f.shadows = len(same) > 1
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b field) int { return slices.Compare(a.order, b.order) })
	return all
}

// candidateFields returns all fields of t, which is embedded as outer, with those that
// others of the same name shadow.
func candidateFields(t reflect.Type, outer field) []field {
	var all []field
	for i := range t.NumField() {
		f := field{StructField: t.Field(i), embedded: outer.embedded, order: append(slices.Clone(outer.order), i), depth: len(outer.order)}
		name, options := jsonName(f.Tag)
		f.options, f.hidden = options, outer.hidden || strings.HasPrefix(f.Tag.Get("jsonschema")+",", "-,")
		pointer := f.Type.Kind() == reflect.Pointer
		inner, flattened := embedded(f.StructField)
		switch {
		case f.Tag.Get("json") == "-":
		case flattened:
			f.embedded = outer.embedded || pointer
			all = append(all, candidateFields(inner, f)...)
		case !f.IsExported() && !isStruct(f.StructField):
		default:
			f.hidden = f.hidden || !f.IsExported()
			f.name, f.tagged = cmp.Or(name, f.Name), name != ""
			forced, hasDefault := hasWord(f.Tag, "required"), defaultOf(f.StructField, f.hasOption("string")) != nil
			f.optional = !forced && (f.embedded || pointer || hasDefault || f.hasOption("omitempty") || f.hasOption("omitzero"))
			all = append(all, f)
		}
	}
	return all
}

// jsonName returns the name and the options in the tag json.
func jsonName(tag reflect.StructTag) (name string, options []string) {
	parts := strings.Split(tag.Get("json"), ",")
	return parts[0], parts[1:]
}

func (f field) hasOption(option string) bool { return slices.Contains(f.options, option) }

// embedded returns the struct type of f if its fields count as fields of the outer struct.
func embedded(f reflect.StructField) (reflect.Type, bool) {
	name, _ := jsonName(f.Tag)
	if !f.Anonymous || name != "" {
		return nil, false
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, t.Kind() == reflect.Struct
}

// isStruct reports whether f is an embedded struct. Encoding/json writes it under the name
// in its tag although it may not be exported.
func isStruct(f reflect.StructField) bool {
	f.Tag = ""
	_, ok := embedded(f)
	return ok
}

// dominant returns the field that counts among fields of the same name, if there is one.
func dominant(same []field) (field, bool) {
	slices.SortStableFunc(same, func(a, b field) int {
		if c := cmp.Compare(a.depth, b.depth); c != 0 {
			return c
		}
		switch {
		case a.tagged == b.tagged:
			return 0
		case a.tagged:
			return -1
		default:
			return 1
		}
	})
	first := same[0]
	unclear := len(same) > 1 && same[1].depth == first.depth && same[1].tagged == first.tagged
	return first, !unclear
}

// override returns a replacement that the library reflects correctly, if the field needs
// one.
func (f field) override() (reflect.StructField, bool) {
	t := f.plainType()
	if t == f.Type && !f.shadows {
		return reflect.StructField{}, false
	}
	tag := fmt.Sprintf("json:%q", f.name)
	for _, key := range []string{"jsonschema", "jsonschema_description", "jsonschema_extras"} {
		if text, ok := f.Tag.Lookup(key); ok {
			tag += fmt.Sprintf(" %s:%q", key, text)
		}
	}
	return reflect.StructField{Name: f.Name, Type: t, Tag: reflect.StructTag(tag)}, true
}

// plainType returns the type to reflect: a string for a quoted number or boolean, and an
// unnamed type for a named slice type, since the library ignores tags for the items of
// those.
func (f field) plainType() reflect.Type {
	t := f.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if decoderOf(t) != decodesPlain {
		return f.Type
	}
	switch k := t.Kind(); {
	case f.quoted() && (reflect.Bool <= k && k <= reflect.Float64):
		return reflect.TypeFor[string]()
	case k == reflect.Slice && t.Name() != "":
		return reflect.SliceOf(t.Elem())
	default:
		return f.Type
	}
}

// finish completes the property that the library made of the field, and refuses a tag that
// has no meaning for it.
func (f field) finish(property any, definitions *jsonobject.Tree) error {
	if err := checkEffects(f.Tag, property); err != nil {
		return err
	}
	tree, ok := property.(*jsonobject.Tree)
	if !ok {
		return nil
	}
	f.describeDuration(tree)
	return setDefault(f, tree, definitions)
}

const durationText = `A duration with its unit, such as "90s", "1m30s" or "500ms"`

// describeDuration adds the form of a duration to the description of a property, which the
// library takes from the tags only.
func (f field) describeDuration(property *jsonobject.Tree) {
	t := f.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != durationType {
		return
	}
	at := valueSchema(f.Tag, property)
	if own := at.Text("description"); own != "" {
		at.Set("description", own+` (a duration such as "90s" or "1m30s")`)
	} else {
		at.Set("description", durationText)
	}
}

// valueSchema returns the schema of the values of a property other than null.
func valueSchema(tag reflect.StructTag, property *jsonobject.Tree) *jsonobject.Tree {
	if alternatives := property.List("oneOf"); hasWord(tag, "nullable") && len(alternatives) > 0 {
		if first, ok := alternatives[0].(*jsonobject.Tree); ok {
			return first
		}
	}
	return property
}

// quoted reports whether the tag has the option string.
func (f field) quoted() bool { return f.hasOption("string") }
