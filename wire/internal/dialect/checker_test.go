package dialect_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// A checker finds what a provider's documents do not allow in a schema. It is
// written from sections 3.1 to 3.4 of the contracts and shares nothing with the
// code that converts.
type checker struct {
	rules    rules
	doc      map[string]any
	found    []string
	onPath   []string // references that are being followed
	checked  map[string]bool
	props    int
	chars    int
	enums    int
	deepest  int
	optional int
	unions   int
}

type rules struct {
	keywords     []string // nil for all
	formats      []string // nil for all
	closed       bool
	allRequired  bool
	noRecursion  bool
	openAPI      bool
	fewMinItems  bool
	openAISizes  bool
	parameter    *regexp.Regexp // nil for any name
	requiredRoot string
}

func rulesOf(d dialect.Dialect) rules {
	strictWords := strings.Fields("type enum const anyOf $ref $defs required properties additionalProperties items format pattern minItems title description")
	formats := strings.Fields("date-time time date duration email hostname ipv4 ipv6 uuid")
	anthropicName := regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	geminiName := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	switch d {
	case dialect.Anthropic:
		return rules{parameter: anthropicName, requiredRoot: "object"}
	case dialect.AnthropicStrict:
		return rules{
			keywords: append(slices.Clone(strictWords), "default", "allOf"), formats: append(slices.Clone(formats), "uri"),
			closed: true, noRecursion: true, fewMinItems: true, parameter: anthropicName, requiredRoot: "object",
		}
	case dialect.OpenAIStrict:
		return rules{
			keywords: append(slices.Clone(strictWords), strings.Fields("multipleOf minimum maximum exclusiveMinimum exclusiveMaximum maxItems")...),
			formats:  formats, closed: true, allRequired: true, openAISizes: true, requiredRoot: "object",
		}
	case dialect.GeminiSchema:
		return rules{
			keywords: strings.Fields("type format title description nullable default example enum items minItems maxItems properties propertyOrdering required minProperties maxProperties minimum maximum minLength maxLength pattern anyOf"),
			openAPI:  true, parameter: geminiName, requiredRoot: "OBJECT",
		}
	case dialect.GeminiJSON:
		return rules{parameter: geminiName, requiredRoot: "object"}
	default:
		return rules{requiredRoot: "object"}
	}
}

func values(words []string) (all []any) {
	for _, word := range words {
		all = append(all, word)
	}
	return all
}

// check returns what is wrong with a schema in a dialect.
func check(t testing.TB, raw json.RawMessage, d dialect.Dialect) []string {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(raw, &doc), "%s", raw)
	c := &checker{rules: rulesOf(d), doc: doc, checked: map[string]bool{}}
	if doc["type"] != c.rules.requiredRoot {
		c.fail("the root has the type %v", doc["type"])
	}
	for _, combinator := range []string{"oneOf", "anyOf", "allOf", "not", "$ref"} {
		if _, ok := doc[combinator]; ok {
			c.fail("the root has %s", combinator)
		}
	}
	properties, _ := doc["properties"].(map[string]any)
	for name := range properties {
		if c.rules.parameter != nil && !c.rules.parameter.MatchString(name) {
			c.fail("parameter %q", name)
		}
	}
	if c.rules.keywords != nil {
		c.schema(doc, 0)
		c.sizes()
	}
	return c.found
}

