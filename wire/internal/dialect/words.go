package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// maxKeywordText is the maximum number of bytes of JSON in one text of a description.
const maxKeywordText = 2000

// describe adds texts to a description.
func describe(description string, more []string) string {
	if len(more) == 0 {
		return description
	}
	added := "(" + strings.Join(more, "; ") + ")"
	if description = strings.TrimRight(description, " \n\t"); description == "" {
		return added
	}
	return description + " " + added
}

// keywordText describes a keyword and its value for the model.
func keywordText(keyword string, value any) string {
	shown := string(jsonobject.Encode(value))
	if len(shown) > maxKeywordText {
		return "further conditions on the input are checked when the tool is called (" + keyword + ")"
	}
	if form, ok := phrases[keyword]; ok {
		if text, isText := value.(string); isText && unquoted[keyword] {
			shown = text
		}
		return fmt.Sprintf(form, shown)
	}
	return keyword + " " + shown
}

// phrases are the descriptions of keywords that are not bounds of an amount.
var phrases = map[string]string{
	"additionalProperties":  "further properties: %s",
	"allOf":                 "all of %s",
	"anyOf":                 "any of %s",
	"oneOf":                 "exactly one of %s",
	"not":                   "must not fit %s",
	"const":                 "always %s",
	"contains":              "at least one item fits %s",
	"contentEncoding":       "encoded as %s",
	"contentMediaType":      "of the type %s",
	"default":               "default: %s",
	"dependencies":          "if one is given, so must others be: %s",
	"dependentRequired":     "if one is given, so must others be: %s",
	"dependentSchemas":      "if one is given, the input fits %s",
	"else":                  "else fits %s",
	"enum":                  "one of %s",
	"examples":              "examples: %s",
	"exclusiveMaximum":      "less than %s",
	"exclusiveMinimum":      "greater than %s",
	"format":                "format: %s",
	"if":                    "if it fits %s",
	"maximum":               "at most %s",
	"minimum":               "at least %s",
	"multipleOf":            "a multiple of %s",
	"pattern":               "matches the pattern %s",
	"patternProperties":     "properties by the pattern of their name: %s",
	"prefixItems":           "items in this order: %s",
	"propertyNames":         "names of properties fit %s",
	"then":                  "then fits %s",
	"unevaluatedItems":      "further items: %s",
	"unevaluatedProperties": "further properties: %s",
}

// unquoted are the keywords whose value is written without quotes.
var unquoted = map[string]bool{"contentEncoding": true, "contentMediaType": true, "format": true, "pattern": true}

// amounts maps each bound of an amount to both bounds and to the counted noun.
var amounts = map[string]struct{ least, most, one, many string }{
	"minItems":      {"minItems", "maxItems", "item", "items"},
	"maxItems":      {"minItems", "maxItems", "item", "items"},
	"minLength":     {"minLength", "maxLength", "character", "characters"},
	"maxLength":     {"minLength", "maxLength", "character", "characters"},
	"minProperties": {"minProperties", "maxProperties", "property", "properties"},
	"maxProperties": {"minProperties", "maxProperties", "property", "properties"},
	"minContains":   {"minContains", "maxContains", "of these items", "of these items"},
	"maxContains":   {"minContains", "maxContains", "of these items", "of these items"},
}

// boundTexts describes bounds, a pair of bounds in one phrase.
func boundTexts(bounds []bound) (all []string) {
	value := map[string]any{}
	for _, b := range bounds {
		value[b.keyword] = b.value
	}
	said := map[string]bool{}
	for _, b := range bounds {
		if said[b.keyword] {
			continue
		}
		said[b.keyword] = true
		if a, ok := amounts[b.keyword]; ok {
			said[a.least], said[a.most] = true, true
			all = append(all, amountText(value[a.least], value[a.most], a.one, a.many))
			continue
		}
		low, high := value["minimum"], value["maximum"]
		switch {
		case (b.keyword == "minimum" || b.keyword == "maximum") && low != nil && high != nil:
			said["minimum"], said["maximum"] = true, true
			all = append(all, fmt.Sprintf("from %s to %s", jsonobject.Encode(low), jsonobject.Encode(high)))
		case b.keyword == "uniqueItems":
			all = append(all, "no two items alike")
		default:
			all = append(all, keywordText(b.keyword, b.value))
		}
	}
	return all
}

func amountText(least, most any, one, many string) string {
	count := func(n any) string {
		if n == json.Number("1") {
			return "1 " + one
		}
		return string(jsonobject.Encode(n)) + " " + many
	}
	switch {
	case least == nil:
		return "at most " + count(most)
	case most == nil:
		return "at least " + count(least)
	case least == most:
		return "exactly " + count(least)
	default:
		return string(jsonobject.Encode(least)) + " to " + count(most)
	}
}

// joinNames joins names as in a sentence. The word last stands before the last one.
func joinNames(all []string, last string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " " + last + " " + all[len(all)-1]
}

// valueText lists values for the model.
func valueText(list []any) string {
	var all []string
	for _, v := range list {
		all = append(all, string(jsonobject.Encode(v)))
	}
	return strings.Join(all, ", ")
}
