package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// maxFollowed is the maximum number of nested references and alternatives that want follows.
const maxFollowed = 6

// want returns a few words on the values that s accepts, such as `integer` or
// `one of "a", "b"`. It returns "" if s does not restrict the type.
func want(s *jsonschema.Schema) string { return wantWithin(s, maxFollowed) }

func wantWithin(s *jsonschema.Schema, steps int) string {
	switch {
	case steps == 0 || s == nil:
		return ""
	case len(s.Constant) > 0:
		return show(s.Constant[0])
	case len(s.Enum) == 1:
		return show(s.Enum[0])
	case len(s.Enum) > 1:
		return "one of " + listValues(s.Enum)
	case len(s.Types) > 0:
		return typed(s)
	}
	for _, part := range append([]*jsonschema.Schema{s.Ref}, s.AllOf...) {
		if text := wantWithin(part, steps-1); text != "" {
			return text
		}
	}
	if len(s.Properties) > 0 || len(s.Required) > 0 {
		return typed(s)
	}
	return wantAny(slices.Concat(s.AnyOf, s.OneOf), steps-1)
}

// wantAny joins the words on alternatives. It returns "" if one does not restrict the type.
func wantAny(alternatives []*jsonschema.Schema, steps int) string {
	var all []string
	for _, s := range alternatives {
		text := wantWithin(s, steps)
		if text == "" {
			return ""
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, " or ")
}

// typed returns the types of s, with the format or the required properties.
func typed(s *jsonschema.Schema) string {
	text := strings.Join(s.Types, " or ")
	if text == "" {
		text = "object"
	}
	switch {
	case text == "string" && s.Format != "":
		return text + " (" + s.Format + ")"
	case text == "object" && len(s.Required) > 0:
		return text + " with " + requirements(s)
	default:
		return text
	}
}

// requirements returns the required properties of s, with the value of those that allow only
// one.
func requirements(s *jsonschema.Schema) string {
	var all []string
	for _, name := range s.Required[:min(len(s.Required), maxListed)] {
		text := strictjson.Quote(name)
		if v, ok := onlyValue(s.Properties[name]); ok {
			text += ": " + show(v)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ") + andMore(len(s.Required))
}

func onlyValue(s *jsonschema.Schema) (any, bool) {
	switch {
	case s == nil:
		return nil, false
	case len(s.Constant) > 0:
		return s.Constant[0], true
	case len(s.Enum) == 1:
		return s.Enum[0], true
	default:
		return nil, false
	}
}

// wantKind returns the words of want without the required properties of an object. They
// follow the name of a missing property.
func wantKind(s *jsonschema.Schema) string {
	kind, _, _ := strings.Cut(want(s), " with ")
	return kind
}
