package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// maxNodes is the maximum number of schemas that a conversion reads and writes. Schemas of
// real tools have a few dozen.
const maxNodes = 20_000

// A reader turns a document into nodes.
type reader struct {
	doc      *jsonobject.Tree
	root     *jsonobject.Tree // the schema to read in place of doc
	refs     map[string]*node // the nodes to which references lead
	refAlone bool             // drafts before 2019-09 ignore keywords beside $ref
	budget   int              // number of nodes that may still be made
}

func newReader(doc, root *jsonobject.Tree) *reader {
	draft := doc.Text("$schema")
	old := strings.Contains(draft, "/draft-04/") || strings.Contains(draft, "/draft-06/") || strings.Contains(draft, "/draft-07/")
	return &reader{doc: doc, root: root, refs: map[string]*node{}, refAlone: old, budget: maxNodes}
}

// spend counts work. The bound holds for the whole conversion, so that references and
// products of alternatives cannot make a small document large.
func (r *reader) spend(n int) error {
	if r.budget -= n; r.budget < 0 {
		return &RefusalError{Reason: "the schema is too large when its references and alternatives are written out"}
	}
	return nil
}

// target returns the node to which a reference leads.
func (r *reader) target(ref string) (*node, error) {
	if n, ok := r.refs[ref]; ok {
		return n, nil
	}
	v, ok := r.doc.Find(ref)
	if !ok {
		return nil, &RefusalError{Reason: "it refers to " + ref + "; only # and paths within the schema are followed"}
	}
	if v == any(r.doc) {
		v = r.root
	}
	n, err := r.schema(v)
	if err == nil {
		r.refs[ref] = n
	}
	return n, err
}

