package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A root is the outermost schema in the form that all providers accept: an object without
// combinators and without $ref. Sources: Anthropic's documentation of tool definitions,
// OpenAI's guide to structured outputs, and the type Schema of Google's Go SDK.
type root struct {
	schema  *jsonobject.Tree
	changed bool
	lost    []string // texts on lost constraints, which are not in the description yet
}

// rootCombinators are the keywords that no provider accepts at the root.
var rootCombinators = []string{"allOf", "anyOf", "oneOf", "not", "enum", "const"}

// rootOf returns the root of doc as an object. It keeps the properties in combinators; texts
// describe the rest of them.
func rootOf(doc *jsonobject.Tree) (*root, error) {
	r := &root{schema: doc}
	if err := r.followReferences(doc); err != nil {
		return nil, err
	}
	if err := r.typed(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(rootCombinators, r.schema.Has) {
		return r, nil
	}
	before := r.schema
	r.schema, r.changed = before.Without(rootCombinators...), true
	for keyword, value := range before.All() {
		if err := r.combine(doc, keyword, value); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// described returns the schema with the lost constraints in its description.
func (r *root) described() *jsonobject.Tree {
	if len(r.lost) > 0 {
		r.schema.Set("description", describe(r.schema.Text("description"), r.lost))
	}
	return r.schema
}

// followReferences replaces the root with the schema that it refers to.
func (r *root) followReferences(doc *jsonobject.Tree) error {
	for range 16 {
		ref, refers := r.schema.Get("$ref")
		if !refers {
			return nil
		}
		name, _ := ref.(string)
		found, ok := doc.Find(name)
		target, isObject := found.(*jsonobject.Tree)
		if !ok || !isObject || target == doc {
			return &RefusalError{Reason: "the root refers to a schema that is not in the document"}
		}
		merged := target.Without()
		for keyword, value := range r.schema.Without("$ref").All() {
			theirs, both := target.Get(keyword)
			switch {
			case !both, keyword == "description", keyword == "title":
				merged.Set(keyword, value)
			case !bytes.Equal(jsonobject.Encode(value), jsonobject.Encode(theirs)):
				return &RefusalError{Reason: "the root says more beside its $ref; write the schema out"}
			}
		}
		r.schema, r.changed = merged, true
	}
	return &RefusalError{Reason: "the root's $ref leads nowhere"}
}

// typed gives the root the type object, since a call's input is an object.
func (r *root) typed() error {
	kind, ok := r.schema.Get("type")
	list, _ := kind.([]any)
	switch {
	case kind == "object":
		return nil
	case !ok || slices.Contains(list, any("object")):
		typed := r.schema.Without()
		typed.Set("type", "object")
		r.schema, r.changed = typed, true
		return nil
	default:
		return &RefusalError{Reason: "the root's type is not object, and a tool's input is one"}
	}
}

// combine adds the content of a combinator to the root.
func (r *root) combine(doc *jsonobject.Tree, keyword string, value any) error {
	switch keyword {
	case "not", "enum", "const":
		r.addLoss(keywordText(keyword, value))
		return nil
	case "allOf", "anyOf", "oneOf":
	default:
		return nil
	}
	list, _ := value.([]any)
	var branches []*jsonobject.Tree
	for _, v := range list {
		branch, err := branchOf(doc, v)
		if err != nil {
			return err
		}
		if branch != nil {
			branches = append(branches, branch)
		} else if keyword != "allOf" {
			return nil // the alternative accepts everything
		}
	}
	if keyword == "allOf" {
		for _, branch := range branches {
			r.join(branch)
		}
		return nil
	}
	r.alternatives(branches)
	r.addLoss(choiceText(keyword, list))
	return nil
}

func (r *root) addLoss(text string) { r.lost = append(r.lost, text) }

// branchOf returns a part of a combinator, with references followed, or nil if the part
// accepts everything.
func branchOf(doc *jsonobject.Tree, v any) (*jsonobject.Tree, error) {
	for range 16 {
		if v == true {
			return nil, nil
		}
		o, ok := v.(*jsonobject.Tree)
		if !ok {
			return nil, &RefusalError{Reason: "no input fits the schema"}
		}
		ref, refers := o.Get("$ref")
		if !refers {
			return o, nil
		}
		name, _ := ref.(string)
		if v, ok = doc.Find(name); !ok {
			return nil, &RefusalError{Reason: "the root refers to a schema that is not in the document"}
		}
		if o.Without("$ref", "description", "title").Len() > 0 {
			return nil, &RefusalError{Reason: "an alternative of the root says more beside its $ref; write the schema out"}
		}
	}
	return nil, &RefusalError{Reason: "the root's $ref leads nowhere"}
}

// join adds a part of allOf to the root.
func (r *root) join(branch *jsonobject.Tree) {
	for keyword, value := range branch.All() {
		switch keyword {
		case "type", "title", "description", "$comment", "$schema", "$id":
		case "properties":
			r.declare(branch)
		case "required":
			r.require(stringsOf(branch.List("required")))
		case "additionalProperties":
			if value == false { // it would forbid the properties of the other parts
				r.addLoss("only the properties listed")
			} else if !r.schema.Has(keyword) {
				r.schema.Set(keyword, value)
			}
		case "allOf", "anyOf", "oneOf", "not", "enum", "const":
			r.addLoss(keywordText(keyword, value))
		default:
			if !r.schema.Has(keyword) {
				r.schema.Set(keyword, value)
			} else {
				r.addLoss(keywordText(keyword, value))
			}
		}
	}
}

// declare adds the properties of a part. A value of a property that is declared already must
// fit both schemas.
func (r *root) declare(branch *jsonobject.Tree) {
	part := branch.Child("properties")
	if part == nil {
		return
	}
	all := r.schema.Child("properties").Without()
	for name, value := range part.All() {
		known, ok := all.Get(name)
		if !ok {
			all.Set(name, value)
		} else if !bytes.Equal(jsonobject.Encode(known), jsonobject.Encode(value)) {
			both := &jsonobject.Tree{}
			both.Set("allOf", []any{known, value})
			all.Set(name, both)
		}
	}
	r.schema.Set("properties", all)
}

func (r *root) require(more []string) {
	all := stringsOf(r.schema.List("required"))
	for _, name := range more {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if len(all) > 0 {
		r.schema.Set("required", anyOf(all))
	}
}

// alternatives declares the properties of all alternatives, with the schemas of all of them
// as choices, and requires the properties that all of them require. Properties that the root
// declares stay unchanged.
func (r *root) alternatives(branches []*jsonobject.Tree) {
	if len(branches) == 0 {
		return
	}
	declared := r.schema.Child("properties")
	all := declared.Without()
	choices := map[string][]any{}
	for _, branch := range branches {
		for name, value := range branch.Child("properties").All() {
			if !declared.Has(name) {
				all.Set(name, nil)
				choices[name] = addOnce(choices[name], value)
			}
		}
	}
	for name, list := range choices {
		all.Set(name, list[0])
		if len(list) > 1 {
			either := &jsonobject.Tree{}
			either.Set("anyOf", list)
			all.Set(name, either)
		}
	}
	if all.Len() > 0 {
		r.schema.Set("properties", all)
	}
	shared := stringsOf(branches[0].List("required"))
	for _, branch := range branches[1:] {
		has := stringsOf(branch.List("required"))
		shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(has, name) })
	}
	r.require(shared)
}

// addOnce adds a value that is not in the list.
func addOnce(list []any, v any) []any {
	text := jsonobject.Encode(v)
	if slices.ContainsFunc(list, func(other any) bool { return bytes.Equal(jsonobject.Encode(other), text) }) {
		return list
	}
	return append(list, v)
}

// choiceText describes alternatives. It lists the names of alternatives that only require
// properties.
func choiceText(keyword string, list []any) string {
	lead := "at least one of these is given: "
	if keyword == "oneOf" {
		lead = "exactly one of these is given: "
	}
	var sets []string
	for _, v := range list {
		o, _ := v.(*jsonobject.Tree)
		required := stringsOf(o.List("required"))
		if o == nil || len(required) == 0 || o.Without("required", "title", "description", "type").Len() > 0 {
			return keywordText(keyword, list)
		}
		sets = append(sets, joinNames(required, "and"))
	}
	return lead + strings.Join(sets, "; or ")
}
