package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// inPlace returns the schemas that s applies to the same value: references, alternatives and
// conditions. It leaves out the schema in not, which does not describe the value.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat(
		[]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.DynamicRef, s.If, s.Then, s.Else},
		s.AllOf, s.AnyOf, s.OneOf,
	)
	for _, d := range s.DependentSchemas {
		parts = append(parts, d)
	}
	for _, d := range s.Dependencies {
		if d, ok := d.(*jsonschema.Schema); ok {
			parts = append(parts, d)
		}
	}
	return slices.DeleteFunc(parts, func(p *jsonschema.Schema) bool { return p == nil })
}

// below returns the schemas that s applies to parts of the value, and the schema in not.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat(
		[]*jsonschema.Schema{
			s.Not, s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems,
			s.Items2020, s.Contains, s.ContentSchema,
		},
		s.PrefixItems,
	)
	for _, p := range s.Properties {
		parts = append(parts, p)
	}
	for _, p := range s.PatternProperties {
		parts = append(parts, p)
	}
	for _, either := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch either := either.(type) {
		case *jsonschema.Schema:
			parts = append(parts, either)
		case []*jsonschema.Schema:
			parts = append(parts, either...)
		}
	}
	return slices.DeleteFunc(parts, func(p *jsonschema.Schema) bool { return p == nil })
}

// reachable returns root and every schema that can be reached from it, each once.
func reachable(root *jsonschema.Schema) []*jsonschema.Schema {
	return closure(root, func(s *jsonschema.Schema) []*jsonschema.Schema {
		return append(inPlace(s), below(s)...)
	})
}

// closure returns start and all schemas that can be reached from it by next, each once.
func closure(start *jsonschema.Schema, next func(*jsonschema.Schema) []*jsonschema.Schema) []*jsonschema.Schema {
	found := []*jsonschema.Schema{start}
	seen := map[*jsonschema.Schema]bool{start: true}
	for i := 0; i < len(found); i++ {
		for _, s := range next(found[i]) {
			if !seen[s] {
				seen[s] = true
				found = append(found, s)
			}
		}
	}
	return found
}
