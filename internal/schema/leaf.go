package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A violation is one keyword of a schema that one value breaks.
type violation struct {
	node    *jsonschema.Schema // never nil
	keyword string             // "" where nothing is allowed
	path    string             // of the value
	value   any
	aspect  aspect
	message string // the validator's own
}

// problems says what is wrong. Some keywords find several faults at once.
func (l violation) problems() []Problem {
	object, _ := l.value.(map[string]any)
	switch {
	case l.aspect == aspectContent:
		return l.problem("the encoded content of this string does not follow its schema")
	case l.keyword == "" && strings.HasSuffix(l.node.Location, "/unevaluatedProperties"):
		return l.problem("unknown property; leave it out")
	case l.keyword == "":
		return l.problem("nothing is allowed here; leave it out")
	case l.keyword == "required":
		return l.missing(object)
	case l.keyword == "additionalProperties":
		return l.unknown(object)
	}
	text := l.wording()
	if l.aspect == aspectName {
		text = "the property name " + show(l.value) + " is not allowed: " + text
	}
	return l.problem(text)
}

func (l violation) problem(text string) []Problem { return []Problem{{Path: l.path, Message: text}} }

func (l violation) missing(object map[string]any) []Problem {
	var all []Problem
	for _, name := range l.node.Required {
		if _, ok := object[name]; ok {
			continue
		}
		text := "missing required property " + strictjson.Quote(name)
		if kind := wantKind(l.node.Properties[name]); kind != "" {
			text += " (" + kind + ")"
		}
		all = append(all, l.problem(text)...)
	}
	return all
}

func (l violation) unknown(object map[string]any) []Problem {
	names := make([]string, 0, len(l.node.Properties))
	for name := range l.node.Properties {
		names = append(names, name)
	}
	here := []*jsonschema.Schema{l.node}
	var all []Problem
	for key := range object {
		if l.node.Properties[key] != nil || matchesPattern(l.node, key) {
			continue
		}
		if name, ok := variantOf(here, key); ok {
			all = append(all, variantProblem(l.path, key, name))
			continue
		}
		text := "unknown property " + strictjson.Quote(key) + "; "
		switch likely := nearest.Names(key, names, 1); {
		case len(likely) > 0:
			text += "did you mean " + strictjson.Quote(likely[0]) + "?"
		case len(names) > 0:
			text += "the properties are " + listNames(names)
		default:
			text += "leave it out"
		}
		all = append(all, l.problem(text)...)
	}
	return all
}

func matchesPattern(s *jsonschema.Schema, key string) bool {
	for pattern := range s.PatternProperties {
		if pattern.MatchString(key) {
			return true
		}
	}
	return false
}

// dependent lists what else is needed because other properties are there.
func (l violation) dependent() string {
	object, _ := l.value.(map[string]any)
	needs := map[string][]string{}
	for name, others := range l.node.DependentRequired {
		needs[name] = append(needs[name], others...)
	}
	for name, others := range l.node.Dependencies {
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
