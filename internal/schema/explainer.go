package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explain returns the problems in err, the result of validating v with root, in words for
// a model.
func explain(root *jsonschema.Schema, v any, err error) []Problem {
	var invalid *jsonschema.ValidationError
	if errors.Is(err, errPatternTimeout) {
		return []Problem{{Message: "a text " + patternTimeout + " of the tool's schema; send shorter texts"}}
	}
	if !errors.As(err, &invalid) {
		// An endless reference in the schema, or a fault of the library.
		return []Problem{{Message: "this value cannot be checked against the tool's schema; send a simpler one"}}
	}
	x := explainer{nodes: map[string]*jsonschema.Schema{}, root: v}
	for _, s := range reachable(root) {
		x.nodes[s.Location] = s
	}
	x.addAll(invalid.Causes)
	if len(x.problems) == 0 {
		x.problems = []Problem{{Message: "this value does not fit the tool's schema"}}
	}
	return x.problems
}

// An explainer turns the validator's tree of errors into problems.
type explainer struct {
	nodes    map[string]*jsonschema.Schema // the schemas, by location
	root     any                           // the value that was validated
	problems []Problem
}

func (x *explainer) addAll(errs []*jsonschema.ValidationError) {
	for _, e := range errs {
		x.add(e)
	}
}

func (x *explainer) add(e *jsonschema.ValidationError) {
	v := x.violation(e)
	switch {
	case v.keyword == "anyOf" || v.keyword == "oneOf":
		x.addAlternatives(e, v)
	case len(e.Causes) > 0 && v.keyword != "minContains":
		x.addAll(e.Causes)
	default:
		x.problems = append(x.problems, v.problems()...)
	}
}

// addAlternatives explains why no alternative fits. If the value's type or a property with
// listed values leaves only one of them, it explains the faults of that one.
func (x *explainer) addAlternatives(e *jsonschema.ValidationError, v violation) {
	possible := e.Causes
	for _, mismatch := range []func(*jsonschema.ValidationError) bool{
		func(c *jsonschema.ValidationError) bool { return x.failsAt(c, e.InstanceLocation, "type") },
		func(c *jsonschema.ValidationError) bool { return x.failsTag(c, e.InstanceLocation) },
	} {
		possible = slices.DeleteFunc(slices.Clone(possible), mismatch)
		if len(possible) == 1 {
			x.add(possible[0])
			return
		}
	}
	x.problems = append(x.problems, v.problems()...)
}

// failsAt reports whether e contains a violation of a keyword by the value at a location.
func (x *explainer) failsAt(e *jsonschema.ValidationError, location, keyword string) bool {
	if len(e.Causes) == 0 {
		return e.InstanceLocation == location && x.violation(e).keyword == keyword
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool {
		return x.failsAt(c, location, keyword)
	})
}

// failsTag reports whether e contains a violation of enum or const by a property of the
// object at a location.
func (x *explainer) failsTag(e *jsonschema.ValidationError, location string) bool {
	if len(e.Causes) == 0 {
		child, below := strings.CutPrefix(e.InstanceLocation, location+"/")
		keyword := x.violation(e).keyword
		return below && !strings.Contains(child, "/") && (keyword == "const" || keyword == "enum")
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool {
		return x.failsTag(c, location)
	})
}

// violation returns the violation that an error stands for.
func (x *explainer) violation(e *jsonschema.ValidationError) violation {
	v := violation{message: e.Message}
	v.node, v.keyword = x.node(e)
	v.aspect = aspectOf(e.KeywordLocation)
	location := e.InstanceLocation
	if v.aspect == aspectName {
		slash := strings.LastIndexByte(location, '/')
		v.value = unescape(location[slash+1:])
		v.path, _ = locate(x.root, location[:max(slash, 0)])
		return v
	}
	v.path, v.value = locate(x.root, location)
	return v
}

// node returns the schema that an error comes from, and the keyword. A keyword such as "not"
// has the same location as the schema in it. An error comes from that schema only if the
// schema is false.
func (x *explainer) node(e *jsonschema.ValidationError) (*jsonschema.Schema, string) {
	location := e.AbsoluteKeywordLocation
	if s, ok := x.nodes[location]; ok && (e.Message == "" || s.Always != nil && !*s.Always) {
		return s, ""
	}
	for end := strings.LastIndexByte(location, '/'); end >= 0; end = strings.LastIndexByte(location[:end], '/') {
		if s, ok := x.nodes[location[:end]]; ok {
			keyword, _, _ := strings.Cut(location[end+1:], "/")
			return s, keyword
		}
	}
	return &jsonschema.Schema{}, ""
}
