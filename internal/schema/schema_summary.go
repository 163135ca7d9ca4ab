package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

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
