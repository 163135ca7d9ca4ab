package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// applicable maps each schema that applies others to the same value to itself and all of
// them. Other schemas are missing.
type applicable map[*jsonschema.Schema][]*jsonschema.Schema

// applicableOf returns the applicable schemas of all schemas under root, or nil if
// validation itself finds all case variants.
func applicableOf(root *jsonschema.Schema) applicable {
	all := reachable(root)
	if !slices.ContainsFunc(all, takesVariants) {
		return nil
	}
	p := applicable{}
	for _, s := range all {
		if len(inPlace(s)) > 0 {
			p[s] = closure(s, inPlace)
		}
	}
	return p
}

// takesVariants reports whether s declares properties and accepts other keys.
func takesVariants(s *jsonschema.Schema) bool {
	closed := s.AdditionalProperties == false && len(s.PatternProperties) == 0
	return len(s.Properties) > 0 && !closed
}

// caseVariants returns a problem for each undeclared key in v that differs from a declared
// key only by letter case.
func (p applicable) caseVariants(root *jsonschema.Schema, v any) []Problem {
	if p == nil {
		return nil
	}
	search := variantSearch{applicable: p}
	search.value(p.add(nil, root), v, nil)
	return search.found
}

// add appends s, and the schemas that it applies to the same value, to schemas.
func (p applicable) add(schemas []*jsonschema.Schema, s *jsonschema.Schema) []*jsonschema.Schema {
	all, ok := p[s]
	if !ok {
		all = []*jsonschema.Schema{s}
	}
	for _, s := range all {
		if !slices.Contains(schemas, s) {
			schemas = append(schemas, s)
		}
	}
	return schemas
}

// A variantSearch finds case variants of declared keys.
type variantSearch struct {
	applicable applicable
	found      []Problem
}

// value searches v, to which all of the schemas apply.
func (f *variantSearch) value(schemas []*jsonschema.Schema, v any, at *strictjson.Trail) {
	switch v := v.(type) {
	case map[string]any:
		f.object(schemas, v, at)
	case []any:
		for i, item := range v {
			if !isContainer(item) {
				continue
			}
			var room [4]*jsonschema.Schema
			inner := room[:0]
			for _, s := range schemas {
				if below := itemSchema(s, i); below != nil {
					inner = f.applicable.add(inner, below)
				}
			}
			if len(inner) > 0 {
				f.value(inner, item, at.Index(i))
			}
		}
	}
}

func (f *variantSearch) object(schemas []*jsonschema.Schema, object map[string]any, at *strictjson.Trail) {
	for key, value := range object {
		if name, ok := variantOf(schemas, key); ok {
			f.found = append(f.found, variantProblem(at.Path(), key, name))
		}
		if !isContainer(value) {
			continue
		}
		var room [4]*jsonschema.Schema
		inner := room[:0]
		for _, s := range schemas {
			inner = f.addProperty(inner, s, key)
		}
		if len(inner) > 0 {
			f.value(inner, value, at.Key(key))
		}
	}
}

// addProperty appends the schemas that s applies to the value of key.
func (f *variantSearch) addProperty(inner []*jsonschema.Schema, s *jsonschema.Schema, key string) []*jsonschema.Schema {
	declared, known := s.Properties[key]
	if known {
		inner = f.applicable.add(inner, declared)
	}
	for pattern, p := range s.PatternProperties {
		if pattern.MatchString(key) {
			inner, known = f.applicable.add(inner, p), true
		}
	}
	if known {
		return inner
	}
	if other, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		inner = f.applicable.add(inner, other)
	}
	if s.UnevaluatedProperties != nil {
		inner = f.applicable.add(inner, s.UnevaluatedProperties)
	}
	return inner
}

// itemSchema returns the schema that s applies to the element at index i, or nil.
func itemSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	if s.Items2020 != nil {
		return s.Items2020
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
		if other, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
			return other
		}
	}
	return s.UnevaluatedItems
}

// variantOf returns the declared property of which key is a case variant.
func variantOf(schemas []*jsonschema.Schema, key string) (string, bool) {
	for _, s := range schemas {
		if _, declared := s.Properties[key]; declared {
			return "", false
		}
	}
	name, found := "", false
	for _, s := range schemas {
		for p := range s.Properties {
			if strings.EqualFold(p, key) && (!found || p < name) {
				name, found = p, true
			}
		}
	}
	return name, found
}

func variantProblem(parent, key, name string) Problem {
	declared := strictjson.Quote(name)
	return Problem{
		Path:    strictjson.AppendKey(parent, key),
		Message: fmt.Sprintf("this key differs from %s only by letter case; use %s", declared, declared),
	}
}

// isContainer reports whether a value is an object or list.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
