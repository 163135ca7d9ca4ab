package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A writer writes a schema in a dialect that has only part of JSON Schema.
type writer struct {
	*reader
	grammar
	path          []string
	lost          []string
	reported      map[string]bool // the texts in lost
	following     []string        // the references whose schemas are being written in place
	unfitProperty string          // the first required property that accepts no value
	defs          definitions
}

// rewrite returns the document in a dialect for which it must be written again.
func rewrite(doc *jsonobject.Tree, from *root, to Dialect) (Converted, error) {
	w := &writer{reader: newReader(doc, from.schema), grammar: grammarOf(to), reported: map[string]bool{}, defs: newDefinitions()}
	n, err := w.target("#")
	if err != nil {
		return Converted{}, err
	}
	whole := *n
	whole.losses = slices.Concat(from.lost, n.losses)
	out, err := w.write(&whole, false)
	if err != nil {
		return Converted{}, err
	}
	if out == nil {
		return Converted{}, &RefusalError{At: w.unfitProperty, Reason: "no value fits it, and it is required"}
	}
	if err := w.define(out); err != nil {
		return Converted{}, err
	}
	if to == OpenAIStrict {
		if err := withinOpenAI(out); err != nil {
			return Converted{}, err
		}
	}
	return Converted{Schema: jsonobject.Encode(out), Lost: w.lost, Nulls: w.nulls}, nil
}

// addLosses records constraints that the dialect cannot express here.
func (w *writer) addLosses(all []string) {
	for _, text := range all {
		if len(w.path) > 0 {
			text = w.at() + ": " + text
		}
		if !w.reported[text] {
			w.reported[text] = true
			w.lost = append(w.lost, text)
		}
	}
}

// refuse returns a refusal of the current schema.
func (w *writer) refuse(reason string) error {
	return &RefusalError{At: w.at(), Reason: reason}
}

// at returns the path of the current schema, such as filter.tags[].
func (w *writer) at() string { return strings.ReplaceAll(strings.Join(w.path, "."), ".[]", "[]") }

// write returns n in the dialect, or nil if n accepts no value. With orNull the result also
// accepts null, which stands for a missing property.
func (w *writer) write(n *node, orNull bool) (*jsonobject.Tree, error) {
	if len(w.path) > maxLevels {
		return nil, w.refuse("it is nested too deeply")
	}
	if w.keepsRefs && n.onlyRefers() {
		return w.reference(n, orNull)
	}
	var followed []string
	f, err := w.flatten(n, &followed, 0)
	if err != nil {
		return nil, err
	}
	for _, ref := range followed {
		if slices.Contains(w.following, ref) {
			return nil, w.refuse("it is recursive: it leads back to " + ref)
		}
	}
	outer := w.following
	w.following = slices.Concat(outer, followed)
	defer func() { w.following = outer }()
	switch {
	case f.nothing:
		return nil, nil // not even null for a missing property
	case len(f.choices) > 0:
		return w.choice(f, orNull)
	default:
		return w.byType(f, orNull)
	}
}

// writeBelow writes a schema below the current one.
func (w *writer) writeBelow(name string, n *node, orNull bool) (*jsonobject.Tree, error) {
	w.path = append(w.path, name)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	return w.write(n, orNull)
}

func (w *writer) null() *jsonobject.Tree {
	o := &jsonobject.Tree{}
	o.Set("type", w.typeName("null"))
	return o
}

func (w *writer) typeName(t string) string {
	if w.openAPI {
		return strings.ToUpper(t)
	}
	return t
}

// byType writes a schema without alternatives.
func (w *writer) byType(n *node, orNull bool) (*jsonobject.Tree, error) {
	types := slices.Clone(n.implied())
	if len(types) == 0 {
		return nil, w.refuse("it takes any value; give it a type")
	}
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "integer" })
	}
	some := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if n.hasEnum { // a type that no listed value has would bypass the list
		some = slices.DeleteFunc(some, func(t string) bool { return len(valuesOf(n.enum, t)) == 0 })
	}
	orNull = orNull || len(some) < len(types) && slices.Contains(types, "null") && (!n.hasEnum || len(valuesOf(n.enum, "null")) > 0)
	scalar := !slices.ContainsFunc(some, func(t string) bool { return t == "object" || t == "array" })
	switch {
	case len(some) == 0 && orNull:
		return w.annotated(n, w.null()), nil
	case len(some) == 0:
		return nil, nil
	case w.openAPI && len(some) == 1, scalar && !w.openAPI:
		return w.typed(n, some, orNull)
	case len(some) == 1 && !orNull:
		return w.typed(n, some, false)
	}
	apart := choice{}
	for _, t := range some {
		one := *n.withoutNotes()
		one.types, one.enum = []string{t}, valuesOf(n.enum, t)
		apart.alternatives = append(apart.alternatives, &one)
	}
	return w.choice(&node{title: n.title, description: n.description, notes: n.notes, defaultValue: n.defaultValue, hasDefault: n.hasDefault, choices: []choice{apart}}, orNull)
}