// schema reads a schema and the schemas in it. It does not follow references, so it comes to
// an end in a recursive schema.
func (r *reader) schema(v any) (*node, error) {
	if err := r.spend(1); err != nil {
		return nil, err
	}
	o, ok := v.(*jsonobject.Tree)
	switch {
	case v == true:
		return &node{}, nil
	case v == false:
		return &node{nothing: true}, nil
	case !ok:
		return nil, &RefusalError{Reason: "a part of it is neither an object nor true or false"}
	case o != r.root && o != r.doc && (o.Has("$id") || o.Has("$dynamicRef") || o.Has("$recursiveRef")):
		return nil, &RefusalError{Reason: "it uses $id or dynamic references inside; write it without"}
	}
	n := &node{}
	if ref, ok := o.Get("$ref"); ok {
		if n.ref, ok = ref.(string); !ok {
			return nil, &RefusalError{Reason: "a $ref is no text"}
		}
	}
	for name, value := range o.All() {
		if n.ref != "" && r.refAlone && !annotation(name) {
			continue
		}
		if err := r.keyword(n, o, name, value); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func annotation(keyword string) bool {
	return keyword == "title" || keyword == "description" || keyword == "default" || keyword == "examples"
}

// keyword reads one keyword of o into n.
func (r *reader) keyword(n *node, o *jsonobject.Tree, name string, value any) error {
	var err error
	text, _ := value.(string)
	list, _ := value.([]any)
	switch name {
	case "title":
		n.title = text
	case "description":
		n.description = text
	case "default":
		n.defaultValue, n.hasDefault = value, value != nil // a default of null says nothing
	case "examples", "contentEncoding", "contentMediaType":
		if text != "" || len(list) > 0 {
			n.notes = append(n.notes, keywordText(name, value))
		}
	case "type":
		n.types = stringsOf(list)
		if list == nil {
			n.types = []string{text}
		}
		if slices.ContainsFunc(n.types, func(t string) bool { return !slices.Contains(typeNames, t) }) || len(n.types) == 0 {
			return &RefusalError{Reason: "a type has no name of JSON Schema"}
		}
	case "enum":
		n.enum, n.hasEnum = intersect(n, list), true
	case "const":
		n.enum, n.hasEnum = intersect(n, []any{value}), true
	case "properties", "required", "additionalProperties", "patternProperties":
		err = r.objectKeyword(n, name, value)
	case "items", "prefixItems", "additionalItems":
		err = r.arrayKeyword(n, o, name, value)
	case "allOf":
		n.all, err = r.schemas(list)
	case "anyOf", "oneOf":
		c := choice{exactlyOne: name == "oneOf"}
		c.alternatives, err = r.schemas(list)
		n.choices = append(n.choices, c)
	default:
		r.bound(n, o, name, value)
	}
	return err
}

func (r *reader) schemas(list []any) (all []*node, err error) {
	for _, v := range list {
		n, err := r.schema(v)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func (r *reader) objectKeyword(n *node, name string, value any) error {
	o, _ := value.(*jsonobject.Tree)
	switch name {
	case "required":
		list, _ := value.([]any)
		n.required = stringsOf(list)
	case "additionalProperties":
		if n.closed = value == false; n.closed {
			return nil
		}
		var err error
		n.additional, err = r.schema(value)
		return err
	case "patternProperties":
		if o != nil && o.Len() > 0 {
			n.patterns = true
			n.losses = append(n.losses, keywordText(name, value))
		}
	case "properties":
		if o == nil {
			return nil
		}
		for name, v := range o.All() {
			declared, err := r.schema(v)
			if err != nil {
				return within(name, err)
			}
			n.props = append(n.props, property{name, declared})
		}
	}
	return nil
}

// arrayKeyword reads the keywords for the items of lists. Before draft 2020-12, items with a
// list stood for prefixItems, and additionalItems for items.
func (r *reader) arrayKeyword(n *node, o *jsonobject.Tree, name string, value any) error {
	list, isList := value.([]any)
	_, tuple := o.Get("items")
	if items, _ := o.Get("items"); tuple {
		_, tuple = items.([]any)
	}
	var err error
	switch {
	case isList && name != "additionalItems":
		if n.prefix, err = r.schemas(list); len(list) > 0 {
			n.losses = append(n.losses, keywordText("prefixItems", value))
		}
	case name == "additionalItems" && !tuple:
	case value == false:
		n.bounds = append(n.bounds, bound{"maxItems", json.Number(strconv.Itoa(len(o.List("prefixItems")) + len(o.List("items"))))})
	default:
		if n.items, err = r.schema(value); err != nil {
			return within("[]", err)
		}
	}
	return err
}

// bound reads a keyword that limits values, or one that only a text can describe. It ignores
// unknown keywords.
func (r *reader) bound(n *node, o *jsonobject.Tree, name string, value any) {
	if _, isBound := boundTypes[name]; !isBound {
		if t, ok := lossTypes[name]; ok && (t == "" || hasType(typesOf(o), t)) {
			n.losses = append(n.losses, keywordText(name, value))
		}
		return
	}
	switch v := value.(type) {
	case json.Number, string:
	case bool:
		if name == "uniqueItems" && v {
			break
		}
		return // or the exclusiveMinimum of draft 4, which is read with minimum
	default:
		return
	}
	if name == "minimum" && isTrue(o, "exclusiveMinimum") {
		name = "exclusiveMinimum"
	}
	if name == "maximum" && isTrue(o, "exclusiveMaximum") {
		name = "exclusiveMaximum"
	}
	if _, isText := value.(string); isText != (name == "pattern" || name == "format") {
		return
	}
	if n, ok := count(value); ok && n == 0 && strings.HasPrefix(name, "min") && boundTypes[name] != "number" {
		return // it allows everything
	}
	n.bounds = append(n.bounds, bound{name, value})
}

// maxChain is the maximum number of references and allOf in a chain.
const maxChain = 32

// flatten returns n with the schemas of its $ref and allOf merged into it. It does not change
// those of its parts. It appends the references that it followed to *followed, unless followed
// is nil.
func (r *reader) flatten(n *node, followed *[]string, chain int) (*node, error) {
	if chain > maxChain {
		return nil, &RefusalError{Reason: "its references lead too far"}
	}
	if err := r.spend(1 + len(n.props) + len(n.enum)); err != nil {
		return nil, err
	}
	flat := *n
	flat.ref, flat.all = "", nil
	parts := n.all
	if n.ref != "" {
		if followed != nil {
			*followed = append(*followed, n.ref)
		}
		target, err := r.target(n.ref)
		if err != nil {
			return nil, err
		}
		parts = append([]*node{target}, parts...)
	}
	for _, part := range parts {
		p, err := r.flatten(part, followed, chain+1)
		if err != nil {
			return nil, err
		}
		flat = *merged(&flat, p)
	}
	simplify(&flat)
	return &flat, nil
}

// A RefusalError is the reason for which a dialect cannot express a schema.
type RefusalError struct {
	At     string // the property, such as "filter.tags[]"; empty for the root
	Reason string // the construct that cannot be expressed, and the remedy
}

// Error returns the property and the reason.
func (r *RefusalError) Error() string {
	if r.At == "" {
		return r.Reason
	}
	return fmt.Sprintf("%s: %s", r.At, r.Reason)
}

// within prepends a step to the property of an error.
func within(step string, err error) error {
	var refusal *RefusalError
	if !errors.As(err, &refusal) {
		return err
	}
	at := *refusal
	switch {
	case at.At == "" || strings.HasPrefix(at.At, "[]"):
		at.At = step + at.At
	default:
		at.At = step + "." + at.At
	}
	return &at
}
