package dialect

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// A grammar is a table of the constructs that a dialect accepts. The sources are Anthropic's
// documentation of strict tool use and structured outputs, OpenAI's guide to structured
// outputs, and the type Schema of Google's Go SDK.
type grammar struct {
	bounds        []string // keywords of bounds
	formats       []string
	strict        bool // objects are closed
	nulls         bool // every property is required; an optional one may be null
	keepsRefs     bool // $ref and $defs
	recursion     bool // references may lead back to themselves
	defaults      bool // the keyword default
	describedRefs bool // a description may stand beside $ref
	smallMinItems bool // minItems is 0 or 1
	openAPI       bool // upper-case types, nullable, enum of strings only
}

// grammarOf returns the grammar of a dialect whose schemas are rewritten.
func grammarOf(d Dialect) grammar {
	shared := []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
	switch d {
	case AnthropicStrict:
		return grammar{
			bounds:  []string{"minItems", "pattern", "format"},
			formats: append(shared, "uri"),
			strict:  true, keepsRefs: true, defaults: true, describedRefs: true, smallMinItems: true,
		}
	case OpenAIStrict:
		return grammar{
			bounds: []string{
				"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
				"minItems", "maxItems", "pattern", "format",
			},
			formats: shared,
			strict:  true, nulls: true, keepsRefs: true, recursion: true,
		}
	default:
		return grammar{
			bounds: []string{
				"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength",
				"minProperties", "maxProperties", "pattern", "format",
			},
			formats:  []string{"date-time", "int32", "int64", "float", "double"},
			defaults: true, openAPI: true,
		}
	}
}

// convertBound returns a bound in the grammar. ok is false if the grammar cannot express the
// bound, whole if it expresses only a part of it.
func (g *grammar) convertBound(b bound, types []string) (as bound, whole, ok bool) {
	n, counted := count(b.value)
	switch {
	case g.openAPI && strings.HasPrefix(b.keyword, "exclusive"):
		return inclusive(b, types)
	case !slices.Contains(g.bounds, b.keyword):
		return b, false, false
	case b.keyword == "format":
		known := slices.Contains(g.formats, b.text())
		return b, known, known
	case b.keyword == "pattern":
		simple := g.openAPI || simplePattern(b.text())
		return b, simple, simple
	case g.smallMinItems && b.keyword == "minItems":
		return bound{"minItems", number(1)}, counted && n <= 1, true
	case g.openAPI && boundTypes[b.keyword] != "number":
		return bound{b.keyword, number(n)}, counted, counted
	}
	return b, true, true
}

// inclusive returns the inclusive form of an exclusive bound. For integers it is the next
// integer, and exact.
func inclusive(b bound, types []string) (as bound, whole, ok bool) {
	keyword, step := "minimum", int64(1)
	if b.keyword == "exclusiveMaximum" {
		keyword, step = "maximum", -1
	}
	if !slices.Contains(types, "number") {
		if n, ok := next(b.value, step); ok {
			return bound{keyword, n}, true, true
		}
	}
	return bound{keyword, b.value}, false, true
}

// simplePattern reports whether a pattern has no look-around, no back-reference and no word
// boundary. Go's syntax does not have the first two.
func simplePattern(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && !strings.Contains(pattern, "(?") && plain(re)
}

func plain(re *syntax.Regexp) bool {
	if re.Op == syntax.OpWordBoundary || re.Op == syntax.OpNoWordBoundary {
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !plain(sub) })
}
