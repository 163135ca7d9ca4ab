package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// wording returns one sentence on the violation.
func (v violation) wording() string {
	s := v.node
	switch v.keyword {
	case "type":
		return "got " + describe(v.value) + ", want " + strings.Join(s.Types, " or ")
	case "enum", "const":
		return v.choice()
	case "format":
		return v.format()
	case "not":
		return "this value is excluded" + prefixed(": it must not be ", want(s.Not))
	case "anyOf":
		return v.alternatives(s.AnyOf)
	case "oneOf":
		return v.alternatives(s.OneOf)
	case "dependentRequired", "dependencies":
		return v.dependent()
	case "multipleOf":
		return show(v.value) + " is not a multiple of " + showNumber(s.MultipleOf)
	case "pattern":
		return v.pattern()
	case "contentEncoding":
		return "the string is not " + s.ContentEncoding + " encoded"
	case "contentMediaType":
		return "the string does not hold " + s.ContentMediaType
	case "contentSchema":
		return "the string does not hold JSON"
	case "uniqueItems":
		return v.repeated()
	}
	return v.bound()
}

// pattern words the violation of a pattern.
func (v violation) pattern() string {
	foreign := foreignOf(v.node)
	switch {
	case v.node.Pattern != nil:
		return show(v.value) + " does not match the pattern " + strictjson.Cut(v.node.Pattern.String())
	case foreign == nil:
		return show(v.value) + " does not match the pattern"
	case v.message == patternTimeout:
		return show(v.value) + " " + patternTimeout + " " + strictjson.Cut(foreign.source) + "; send a shorter text"
	default:
		return show(v.value) + " does not match the pattern " + strictjson.Cut(foreign.source)
	}
}

// bound words the violation of a keyword that limits a size or an amount.
func (v violation) bound() string {
	s := v.node
	switch v.keyword {
	case "minimum":
		return show(v.value) + " is too small; want at least " + showNumber(s.Minimum)
	case "exclusiveMinimum":
		return show(v.value) + " is too small; want more than " + showNumber(s.ExclusiveMinimum)
	case "maximum":
		return show(v.value) + " is too large; want at most " + showNumber(s.Maximum)
	case "exclusiveMaximum":
		return show(v.value) + " is too large; want less than " + showNumber(s.ExclusiveMaximum)
	case "minLength":
		return v.tooFew("character", s.MinLength)
	case "maxLength":
		return v.tooMany("character", s.MaxLength)
	case "minItems":
		return v.tooFew("item", s.MinItems)
	case "maxItems":
		return v.tooMany("item", s.MaxItems)
	case "minProperties":
		return v.tooFew("property", s.MinProperties)
	case "maxProperties":
		return v.tooMany("property", s.MaxProperties)
	case "additionalItems":
		items, _ := s.Items.([]*jsonschema.Schema)
		return v.tooMany("item", len(items))
	case "minContains":
		return "at least " + count(s.MinContains, "item") + " must be " + cmp.Or(want(s.Contains), "as the schema asks")
	case "maxContains":
		return "at most " + count(s.MaxContains, "item") + " may be " + cmp.Or(want(s.Contains), "as the schema asks")
	default:
		return "this value does not satisfy " + strictjson.Quote(v.keyword)
	}
}

func (v violation) tooFew(noun string, low int) string {
	n := v.size()
	return fmt.Sprintf("%s %s too few; want at least %d", count(n, noun), isAre(n), low)
}

func (v violation) tooMany(noun string, high int) string {
	n := v.size()
	return fmt.Sprintf("%s %s too many; want at most %d", count(n, noun), isAre(n), high)
}

func (v violation) size() int {
	switch v := v.value.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// repeated words a violation of uniqueItems. Only the validator's message says which items
// are equal.
func (v violation) repeated() string {
	var first, second int
	if _, err := fmt.Sscanf(v.message, "items at index %d and %d", &first, &second); err != nil {
		return "two items are equal; send each only once"
	}
	return fmt.Sprintf("items [%d] and [%d] are equal; send each only once", first, second)
}

// choice words a violation of enum or const.
func (v violation) choice() string {
	values := v.node.Enum
	if v.keyword == "const" {
		values = v.node.Constant
	}
	text := show(v.value) + " is not allowed; use "
	if len(values) == 1 {
		return text + show(values[0])
	}
	text += "one of " + listValues(values)
	if len(values) <= maxListed {
		return text
	}
	if got, ok := v.value.(string); ok {
		var names []string
		for _, v := range values {
			if name, ok := v.(string); ok {
				names = append(names, name)
			}
		}
		if likely := nearest.Names(got, names, 1); len(likely) > 0 {
			text += "; did you mean " + strictjson.Quote(likely[0]) + "?"
		}
	}
	return text
}

// formatExamples holds a valid value of each format that values must match exactly.
var formatExamples = map[string]string{
	"date-time": "2026-01-31T14:30:00Z",
	"date":      "2026-01-31",
	"time":      "14:30:00Z",
	"duration":  "PT15M",
	"email":     "name@example.org",
	"hostname":  "www.example.org",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"uri":       "https://example.org/page",
	"uuid":      "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
	"regex":     "^[a-z]+$",
}

func (v violation) format() string {
	text := show(v.value) + " is not a valid " + v.node.Format
	if v.node.Format == "regex" {
		return text + " (RE2 syntax: no look-around, no back-references)"
	}
	return text + prefixed("; write it like ", formatExamples[v.node.Format])
}

// alternatives words a violation of anyOf or oneOf in one line.
func (v violation) alternatives(all []*jsonschema.Schema) string {
	if strings.HasPrefix(v.message, "valid against") {
		return "this value fits more than one alternative and must fit only one" + prefixed(": ", listAlternatives(all))
	}
	if choices := wantAny(all, maxFollowed); choices != "" && !strings.Contains(choices, " with ") {
		return "got " + describe(v.value) + ", want " + choices
	}
	return "got " + describe(v.value) + ", which fits no alternative" + prefixed(": ", listAlternatives(all))
}

func listAlternatives(all []*jsonschema.Schema) string {
	var shown []string
	for _, s := range all[:min(len(all), maxListed)] {
		text := want(s)
		if text == "" {
			text = "a value with further conditions"
		}
		if !slices.Contains(shown, text) {
			shown = append(shown, text)
		}
	}
	return strings.Join(shown, "; or ") + andMore(len(all))
}

// prefixed returns the prefix and the text, or "" if the text is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// maxProblems is the maximum number of problems that an error lists.
const maxProblems = 10

// Invalid lists the problems of an input, ordered by path and message. The same input always
// has the same problems.
type Invalid struct { //nolint:errname // the result of Validate is nil or *Invalid
	Problems []Problem // one to ten
	More     int       // number of other problems
}

// Error returns one line for each problem.
func (e *Invalid) Error() string {
	var text strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&text, "\nand %d more; mend these first", e.More)
	}
	return text.String()
}

// NewInvalid returns the error of one problem.
func NewInvalid(path, message string) *Invalid {
	return newInvalid([]Problem{{Path: path, Message: message}})
}

func newInvalid(problems []Problem) *Invalid {
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(comparePaths(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	problems = slices.Compact(problems)
	shown := min(len(problems), maxProblems)
	return &Invalid{Problems: slices.Clone(problems[:shown]), More: len(problems) - shown}
}