// typed writes a schema of one type, or of several scalar types.
func (w *writer) typed(n *node, types []string, orNull bool) (*jsonobject.Tree, error) {
	body := &jsonobject.Tree{}
	told := slices.Clone(n.losses)
	if n.hasEnum {
		told = w.list(body, n, orNull, told)
	}
	told = append(told, w.limit(body, n, types)...)
	w.addLosses(told)
	fits, err := true, error(nil)
	switch types[0] {
	case "object":
		fits, err = w.object(body, n)
	case "array":
		err = w.array(body, n)
	}
	if err != nil {
		return nil, err
	}
	if !fits && orNull {
		return w.null(), nil
	} else if !fits {
		return nil, nil
	}

	o := &jsonobject.Tree{}
	o.Set("type", w.typesValue(types, orNull))
	if w.openAPI && orNull {
		o.Set("nullable", true)
	}
	described := *n
	described.notes = slices.Concat(told, n.notes)
	return w.annotated(&described, o, body), nil
}

func (w *writer) typesValue(types []string, orNull bool) any {
	if w.openAPI || len(types) == 1 && !orNull {
		return w.typeName(types[0])
	}
	list := anyOf(types)
	if orNull {
		list = append(list, "null")
	}
	return list
}

// list writes the allowed values. It returns told, with a text if the dialect cannot express
// them.
func (w *writer) list(body *jsonobject.Tree, n *node, orNull bool, told []string) []string {
	inWordsOnly := func(v any) bool {
		switch v := v.(type) {
		case *jsonobject.Tree, []any:
			return true
		case string:
			return w.openAPI && v == ""
		default:
			return w.openAPI && v != nil
		}
	}
	enum := slices.DeleteFunc(slices.Clone(n.enum), func(v any) bool { return v == nil })
	if slices.ContainsFunc(enum, inWordsOnly) {
		return append(told, "one of "+valueText(enum))
	}
	if orNull && !w.openAPI {
		enum = append(enum, nil)
	}
	body.Set("enum", enum)
	return told
}

// limit writes the bounds that the dialect has, and returns texts for the others.
func (w *writer) limit(body *jsonobject.Tree, n *node, types []string) []string {
	var lost []bound
	for i, b := range n.bounds {
		limits := boundTypes[b.keyword]
		relevant := hasType(types, limits) || limits == "number" && slices.Contains(types, "integer")
		if b.keyword == "format" && w.openAPI {
			relevant = hasType(types, "string") == (b.value == "date-time" || !slices.Contains(w.formats, b.text()))
		}
		if !relevant {
			continue
		}
		as, whole, ok := w.convertBound(b, types)
		if ok {
			body.Set(as.keyword, as.value)
		}
		if !whole || w.pairLost(n.bounds, i, types) {
			lost = append(lost, b)
		}
	}
	return boundTexts(lost)
}

// pairLost reports whether one bound of a pair is lost. Then one text describes both.
func (w *writer) pairLost(bounds []bound, i int, types []string) bool {
	pair, ok := amounts[bounds[i].keyword]
	return ok && slices.ContainsFunc(bounds, func(b bound) bool {
		_, whole, _ := w.convertBound(b, types)
		return (b.keyword == pair.least || b.keyword == pair.most) && !whole
	})
}

// annotated adds the title, description and default of n to o, then the members of rest.
func (w *writer) annotated(n *node, o *jsonobject.Tree, rest ...*jsonobject.Tree) *jsonobject.Tree {
	notes := slices.Clone(n.notes)
	if n.hasDefault && !w.defaults {
		notes = append(notes, keywordText("default", n.defaultValue))
	}
	if n.title != "" {
		o.Set("title", n.title)
	}
	if text := describe(n.description, notes); text != "" {
		o.Set("description", text)
	}
	if n.hasDefault && w.defaults {
		o.Set("default", n.defaultValue)
	}
	for _, body := range rest {
		for name, value := range body.All() {
			o.Set(name, value)
		}
	}
	return o
}

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

// reference writes a reference. It returns nil if no value fits its definition.
func (w *writer) reference(n *node, orNull bool) (*jsonobject.Tree, error) {
	if err := w.spend(1); err != nil {
		return nil, err
	}
	target, err := w.target(n.ref)
	if err != nil {
		return nil, err
	}
	f, err := w.flatten(target, nil, 0)
	if err != nil {
		return nil, err
	}
	if f.nothing {
		return nil, nil
	}
	o := &jsonobject.Tree{}
	o.Set("$ref", w.defs.name(n.ref))
	noted := w.annotated(n, &jsonobject.Tree{})
	if !orNull && (w.describedRefs || noted.Len() == 0) {
		return w.annotated(n, o), nil
	}
	return w.union(n, []any{o}, orNull), nil
}

// define adds the definitions to which references lead.
func (w *writer) define(root *jsonobject.Tree) error {
	all := &jsonobject.Tree{}
	for i := 0; i < len(w.defs.order); i++ { // writing a definition may add others
		ref := w.defs.order[i]
		target, err := w.target(ref)
		if err != nil {
			return err
		}
		w.defs.current = ref
		name := w.defs.names[ref]
		w.path = []string{"$defs", name}
		out, err := w.write(target, false)
		if err != nil {
			return err
		}
		if out == nil {
			return w.refuse("no value fits it")
		}
		all.Set(name, out)
	}
	w.path = nil
	if !w.recursion {
		if ref, found := w.defs.loop(); found {
			return &RefusalError{Reason: "it is recursive: it leads back to " + ref}
		}
	}
	if all.Len() > 0 {
		root.Set("$defs", all)
	}
	return nil
}
