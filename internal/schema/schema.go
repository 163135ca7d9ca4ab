// Package schema turns Go types into JSON Schemas and checks the input of tools
// against schemas.
//
// A schema may come from an untrusted source: compiling it opens no file and no connection,
// and results in a schema or an error whatever its content is.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Schema is a compiled JSON Schema. It is immutable and may be used concurrently.
type Schema struct {
	raw  json.RawMessage
	root *jsonschema.Schema
	// applicable is nil if validation itself refuses all keys that differ from a declared
	// key only by letter case.
	applicable applicable
	// acceptor recognises most valid inputs, see Accepts.
	acceptor *acceptor
	foreign  *foreignBudget // nil if there are no foreign patterns
	defaults map[string]json.RawMessage
	hidden   []string // properties that are refused although the schema does not mention them
}

// Bytes returns the canonical text of the schema: see strictjson.Canonical. The caller must
// not change it.
func (s *Schema) Bytes() json.RawMessage { return s.raw }

// Validate checks v, a value as strictjson.Decode returns it. The error is an
// *[Invalid], worded for a model.
//
// The result is that of JSON Schema, with two additions. Validate refuses an undeclared key
// that differs from a declared one only by letter case, even where the schema allows
// undeclared keys: encoding/json would take it for the declared key. And it refuses numbers
// that have more than 1000 digits when written out, since comparing them is expensive. It
// refuses texts whose foreign patterns take more than a second to match, all together; a
// schema with such patterns validates one value at a time.
func (s *Schema) Validate(v any) error {
	if p, found := longNumber(v); found {
		return newInvalid([]Problem{p})
	}
	err := s.validate(v)
	problems := s.applicable.caseVariants(s.root, v)
	if err != nil {
		problems = append(problems, explain(s.root, v, err)...)
	}
	if len(s.hidden) > 0 {
		problems = append(problems, s.hiddenKeys(v, problems)...)
	}
	if len(problems) == 0 {
		return nil
	}
	return newInvalid(problems)
}

func (s *Schema) validate(v any) error {
	if s.foreign != nil {
		s.foreign.start()
		defer s.foreign.Unlock()
	}
	err := goroutine.Try(func() error { return s.root.Validate(v) })
	if err == nil && s.foreign != nil && s.foreign.exceeded {
		return errPatternTimeout // a schema such as not has accepted the value for it
	}
	return err
}

// Accepts reports whether raw is certainly valid: strictjson.Decode with the default limits
// decodes it, and Validate accepts the value.
//
// False does not mean that raw is invalid: Accepts gives up where a check is rare or
// expensive. It reads the text once, builds no values, and in most cases allocates nothing.
func (s *Schema) Accepts(raw []byte) bool {
	if len(raw) > strictjson.DefaultBytes || !utf8.Valid(raw) {
		return false
	}
	r := acceptReader{text: raw, levels: strictjson.DefaultDepth}
	if !r.value(s.acceptor) {
		return false
	}
	r.space()
	return r.pos == len(raw)
}

// Declares reports whether the schema itself names a property, without following
// references.
func (s *Schema) Declares(name string) bool { return s.root.Properties[name] != nil }

// Properties returns the names of the properties that the schema itself names, in no order.
func (s *Schema) Properties() []string { return slices.Collect(maps.Keys(s.root.Properties)) }

// Defaults returns the defaults of the properties that the schema itself names. The caller
// must not change the map.
func (s *Schema) Defaults() map[string]json.RawMessage { return s.defaults }

