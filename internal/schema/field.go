package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A field is a property of a struct, as encoding/json decodes it.
type field struct {
	reflect.StructField
	name     string // of the property
	tagged   bool   // the tag sets the name
	optional bool
	shadows  bool // another field has the same name
	depth    int  // of embedding
	order    []int
}

// fieldsOf returns the properties of a struct in the order of its fields. Embedded structs
// are flattened. Of fields with the same name, the least embedded one counts; if there are
// several, the only tagged one of them, or none.
func fieldsOf(t reflect.Type) []field {
	byName := map[string][]field{}
	for _, f := range candidateFields(t, nil, false) {
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

// candidateFields returns all fields of t, which is embedded at an index path, with those
// that others hide.
func candidateFields(t reflect.Type, at []int, optional bool) []field {
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		order := append(slices.Clone(at), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" || strings.HasPrefix(f.Tag.Get("jsonschema")+",", "-,") {
			continue
		}
		pointer := f.Type.Kind() == reflect.Pointer
		if inner, ok := embedded(f); ok {
			all = append(all, candidateFields(inner, order, optional || pointer)...)
			continue
		}
		if !f.IsExported() {
			continue
		}
		has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
		forced, hasDefault := hasWord(f.Tag, "required"), defaultOf(f, has("string")) != nil
		all = append(all, field{
			StructField: f,
			name:        cmp.Or(name, f.Name),
			tagged:      name != "",
			optional:    !forced && (optional || pointer || hasDefault || has("omitempty") || has("omitzero")),
			depth:       len(at),
			order:       order,
		})
	}
	return all
}

// embedded returns the struct type of f if its fields count as fields of the outer struct.
func embedded(f reflect.StructField) (reflect.Type, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.Anonymous || name != "" {
		return nil, false
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, t.Kind() == reflect.Struct
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
func (f field) quoted() bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), "string")
}
