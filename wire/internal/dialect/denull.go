package dialect

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	// maxSteps is the maximum number of schemas that Denull examines for one input.
	maxSteps = 200_000
	// maxInputLevels is the maximum depth of an input that strictjson accepts.
	maxInputLevels = 128
)

// Denull returns the input of a call without the nulls that the model wrote only because of
// [OpenAIStrict]: those of properties that the canonical schema declares, does not require,
// and does not allow to be null. Everything else keeps its bytes, except for space in objects
// and lists that change. Denull returns the input itself if it is not JSON, or would take too
// long.
//
// Of alternatives in the schema, Denull regards those that the input may fit, by their types
// and the values of their properties.
func Denull(input, schema json.RawMessage) json.RawMessage {
	if !bytes.Contains(input, []byte("null")) || !json.Valid(input) {
		return input
	}
	doc, err := decode(schema)
	if err != nil {
		return input
	}
	d := denuller{doc: doc, budget: maxSteps}
	out, changed := d.value(input, []any{doc})
	if !changed || d.budget < 0 {
		return input
	}
	return out
}

type denuller struct {
	doc    *jsonobject.Tree
	budget int // steps left
	level  int
}

// value returns raw without its nulls. The schemas apply to it.
func (d *denuller) value(raw json.RawMessage, schemas []any) (out json.RawMessage, changed bool) {
	if d.level++; d.level > maxInputLevels {
		d.budget = -1
	}
	defer func() { d.level-- }()
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if d.budget < 0 || len(schemas) == 0 || !bytes.Contains(raw, []byte("null")) {
		return raw, false
	}
	switch raw[0] {
	case '{':
		return d.object(raw, schemas)
	case '[':
		return d.list(raw, schemas)
	}
	return raw, false
}

func (d *denuller) object(raw json.RawMessage, schemas []any) (json.RawMessage, bool) {
	o, ok := jsonobject.ParseUnique(raw)
	if !ok { // ambiguous; the validation of the input refuses it
		d.budget = -1
		return raw, false
	}
	all := d.expand(schemas, raw, o)
	kept, changed := jsonobject.Object{}, false
	for _, m := range o {
		if string(m.Value) == "null" && d.isArtificial(schemas, m.Name, raw, o) {
			changed = true
			continue
		}
		var below []any
		for _, s := range all {
			if v, ok := s.Child("properties").Get(m.Name); ok {
				below = append(below, v)
			} else if v, ok := s.Get("additionalProperties"); ok {
				below = append(below, v)
			}
		}
		value, inside := d.value(m.Value, below)
		if inside {
			m.Value, changed = value, true
		}
		kept = append(kept, m)
	}
	if !changed {
		return raw, false
	}
	return kept.Encode(), true
}

func (d *denuller) list(raw json.RawMessage, schemas []any) (json.RawMessage, bool) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return raw, false
	}
	all, changed := d.expand(schemas, raw, nil), false
	for i, item := range items {
		var below []any
		for _, s := range all {
			below = append(below, itemSchemas(s, i)...)
		}
		value, inside := d.value(item, below)
		if inside {
			items[i], changed = value, true
		}
	}
	if !changed {
		return raw, false
	}
	return jsonobject.List(items), true
}

// itemSchemas returns the schemas of s for the item at index i.
func itemSchemas(s *jsonobject.Tree, i int) []any {
	for _, keyword := range []string{"prefixItems", "items"} {
		if list := s.List(keyword); i < len(list) {
			return list[i : i+1]
		}
	}
	if v, ok := s.Get("items"); ok {
		return []any{v}
	}
	return nil
}

// expand returns the schemas and those that they apply to the same value.
func (d *denuller) expand(schemas []any, raw json.RawMessage, o jsonobject.Object) []*jsonobject.Tree {
	var all []*jsonobject.Tree
	seen := map[*jsonobject.Tree]bool{}
	var visit func(v any)
	visit = func(v any) {
		s, ok := v.(*jsonobject.Tree)
		if d.budget--; d.budget < 0 || !ok || seen[s] {
			return
		}
		seen[s] = true
		all = append(all, s)
		for _, part := range d.conjuncts(s) {
			visit(part)
		}
		for _, part := range d.alternatives(s, raw, o) {
			visit(part)
		}
	}
	for _, v := range schemas {
		visit(v)
	}
	return all
}

// conjuncts returns the schemas that s applies to the same value, all of which must fit.
func (d *denuller) conjuncts(s *jsonobject.Tree) []any {
	parts := s.List("allOf")
	if ref := s.Text("$ref"); ref != "" {
		if target, ok := d.doc.Find(ref); ok {
			parts = append(slices.Clip(parts), target)
		}
	}
	return parts
}