// defaultsOf returns the defaults of the properties of a decoded schema.
func defaultsOf(doc map[string]any) map[string]json.RawMessage {
	properties, _ := doc["properties"].(map[string]any)
	var all map[string]json.RawMessage
	for name, p := range properties {
		property, _ := p.(map[string]any)
		value, ok := property["default"]
		if !ok {
			continue
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // people read it
		if encoder.Encode(value) == nil {
			if all == nil {
				all = map[string]json.RawMessage{}
			}
			all[name] = bytes.TrimSpace(text.Bytes())
		}
	}
	return all
}

// Summary lists the properties of the input in one line, for a model that has not seen the
// schema: `"city": string, required; "days": integer`. The required ones come first, then
// the others by name. Summary names at most 20.
func (s *Schema) Summary() string {
	root := s.root
	for range maxFollowed {
		if root.Ref == nil || len(root.Properties) > 0 {
			break
		}
		root = root.Ref
	}
	optional := maps.Clone(root.Properties)
	for _, name := range root.Required {
		delete(optional, name)
	}
	all := slices.Concat(root.Required, slices.Sorted(maps.Keys(optional)))
	if len(all) == 0 {
		return "no properties that are declared"
	}
	var texts []string
	for i, name := range all[:min(len(all), maxListed)] {
		texts = append(texts, summaryOf(name, root.Properties[name], i < len(root.Required)))
	}
	return strings.Join(texts, "; ") + andMore(len(all))
}

func summaryOf(name string, s *jsonschema.Schema, required bool) string {
	text := strictjson.Quote(name)
	if kind := want(s); kind != "" {
		text += ": " + kind
	}
	if required {
		text += ", required"
	}
	return text
}

// Without returns the schema of an input to which a program adds the named properties
// afterwards. It does not mention them, and it refuses them as unknown, in any letter case,
// also where s allows undeclared properties. It accepts every other input that s accepts
// once they are added.
//
// The error is about a name that s does not declare, or says why s is no plain object.
func (s *Schema) Without(names []string) (*Schema, error) {
	decoded, err := jsonobject.Decode(s.raw, 0)
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	document, _ := decoded.(*jsonobject.Tree) // Compile accepts objects only
	root, err := flatObject(document)
	if err != nil {
		return nil, err
	}
	properties := root.Child("properties")
	for _, name := range names {
		if !properties.Has(name) {
			return nil, undeclared(name, slices.Sorted(maps.Keys(maps.Collect(properties.All()))))
		}
	}
	root.Set("properties", properties.Without(names...))
	required := slices.DeleteFunc(slices.Clone(root.List("required")), func(v any) bool {
		name, _ := v.(string)
		return slices.Contains(names, name)
	})
	if root.Set("required", required); len(required) == 0 {
		root.Delete("required")
	}
	if err := addDefinitions(root, document); err != nil {
		return nil, err
	}
	public, err := Compile(jsonobject.Encode(root))
	if err != nil {
		return nil, err
	}
	public.hidden = slices.Concat(s.hidden, names)
	public.acceptor = public.acceptor.refusing(public.hidden)
	return public, nil
}

// Hidden returns the properties that the schema is without. The caller must not change the list.
func (s *Schema) Hidden() []string { return s.hidden }

// hiddenKeys returns a problem for each hidden property in v that is not among the known
// problems.
func (s *Schema) hiddenKeys(v any, known []Problem) (found []Problem) {
	object, _ := v.(map[string]any)
	for key := range object {
		if !slices.ContainsFunc(s.hidden, func(name string) bool { return strings.EqualFold(name, key) }) {
			continue
		}
		p := unknownProperty("", key, s.Properties())
		start, _, _ := strings.Cut(p.Message, ";")
		if !slices.ContainsFunc(known, func(k Problem) bool { return strings.HasPrefix(k.Message, start+";") }) {
			found = append(found, p)
		}
	}
	return found
}

// refusing returns an acceptor of the objects that a accepts and that have none of the names.
func (a *acceptor) refusing(names []string) *acceptor {
	if len(a.either) > 0 || len(a.properties)+len(names) > maxDeclared {
		return &acceptor{}
	}
	own := *a
	own.properties = slices.Clone(a.properties)
	for _, name := range names {
		own.properties = append(own.properties, property{name: []byte(name), value: &acceptor{}})
	}
	return &own
}

func undeclared(name string, all []string) error {
	text := "the input has no property " + strictjson.Quote(name)
	switch likely := nearest.Names(name, all, 1); {
	case len(likely) > 0:
		text += "; did you mean " + strictjson.Quote(likely[0]) + "?"
	case len(all) > 0:
		text += "; the properties are " + listNames(all)
	}
	return errors.New(text)
}
