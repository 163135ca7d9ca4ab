package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explain says for a model what err, the verdict of root on v, has found.
func explain(root *jsonschema.Schema, v any, err error) []Problem {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		// A schema that refers to itself without end, or a fault of the library.
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
	nodes    map[string]*jsonschema.Schema // by location
	root     any                           // the value that was validated
	problems []Problem
}

func (x *explainer) addAll(errs []*jsonschema.ValidationError) {
	for _, e := range errs {
		x.add(e)
	}
}

func (x *explainer) add(e *jsonschema.ValidationError) {
	l := x.violation(e)
	switch {
	case l.keyword == "anyOf" || l.keyword == "oneOf":
		x.addAlternatives(e, l)
	case len(e.Causes) > 0 && l.keyword != "minContains":
		x.addAll(e.Causes)
	default:
		x.problems = append(x.problems, l.problems()...)
	}
}

// addAlternatives explains why none of some alternatives fits. If the value's
// type or a tag in it leaves only one of them, the faults of that one count.
func (x *explainer) addAlternatives(e *jsonschema.ValidationError, l violation) {
	meant := e.Causes
	for _, mismatch := range []func(*jsonschema.ValidationError) bool{
		func(c *jsonschema.ValidationError) bool { return x.failsAt(c, e.InstanceLocation, "type") },
		func(c *jsonschema.ValidationError) bool { return x.failsTag(c, e.InstanceLocation) },
	} {
		meant = slices.DeleteFunc(slices.Clone(meant), mismatch)
		if len(meant) == 1 {
			x.add(meant[0])
			return
		}
	}
	x.problems = append(x.problems, l.problems()...)
}

// failsAt reports whether e says that the value at a location breaks a keyword.
func (x *explainer) failsAt(e *jsonschema.ValidationError, location, keyword string) bool {
	if len(e.Causes) == 0 {
		return e.InstanceLocation == location && x.violation(e).keyword == keyword
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool {
		return x.failsAt(c, location, keyword)
	})
}

// failsTag reports whether e says that a property of the object at a location
// has a value other than the listed ones.
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

// violation finds what an error is about.
func (x *explainer) violation(e *jsonschema.ValidationError) violation {
	l := violation{message: e.Message}
	l.node, l.keyword = x.node(e)
	l.aspect = aspectOf(e.KeywordLocation)
	location := e.InstanceLocation
	if l.aspect == aspectName {
		slash := strings.LastIndexByte(location, '/')
		l.value = unescape(location[slash+1:])
		l.path, _ = locate(x.root, location[:max(slash, 0)])
		return l
	}
	l.path, l.value = locate(x.root, location)
	return l
}

// node returns the schema that made an error, and which of its keywords did.
// The place of a keyword such as "not" is also that of the schema in it, which
// does not complain itself unless it allows nothing.
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