func (c *checker) fail(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// schema checks s, which is inside so many objects and lists.
func (c *checker) schema(v any, level int) {
	s, ok := v.(map[string]any)
	if !ok {
		c.fail("%v is no schema object", v)
		return
	}
	for keyword := range s {
		if !slices.Contains(c.rules.keywords, keyword) {
			c.fail("keyword %s", keyword)
		}
	}
	c.types(s)
	c.scalars(s)
	c.object(s, level)
	if items, ok := s["items"]; ok {
		c.deepest = max(c.deepest, level+1)
		c.schema(items, level+1)
	} else if s["type"] == "ARRAY" {
		c.fail("an array without items")
	}
	alternatives, _ := s["anyOf"].([]any)
	if _, ok := s["anyOf"]; ok && len(alternatives) == 0 {
		c.fail("anyOf is empty")
	}
	for _, alternative := range alternatives {
		c.schema(alternative, level)
	}
	if ref, ok := s["$ref"].(string); ok {
		c.reference(s, ref, level)
	}
}

func (c *checker) types(s map[string]any) {
	known := []any{"object", "array", "string", "number", "integer", "boolean", "null"}
	if c.rules.openAPI {
		known = []any{"OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "NULL"}
	}
	list, isList := s["type"].([]any)
	if !isList {
		list = []any{s["type"]}
	}
	for _, one := range list {
		if one == nil && (s["anyOf"] != nil || s["$ref"] != nil) {
			continue
		}
		if !slices.Contains(known, one) {
			c.fail("type %v", s["type"])
		}
	}
	if isList && (c.rules.openAPI || len(list) == 0) {
		c.fail("a list of types")
	}
	if isList || s["anyOf"] != nil {
		c.unions++
	}
}

func (c *checker) scalars(s map[string]any) {
	enum, _ := s["enum"].([]any)
	if _, ok := s["enum"]; ok && len(enum) == 0 {
		c.fail("enum is empty")
	}
	length := 0
	for _, v := range enum {
		text, isText := v.(string)
		_, isObject := v.(map[string]any)
		_, isList := v.([]any)
		switch {
		case isObject || isList:
			c.fail("enum lists %v", v)
		case c.rules.openAPI && (!isText || s["type"] != "STRING"):
			c.fail("enum lists %v of %v", v, s["type"])
		}
		length += len([]rune(text))
	}
	c.enums += len(enum)
	c.chars += length
	if len(enum) > 250 && length > 15_000 && c.rules.openAISizes {
		c.fail("an enum of %d characters", length)
	}
	if format, ok := s["format"]; ok && c.rules.formats != nil && !slices.Contains(values(c.rules.formats), format) {
		c.fail("format %v", format)
	}
	if pattern, ok := s["pattern"].(string); ok && c.rules.closed {
		for _, hard := range []string{`\b`, `\B`, "(?", `\1`, `\2`} {
			if strings.Contains(strings.ReplaceAll(pattern, `\\`, ""), hard) {
				c.fail("pattern %s", pattern)
			}
		}
	}
	if n, ok := s["minItems"].(float64); ok && c.rules.fewMinItems && n != 0 && n != 1 {
		c.fail("minItems %v", n)
	}
}

func (c *checker) object(s map[string]any, level int) {
	properties, has := s["properties"].(map[string]any)
	types, _ := s["type"].([]any)
	isObject := has || s["type"] == "object" || slices.Contains(types, any("object"))
	if c.rules.closed && isObject && s["additionalProperties"] != false {
		c.fail("an object without additionalProperties: false")
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := properties[fmt.Sprint(name)]; !ok {
			c.fail("%v is required and not declared", name)
		}
	}
	if c.rules.allRequired && len(required) != len(properties) {
		c.fail("%d of %d properties are required", len(required), len(properties))
	}
	if order, ok := s["propertyOrdering"].([]any); ok && len(order) != len(properties) {
		c.fail("propertyOrdering has %d of %d properties", len(order), len(properties))
	}
	c.optional += len(properties) - len(required)
	c.props += len(properties)
	if len(properties) > 0 {
		c.deepest = max(c.deepest, level+1)
	}
	for name, value := range properties {
		c.chars += len([]rune(name))
		c.schema(value, level+1)
	}
}

func (c *checker) reference(s map[string]any, ref string, level int) {
	if s["allOf"] != nil {
		c.fail("allOf beside $ref")
	}
	if c.rules.allRequired && len(s) > 1 {
		c.fail("keywords beside $ref")
	}
	if slices.Contains(c.onPath, ref) || ref == "#" {
		if c.rules.noRecursion {
			c.fail("recursion through %s", ref)
		}
		return
	}
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	defs, _ := c.doc["$defs"].(map[string]any)
	target, found := defs[name]
	if !ok || !found {
		c.fail("%s leads nowhere", ref)
		return
	}
	if c.checked[ref] {
		return
	}
	c.checked[ref] = true
	c.onPath = append(c.onPath, ref)
	c.schema(target, level)
	c.onPath = c.onPath[:len(c.onPath)-1]
}

func (c *checker) sizes() {
	if !c.rules.openAISizes {
		return
	}
	defs, _ := c.doc["$defs"].(map[string]any)
	for name := range defs {
		c.chars += len([]rune(name))
	}
	if c.props > 5000 || c.deepest > 10 || c.chars > 120_000 || c.enums > 1000 {
		c.fail("%d properties, %d levels, %d characters, %d values", c.props, c.deepest, c.chars, c.enums)
	}
}

// TestChecker makes sure that the checker sees what it is there for.
func TestChecker(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		dialect      dialect.Dialect
	}{
		{"root type", `{"properties":{}}`, dialect.OpenAI},
		{"root combinator", `{"type":"object","anyOf":[{}]}`, dialect.Anthropic},
		{"root reference", `{"type":"object","$ref":"#/$defs/a"}`, dialect.GeminiJSON},
		{"parameter of Anthropic", `{"type":"object","properties":{"$a":{}}}`, dialect.Anthropic},
		{"parameter of Gemini", `{"type":"object","properties":{"a-b":{}}}`, dialect.GeminiJSON},
		{"open object", `{"type":"object","properties":{}}`, dialect.AnthropicStrict},
		{"optional", `{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`, dialect.OpenAIStrict},
		{"bound", `{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}`, dialect.OpenAIStrict},
		{"minItems", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":2}},"additionalProperties":false}`, dialect.AnthropicStrict},
		{"recursion", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"additionalProperties":false,"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`, dialect.AnthropicStrict},
		{"pattern", `{"type":"object","properties":{"a":{"type":"string","pattern":"\\bx"}},"additionalProperties":false}`, dialect.AnthropicStrict},
		{"format", `{"type":"object","properties":{"a":{"type":"string","format":"uri"}},"required":["a"],"additionalProperties":false}`, dialect.OpenAIStrict},
		{"boolean schema", `{"type":"object","properties":{"a":true},"additionalProperties":false}`, dialect.AnthropicStrict},
		{"lower-case type", `{"type":"OBJECT","properties":{"a":{"type":"string"}}}`, dialect.GeminiSchema},
		{"enum of numbers", `{"type":"OBJECT","properties":{"a":{"type":"INTEGER","enum":[1]}}}`, dialect.GeminiSchema},
		{"list without items", `{"type":"OBJECT","properties":{"a":{"type":"ARRAY"}}}`, dialect.GeminiSchema},
		{"undeclared", `{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["b"]}`, dialect.GeminiSchema},
		{"nowhere", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"additionalProperties":false}`, dialect.AnthropicStrict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, check(t, json.RawMessage(tt.schema), tt.dialect))
		})
	}
}