// alternatives returns the alternatives of s that the value may fit, or all of them if it
// can fit none.
func (d *denuller) alternatives(s *jsonobject.Tree, raw json.RawMessage, o jsonobject.Object) []any {
	all := slices.Concat(s.List("anyOf"), s.List("oneOf"))
	d.budget -= len(all)
	fitting := slices.DeleteFunc(slices.Clone(all), func(v any) bool { return !d.mayBe(v, raw, o, 8) })
	if len(fitting) == 0 {
		return all
	}
	return fitting
}

// mayBe reports whether the value may fit a schema. It makes only quick checks.
func (d *denuller) mayBe(v any, raw json.RawMessage, o jsonobject.Object, levels int) bool {
	s, ok := v.(*jsonobject.Tree)
	if d.budget--; !ok || levels == 0 || d.budget < 0 {
		return v != false
	}
	if raw[0] == '{' && !hasType(typesOf(s), "object") || raw[0] == '[' && !hasType(typesOf(s), "array") {
		return false
	}
	if properties := s.Child("properties"); properties != nil {
		for _, m := range o {
			value, _ := properties.Get(m.Name)
			if p, ok := value.(*jsonobject.Tree); ok && string(m.Value) != "null" && !mayEqual(p, m.Value) {
				return false
			}
		}
	}
	for _, name := range stringsOf(s.List("required")) {
		value, declared := s.Child("properties").Get(name)
		given := o.Get(name)
		if given == nil || string(given) == "null" && declared && !d.takesNull(value, levels) {
			return false
		}
	}
	return !slices.ContainsFunc(d.conjuncts(s), func(part any) bool { return !d.mayBe(part, raw, o, levels-1) })
}

// mayEqual reports whether a scalar is one of the values that s lists. It returns true if s
// lists none, and for objects and lists.
func mayEqual(s *jsonobject.Tree, raw json.RawMessage) bool {
	listed := s.List("enum")
	if v, ok := s.Get("const"); ok {
		listed = []any{v}
	}
	if listed == nil || raw[0] == '{' || raw[0] == '[' {
		return true
	}
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	return slices.ContainsFunc(listed, func(v any) bool {
		return isText && v == text || !isText && bytes.Equal(jsonobject.Encode(v), raw)
	})
}

// isArtificial reports whether only the strict form can be the reason for a null of the
// property.
func (d *denuller) isArtificial(schemas []any, name string, raw json.RawMessage, o jsonobject.Object) bool {
	declared := false
	for _, s := range schemas {
		says, fits, required := d.nullRule(s, name, raw, o, 16)
		if says && fits || required {
			return false
		}
		declared = declared || says
	}
	return declared
}

// nullRule reports whether a schema declares a property, whether null fits its declaration,
// and whether the schema requires it.
func (d *denuller) nullRule(v any, name string, raw json.RawMessage, o jsonobject.Object, levels int) (says, fits, required bool) {
	s, ok := v.(*jsonobject.Tree)
	if d.budget--; !ok || levels == 0 || d.budget < 0 {
		return false, false, false
	}
	fits = true
	if p, ok := s.Child("properties").Get(name); ok {
		says, fits = true, d.takesNull(p, 16)
	}
	required = slices.Contains(s.List("required"), any(name))
	for _, part := range d.conjuncts(s) {
		partSays, partFits, partRequires := d.nullRule(part, name, raw, o, levels-1)
		says, required = says || partSays, required || partRequires
		fits = fits && (partFits || !partSays)
	}
	some, one := false, false
	for _, part := range d.alternatives(s, raw, o) {
		partSays, partFits, _ := d.nullRule(part, name, raw, o, levels-1)
		some, one = some || partSays, one || partSays && partFits
	}
	return says || some, fits && (one || !some), required
}

// takesNull reports whether a schema accepts null.
func (d *denuller) takesNull(v any, levels int) bool {
	s, ok := v.(*jsonobject.Tree)
	if d.budget--; !ok || levels == 0 || d.budget < 0 {
		return v != false
	}
	takes := func(part any) bool { return d.takesNull(part, levels-1) }
	refuses := func(part any) bool { return !takes(part) }
	if !hasType(typesOf(s), "null") || !s.Has("type") && impliesType(s) || slices.ContainsFunc(d.conjuncts(s), refuses) {
		return false
	}
	if constant, ok := s.Get("const"); ok && constant != nil {
		return false
	}
	if enum, ok := s.Get("enum"); ok {
		if list, _ := enum.([]any); !slices.Contains(list, nil) {
			return false
		}
	}
	if list := s.List("anyOf"); list != nil && !slices.ContainsFunc(list, takes) {
		return false
	}
	list := s.List("oneOf")
	return list == nil || len(slices.DeleteFunc(slices.Clone(list), refuses)) == 1
}

// impliesType reports whether a schema without a type has keywords of one type. Convert takes
// it for a schema of that type.
func impliesType(s *jsonobject.Tree) bool {
	for name := range s.All() {
		switch name {
		case "properties", "required", "additionalProperties", "items", "prefixItems":
			return true
		}
		if _, bounds := boundTypes[name]; bounds {
			return true
		}
	}
	return false
}
