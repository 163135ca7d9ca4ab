package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// A root is the outermost schema in the form that every provider wants: an object,
// without combinators and without $ref (contracts 3.4, rule 2).
type root struct {
	schema  *object
	changed bool
	lost    []string // in words, not in the description yet
}

// rootCombinators are what no provider takes at the root.
var rootCombinators = []string{"allOf", "anyOf", "oneOf", "not", "enum", "const"}

// rootOf returns the root of doc as an object. What combinators say of properties
// is taken over, the rest becomes words.
func rootOf(doc *object) (*root, error) {
	r := &root{schema: doc}
	if err := r.followReferences(doc); err != nil {
		return nil, err
	}
	if err := r.typed(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(rootCombinators, r.schema.has) {
		return r, nil
	}
	before := r.schema
	r.schema, r.changed = before.without(rootCombinators...), true
	for _, m := range before.members {
		if err := r.combine(doc, m); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// described returns the schema with what is lost in its description.
func (r *root) described() *object {
	if len(r.lost) > 0 {
		r.schema.set("description", describe(r.schema.text("description"), r.lost))
	}
	return r.schema
}

// followReferences puts what the root refers to in its place.
func (r *root) followReferences(doc *object) error {
	for range 16 {
		ref, refers := r.schema.get("$ref")
		if !refers {
			return nil
		}
		name, _ := ref.(string)
		found, ok := doc.find(name)
		target, isObject := found.(*object)
		if !ok || !isObject || target == doc {
			return &RefusalError{Reason: "the root refers to a schema that is not in the document"}
		}
		merged := target.without()
		for _, m := range r.schema.without("$ref").members {
			switch {
			case !merged.has(m.name):
				merged.set(m.name, m.value)
			case m.name == "description" || m.name == "title":
				merged.set(m.name, m.value)
			case !bytes.Equal(encode(m.value), encode(target.members[target.index[m.name]].value)):
				return &RefusalError{Reason: "the root says more beside its $ref; write the schema out"}
			}
		}
		r.schema, r.changed = merged, true
	}
	return &RefusalError{Reason: "the root's $ref leads nowhere"}
}

// typed makes sure that the root has the type object alone, which is all that a
// call can send.
func (r *root) typed() error {
	kind, ok := r.schema.get("type")
	list, _ := kind.([]any)
	switch {
	case kind == "object":
		return nil
	case !ok || slices.Contains(list, any("object")):
		typed := r.schema.without()
		typed.set("type", "object")
		r.schema, r.changed = typed, true
		return nil
	default:
		return &RefusalError{Reason: "the root's type is not object, and a tool's input is one"}
	}
}

// combine takes over what a combinator says.
func (r *root) combine(doc *object, m member) error {
	switch m.name {
	case "not", "enum", "const":
		r.lose(words(m.name, m.value))
		return nil
	case "allOf", "anyOf", "oneOf":
	default:
		return nil
	}
	list, _ := m.value.([]any)
	var branches []*object
	for _, v := range list {
		branch, err := branchOf(doc, v)
		if err != nil {
			return err
		}
		if branch != nil {
			branches = append(branches, branch)
		} else if m.name != "allOf" {
			return nil // anything will do
		}
	}
	if m.name == "allOf" {
		for _, branch := range branches {
			r.join(branch)
		}
		return nil
	}
	r.alternatives(branches)
	r.lose(choiceWords(m.name, list))
	return nil
}

func (r *root) lose(text string) { r.lost = append(r.lost, text) }

// branchOf returns a part of a combinator, through its references. It is nil if
// the part takes everything.
func branchOf(doc *object, v any) (*object, error) {
	for range 16 {
		if v == true {
			return nil, nil
		}
		o, ok := v.(*object)
		if !ok {
			return nil, &RefusalError{Reason: "no input fits the schema"}
		}
		ref, refers := o.get("$ref")
		if !refers {
			return o, nil
		}
		name, _ := ref.(string)
		if v, ok = doc.find(name); !ok {
			return nil, &RefusalError{Reason: "the root refers to a schema that is not in the document"}
		}
		if len(o.without("$ref", "description", "title").members) > 0 {
			return nil, &RefusalError{Reason: "an alternative of the root says more beside its $ref; write the schema out"}
		}
	}
	return nil, &RefusalError{Reason: "the root's $ref leads nowhere"}
}

// join adds what a part of allOf says.
func (r *root) join(branch *object) {
	for _, m := range branch.members {
		switch m.name {
		case "type", "title", "description", "$comment", "$schema", "$id":
		case "properties":
			r.declare(branch)
		case "required":
			r.require(names(branch.list("required")))
		case "additionalProperties":
			if m.value == false { // together with other parts it would allow next to nothing
				r.lose("only the properties listed")
			} else if !r.schema.has(m.name) {
				r.schema.set(m.name, m.value)
			}
		case "allOf", "anyOf", "oneOf", "not", "enum", "const":
			r.lose(words(m.name, m.value))
		default:
			if !r.schema.has(m.name) {
				r.schema.set(m.name, m.value)
			} else {
				r.lose(words(m.name, m.value))
			}
		}
	}
}

// declare adds the properties of a part. One that is declared already has to fit
// both.
func (r *root) declare(branch *object) {
	part := branch.child("properties")
	if part == nil {
		return
	}
	all := r.schema.child("properties").without()
	for _, p := range part.members {
		known, ok := all.get(p.name)
		if !ok {
			all.set(p.name, p.value)
		} else if !bytes.Equal(encode(known), encode(p.value)) {
			both := newObject()
			both.set("allOf", []any{known, p.value})
			all.set(p.name, both)
		}
	}
	r.schema.set("properties", all)
}

func (r *root) require(more []string) {
	all := names(r.schema.list("required"))
	for _, name := range more {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if len(all) > 0 {
		r.schema.set("required", values(all))
	}
}

// alternatives declares the properties of all alternatives, each as any of them
// has it, and requires what all of them require. What the root itself says of a
// property stays.
func (r *root) alternatives(branches []*object) {
	if len(branches) == 0 {
		return
	}
	said := r.schema.child("properties")
	all := said.without()
	choices := map[string][]any{}
	for _, branch := range branches {
		part := branch.child("properties")
		if part == nil {
			continue
		}
		for _, p := range part.members {
			if !said.has(p.name) {
				all.set(p.name, nil)
				choices[p.name] = addOnce(choices[p.name], p.value)
			}
		}
	}
	for name, list := range choices {
		all.set(name, list[0])
		if len(list) > 1 {
			either := newObject()
			either.set("anyOf", list)
			all.set(name, either)
		}
	}
	if len(all.members) > 0 {
		r.schema.set("properties", all)
	}
	shared := names(branches[0].list("required"))
	for _, branch := range branches[1:] {
		has := names(branch.list("required"))
		shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(has, name) })
	}
	r.require(shared)
}

// addOnce adds a value that the list does not have.
func addOnce(list []any, v any) []any {
	text := encode(v)
	if slices.ContainsFunc(list, func(other any) bool { return bytes.Equal(encode(other), text) }) {
		return list
	}
	return append(list, v)
}

// choiceWords says what alternatives ask for. Those that only require properties
// are told by their names.
func choiceWords(keyword string, list []any) string {
	lead := "at least one of these is given: "
	if keyword == "oneOf" {
		lead = "exactly one of these is given: "
	}
	var sets []string
	for _, v := range list {
		o, _ := v.(*object)
		required := names(o.list("required"))
		if o == nil || len(required) == 0 || len(o.without("required", "title", "description", "type").members) > 0 {
			return words(keyword, list)
		}
		sets = append(sets, listed(required, "and"))
	}
	return lead + strings.Join(sets, "; or ")
}
