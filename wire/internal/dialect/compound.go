package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// object writes the properties of an object. It reports whether any object fits.
func (w *writer) object(body *object, n *node) (bool, error) {
	props := undeclared(n)
	further := n.further != nil && !n.further.never
	switch {
	case w.strict && (further || n.patterns):
		return true, w.refuse("it takes properties that are not declared; strict schemas cannot")
	case w.openAPI && len(props) == 0 && len(w.path) == 0:
		return true, w.refuse("it has no properties; say so in parametersJsonSchema")
	case (w.openAPI || !n.closed) && len(props) == 0 && len(w.path) > 0:
		return true, w.refuse("it is an object of any properties; declare them")
	}
	declared := newObject()
	for _, p := range props {
		optional := !slices.Contains(n.required, p.name)
		out, err := w.step(p.name, p.value, optional && w.nulls)
		switch {
		case err != nil:
			return true, err
		case out != nil:
			declared.set(p.name, out)
		case !optional:
			if w.unfit == "" {
				w.unfit = strings.TrimPrefix(w.at()+"."+p.name, ".")
			}
			return false, nil
		}
	}
	var order []string
	for _, m := range declared.members {
		order = append(order, m.name)
	}
	body.set("properties", declared)
	if required := n.required; w.nulls {
		body.set("required", values(order))
	} else if len(required) > 0 {
		body.set("required", values(required))
	}
	if w.strict {
		body.set("additionalProperties", false)
	}
	if w.openAPI && len(order) > 1 {
		body.set("propertyOrdering", values(order))
	}
	return true, nil
}

// undeclared returns the properties of n with those that are required and not
// declared.
func undeclared(n *node) []property {
	all := slices.Clone(n.props)
	known := make(map[string]bool, len(all))
	for _, p := range all {
		known[p.name] = true
	}
	for _, name := range n.required {
		if known[name] {
			continue
		}
		value := n.undeclared()
		if value == nil {
			value = &node{}
		}
		all = append(all, property{name, value})
	}
	return all
}

// array writes the items of a list. Those that are told by their place become
// alternatives of one schema; their order is told in words.
func (w *writer) array(body *object, n *node) (bool, error) {
	items := n.items
	if len(n.prefix) > 0 {
		among := slices.Clone(n.prefix)
		if items != nil {
			among = append(among, items)
		}
		items = &node{choices: []choice{{among: among}}}
	}
	if items == nil {
		return true, w.refuse("it is a list of any items; describe them")
	}
	out, err := w.step("[]", items, false)
	if err != nil {
		return true, err
	}
	if out == nil {
		return true, w.refuse("it is a list that no item fits")
	}
	body.set("items", out)
	return true, nil
}

// choice writes alternatives. What else the schema says is said in each of them.
func (w *writer) choice(n *node, orNull bool) (*object, error) {
	base := n.withoutNotes()
	base.choices = n.choices[1:]
	alternatives := n.choices[0].among
	either := alternativeList{null: orNull, texts: map[string]bool{}, ofNull: string(encode(w.null()))}
	for _, a := range alternatives {
		if !base.bare() {
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
	if n.choices[0].exactly {
		apart, err := w.apart(alternatives)
		if err != nil {
			return nil, err
		}
		if !apart {
			told = []string{"exactly one of the alternatives fits"}
			w.lose(told)
		}
	}
	described := *n
	described.notes = slices.Concat(told, n.notes)
	return w.either(&described, either.schemas, either.null), nil
}

// maxAlternatives is how many alternatives one schema may come to. It bounds the
// products of choices that apply together.
const maxAlternatives = 500

// An alternativeList holds each alternative once, and null apart.
type alternativeList struct {
	schemas []any
	null    bool
	texts   map[string]bool
	ofNull  string
}

// add adds a schema, or the alternatives that it consists of. Nil is none.
func (l *alternativeList) add(schema *object) {
	if schema == nil {
		return
	}
	if nested := schema.list("anyOf"); nested != nil && len(schema.members) == 1 {
		for _, v := range nested {
			if one, ok := v.(*object); ok {
				l.add(one)
			}
		}
		return
	}
	switch text := string(encode(schema)); {
	case text == l.ofNull:
		l.null = true
	case !l.texts[text]:
		l.texts[text] = true
		l.schemas = append(l.schemas, schema)
	}
}

// either puts alternatives together, and null.
func (w *writer) either(n *node, outs []any, null bool) *object {
	if len(outs) == 0 {
		if !null {
			return nil
		}
		return w.annotated(n, w.null())
	}
	if one, _ := outs[0].(*object); len(outs) == 1 && (!null || w.openAPI) && !one.has("$ref") {
		if null {
			one.set("nullable", true)
		}
		return w.over(n, one)
	}
	o := newObject()
	if null && w.openAPI {
		o.set("nullable", true)
	} else if null {
		outs = append(outs, w.null())
	}
	either := newObject()
	either.set("anyOf", outs)
	return w.annotated(n, o, either)
}

// over describes the only alternative that is left, as the choice and the
// alternative itself are.
func (w *writer) over(n *node, one *object) *object {
	noted := w.annotated(n, newObject())
	for _, m := range noted.members {
		if inner := one.text(m.name); m.name == "description" && inner != "" {
			one.set("description", noted.text(m.name)+" "+inner)
		} else {
			one.set(m.name, m.value)
		}
	}
	return one
}

// maxApart is how many alternatives are compared with each other.
const maxApart = 40

// apart reports whether no value can fit two of the alternatives: their types
// differ, or a property that both require has other values.
func (w *writer) apart(alternatives []*node) (bool, error) {
	if len(alternatives) > maxApart {
		return false, nil
	}
	var flat []*node
	for _, a := range alternatives {
		f, err := w.flat(a, nil, 0)
		if err != nil {
			return false, err
		}
		flat = append(flat, f)
	}
	for i, a := range flat {
		for _, b := range flat[:i] {
			differ, err := w.differ(a, b)
			if err != nil || !differ {
				return false, err
			}
		}
	}
	return true, nil
}

func (w *writer) differ(a, b *node) (bool, error) {
	ofA, ofB := a.implied(), b.implied()
	if len(a.choices)+len(b.choices) > 0 || ofA == nil || ofB == nil {
		return false, nil
	}
	if types, _ := bothTypes(ofA, ofB, false); len(types) == 0 {
		return true, nil
	}
	if a.listed && b.listed {
		return len(common(a.enum, b.enum)) == 0, nil
	}
	for _, p := range a.props {
		for _, q := range b.props {
			if p.name != q.name || !slices.Contains(a.required, p.name) || !slices.Contains(b.required, p.name) {
				continue
			}
			x, err := w.flat(p.value, nil, 0)
			if err != nil {
				return false, err
			}
			y, err := w.flat(q.value, nil, 0)
			if err != nil {
				return false, err
			}
			if x.listed && y.listed && len(common(x.enum, y.enum)) == 0 {
				return true, nil
			}
		}
	}
	return false, nil
}
