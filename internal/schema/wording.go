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

// wording says in one sentence how the value breaks the keyword.
func (l violation) wording() string {
	s := l.node
	switch l.keyword {
	case "type":
		return "got " + describe(l.value) + ", want " + strings.Join(s.Types, " or ")
	case "enum", "const":
		return l.choice()
	case "format":
		return l.format()
	case "not":
		return "this value is excluded" + prefixed(": it must not be ", want(s.Not))
	case "anyOf":
		return l.alternatives(s.AnyOf)
	case "oneOf":
		return l.alternatives(s.OneOf)
	case "dependentRequired", "dependencies":
		return l.dependent()
	case "multipleOf":
		return show(l.value) + " is not a multiple of " + showNumber(s.MultipleOf)
	case "pattern":
		return show(l.value) + " does not match the pattern " + strictjson.Cut(s.Pattern.String())
	case "contentEncoding":
		return "the string is not " + s.ContentEncoding + " encoded"
	case "contentMediaType":
		return "the string does not hold " + s.ContentMediaType
	case "contentSchema":
		return "the string does not hold JSON"
	case "uniqueItems":
		return l.repeated()
	}
	return l.bound()
}

// bound words the keywords that limit a size.
func (l violation) bound() string {
	s := l.node
	switch l.keyword {
	case "minimum":
		return show(l.value) + " is too small; want at least " + showNumber(s.Minimum)
	case "exclusiveMinimum":
		return show(l.value) + " is too small; want more than " + showNumber(s.ExclusiveMinimum)
	case "maximum":
		return show(l.value) + " is too large; want at most " + showNumber(s.Maximum)
	case "exclusiveMaximum":
		return show(l.value) + " is too large; want less than " + showNumber(s.ExclusiveMaximum)
	case "minLength":
		return l.tooFew("character", s.MinLength)
	case "maxLength":
		return l.tooMany("character", s.MaxLength)
	case "minItems":
		return l.tooFew("item", s.MinItems)
	case "maxItems":
		return l.tooMany("item", s.MaxItems)
	case "minProperties":
		return l.tooFew("property", s.MinProperties)
	case "maxProperties":
		return l.tooMany("property", s.MaxProperties)
	case "additionalItems":
		items, _ := s.Items.([]*jsonschema.Schema)
		return l.tooMany("item", len(items))
	case "minContains":
		return "at least " + count(s.MinContains, "item") + " must be " + cmp.Or(want(s.Contains), "as the schema asks")
	case "maxContains":
		return "at most " + count(s.MaxContains, "item") + " may be " + cmp.Or(want(s.Contains), "as the schema asks")
	default:
		return "this value does not satisfy " + strictjson.Quote(l.keyword)
	}
}

func (l violation) tooFew(noun string, least int) string {
	n := l.size()
	return fmt.Sprintf("%s %s too few; want at least %d", count(n, noun), isAre(n), least)
}

func (l violation) tooMany(noun string, most int) string {
	n := l.size()
	return fmt.Sprintf("%s %s too many; want at most %d", count(n, noun), isAre(n), most)
}

func (l violation) size() int {
	switch v := l.value.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// repeated words uniqueItems. Which items are equal only the validator knows.
func (l violation) repeated() string {
	var first, second int
	if _, err := fmt.Sscanf(l.message, "items at index %d and %d", &first, &second); err != nil {
		return "two items are equal; send each only once"
	}
	return fmt.Sprintf("items [%d] and [%d] are equal; send each only once", first, second)
}

// choice words enum and const.
func (l violation) choice() string {
	values := l.node.Enum
	if l.keyword == "const" {
		values = l.node.Constant
	}
	text := show(l.value) + " is not allowed; use "
	if len(values) == 1 {
		return text + show(values[0])
	}
	text += "one of " + listValues(values)
	if len(values) <= maxListed {
		return text
	}
	if got, ok := l.value.(string); ok {
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

// formatExamples shows a value of each format that has to be met exactly.
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

func (l violation) format() string {
	text := show(l.value) + " is not a valid " + l.node.Format
	if l.node.Format == "regex" {
		return text + " (RE2 syntax: no look-around, no back-references)"
	}
	return text + prefixed("; write it like ", formatExamples[l.node.Format])
}

// alternatives words anyOf and oneOf in one line.
func (l violation) alternatives(all []*jsonschema.Schema) string {
	if strings.HasPrefix(l.message, "valid against") {
		return "this value fits more than one alternative and must fit only one" + prefixed(": ", listAlternatives(all))
	}
	if choices := wantAny(all, maxFollowed); choices != "" && !strings.Contains(choices, " with ") {
		return "got " + describe(l.value) + ", want " + choices
	}
	return "got " + describe(l.value) + ", which fits no alternative" + prefixed(": ", listAlternatives(all))
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

// prefixed returns "" for an empty text.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
