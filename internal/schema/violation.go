package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A violation is the violation of one keyword of a schema by one value.
type violation struct {
	node    *jsonschema.Schema // never nil
	keyword string             // "" if the schema is false
	path    string             // of the value
	value   any
	aspect  aspect
	message string // the validator's message
}

// problems returns the problems of the violation: some keywords have several.
func (v violation) problems() []Problem {
	object, _ := v.value.(map[string]any)
	switch {
	case v.aspect == aspectContent:
		return v.problem("the encoded content of this string does not follow its schema")
	case v.keyword == "" && strings.HasSuffix(v.node.Location, "/unevaluatedProperties"):
		return v.problem("unknown property; leave it out")
	case v.keyword == "":
		return v.problem("nothing is allowed here; leave it out")
	case v.keyword == "required":
		return v.missing(object)
	case v.keyword == "additionalProperties":
		return v.unknown(object)
	}
	text := v.wording()
	if v.aspect == aspectName {
		text = "the property name " + show(v.value) + " is not allowed: " + text
	}
	return v.problem(text)
}

func (v violation) problem(text string) []Problem { return []Problem{{Path: v.path, Message: text}} }

func (v violation) missing(object map[string]any) []Problem {
	var all []Problem
	for _, name := range v.node.Required {
		if _, ok := object[name]; ok {
			continue
		}
		text := "missing required property " + strictjson.Quote(name)
		if kind := wantKind(v.node.Properties[name]); kind != "" {
			text += " (" + kind + ")"
		}
		all = append(all, v.problem(text)...)
	}
	return all
}

func (v violation) unknown(object map[string]any) []Problem {
	names := make([]string, 0, len(v.node.Properties))
	for name := range v.node.Properties {
		names = append(names, name)
	}
	here := []*jsonschema.Schema{v.node}
	var all []Problem
	for key := range object {
		if v.node.Properties[key] != nil || matchesPattern(v.node, key) {
			continue
		}
		if name, ok := variantOf(here, key); ok {
			all = append(all, variantProblem(v.path, key, name))
			continue
		}
		all = append(all, unknownProperty(v.path, key, names))
	}
	return all
}

// unknownProperty words that an object has an undeclared key. Names are the declared ones.
func unknownProperty(path, key string, names []string) Problem {
	text := "unknown property " + strictjson.Quote(key) + "; "
	switch likely := nearest.Names(key, names, 1); {
	case len(likely) > 0:
		text += "did you mean " + strictjson.Quote(likely[0]) + "?"
	case len(names) > 0:
		text += "the properties are " + listNames(names)
	default:
		text += "leave it out"
	}
	return Problem{Path: path, Message: text}
}

func matchesPattern(s *jsonschema.Schema, key string) bool {
	for pattern := range s.PatternProperties {
		if pattern.MatchString(key) {
			return true
		}
	}
	return false
}

// dependent words the properties that are required because others are given.
func (v violation) dependent() string {
	object, _ := v.value.(map[string]any)
	needs := map[string][]string{}
	for name, others := range v.node.DependentRequired {
		needs[name] = append(needs[name], others...)
	}
	for name, others := range v.node.Dependencies {
		if others, ok := others.([]string); ok {
			needs[name] = append(needs[name], others...)
		}
	}
	var all []string
	for name, others := range needs {
		if _, given := object[name]; !given {
			continue
		}
		for _, other := range others {
			if _, ok := object[other]; !ok {
				all = append(all, fmt.Sprintf("property %s is required because %s is given", strictjson.Quote(other), strictjson.Quote(name)))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; ")
}
