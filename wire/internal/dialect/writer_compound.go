package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// object writes the properties of an object. It reports whether the schema accepts an object.
func (w *writer) object(body *jsonobject.Tree, n *node) (bool, error) {
	props := propertiesOf(n)
	further := n.additional != nil && !n.additional.nothing
	switch {
	case w.strict && (further || n.patterns):
		return true, w.refuse("it takes properties that are not declared; strict schemas cannot")
	case w.openAPI && len(props) == 0 && len(w.path) == 0:
		return true, w.refuse("it has no properties; say so in parametersJsonSchema")
	case (w.openAPI || !n.closed) && len(props) == 0 && len(w.path) > 0:
		return true, w.refuse("it is an object of any properties; declare them")
	}
	declared := &jsonobject.Tree{}
	for _, p := range props {
		optional := !slices.Contains(n.required, p.name)
		out, err := w.writeBelow(p.name, p.value, optional && w.nulls)
		switch {
		case err != nil:
			return true, err
		case out != nil:
			declared.Set(p.name, out)
		case !optional:
			if w.unfitProperty == "" {
				w.unfitProperty = strings.TrimPrefix(w.at()+"."+p.name, ".")
			}
			return false, nil
		}
	}
	var order []string
	for name := range declared.All() {
		order = append(order, name)
	}
	body.Set("properties", declared)
	if required := n.required; w.nulls {
		body.Set("required", anyOf(order))
	} else if len(required) > 0 {
		body.Set("required", anyOf(required))
	}
	if w.strict {
		body.Set("additionalProperties", false)
	}
	if w.openAPI && len(order) > 1 {
		body.Set("propertyOrdering", anyOf(order))
	}
	return true, nil
}

// array writes the items of a list. Schemas for items by position become alternatives of one
// schema; a text describes their order.
func (w *writer) array(body *jsonobject.Tree, n *node) error {
	items := n.items
	if len(n.prefix) > 0 {
		among := slices.Clone(n.prefix)
		if items != nil {
			among = append(among, items)
		}
		items = &node{choices: []choice{{alternatives: among}}}
	}
	if items == nil {
		return w.refuse("it is a list of any items; describe them")
	}
	out, err := w.writeBelow("[]", items, false)
	if err != nil {
		return err
	}
	if out == nil {
		return w.refuse("it is a list that no item fits")
	}
	body.Set("items", out)
	return nil
}

// choice writes alternatives. Each of them repeats the rest of the schema.
func (w *writer) choice(n *node, orNull bool) (*jsonobject.Tree, error) {
	base := n.withoutNotes()
	base.choices = n.choices[1:]
	alternatives := n.choices[0].alternatives
	either := alternativeList{null: orNull, texts: map[string]bool{}, ofNull: string(jsonobject.Encode(w.null()))}
	for _, a := range alternatives {
		if !base.acceptsAll() {
			a = &node{all: []*node{a, base}}
		}
		out, err := w.write(a, false)
		if err != nil {
			return nil, err
		}
		if either.add(out); len(either.schemas) > maxAlternatives {
			return nil, w.refuse(fmt.Sprintf("it has more than %d alternatives when they are written out", maxAlternatives))
		}
	}
	var told []string
	if n.choices[0].exactlyOne {
		apart, err := w.exclusive(alternatives)
		if err != nil {
			return nil, err
		}
		if !apart {
			told = []string{"exactly one of the alternatives fits"}
			w.addLosses(told)
		}
	}
	described := *n
	described.notes = slices.Concat(told, n.notes)
	return w.union(&described, either.schemas, either.null), nil
}

// maxAlternatives is the maximum number of alternatives of one schema. It bounds the products
// of choices that apply together.
const maxAlternatives = 500

// union writes alternatives as one schema, with null if it is one of them.
func (w *writer) union(n *node, outs []any, null bool) *jsonobject.Tree {
	if len(outs) == 0 {
		if !null {
			return nil
		}
		return w.annotated(n, w.null())
	}
	if one, _ := outs[0].(*jsonobject.Tree); len(outs) == 1 && (!null || w.openAPI) && !one.Has("$ref") {
		if null {
			one.Set("nullable", true)
		}
		return w.describeOnly(n, one)
	}
	o := &jsonobject.Tree{}
	if null && w.openAPI {
		o.Set("nullable", true)
	} else if null {
		outs = append(outs, w.null())
	}
	either := &jsonobject.Tree{}
	either.Set("anyOf", outs)
	return w.annotated(n, o, either)
}

// describeOnly adds the title, description and default of a choice to its only alternative.
func (w *writer) describeOnly(n *node, one *jsonobject.Tree) *jsonobject.Tree {
	noted := w.annotated(n, &jsonobject.Tree{})
	for name, value := range noted.All() {
		if inner := one.Text(name); name == "description" && inner != "" {
			one.Set(name, noted.Text(name)+" "+inner)
		} else {
			one.Set(name, value)
		}
	}
	return one
}

// maxExclusive is the maximum number of alternatives that are compared with each other.
const maxExclusive = 40

// exclusive reports whether no value can fit two of the alternatives: their types differ, or
// they list different values for a property that both require.
func (w *writer) exclusive(alternatives []*node) (bool, error) {
	if len(alternatives) > maxExclusive {
		return false, nil
	}
	var flat []*node
	for _, a := range alternatives {
		f, err := w.flatten(a, nil, 0)
		if err != nil {
			return false, err
		}
		flat = append(flat, f)
	}
	for i, a := range flat {
		for _, b := range flat[:i] {
			differ, err := w.disjoint(a, b)
			if err != nil || !differ {
				return false, err
			}
		}
	}
	return true, nil
}

// disjoint reports whether no value can fit both a and b.
func (w *writer) disjoint(a, b *node) (bool, error) {
	ofA, ofB := a.implied(), b.implied()
	if len(a.choices)+len(b.choices) > 0 || ofA == nil || ofB == nil {
		return false, nil
	}
	if types, _ := mergedTypes(ofA, ofB, false); len(types) == 0 {
		return true, nil
	}
	if a.hasEnum && b.hasEnum {
		return len(common(a.enum, b.enum)) == 0, nil
	}
	for _, p := range a.props {
		for _, q := range b.props {
			if p.name != q.name || !slices.Contains(a.required, p.name) || !slices.Contains(b.required, p.name) {
				continue
			}
			x, err := w.flatten(p.value, nil, 0)
			if err != nil {
				return false, err
			}
			y, err := w.flatten(q.value, nil, 0)
			if err != nil {
				return false, err
			}
			if x.hasEnum && y.hasEnum && len(common(x.enum, y.enum)) == 0 {
				return true, nil
			}
		}
	}
	return false, nil
}
