package dialect

import (
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
