package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// headerKeyword annotates a property that a client repeats in an HTTP header.
const headerKeyword = "x-mcp-header"

// dataKeywords hold values and no schemas.
var dataKeywords = []string{"default", "const", "enum", "example", "examples"}

// namedSchemas hold schemas by name: their keys are not keywords.
var namedSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}

// tokenCharacters are those of the name of an HTTP header, see RFC 9110.
const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"

// mayHaveHeaders reports whether the text of a schema may have annotations: it has the
// keyword, or escapes that may spell it.
func mayHaveHeaders(schema json.RawMessage) bool {
	return bytes.Contains(schema, []byte(headerKeyword)) || bytes.Contains(schema, []byte(`\u`))
}

// checkHeaders returns the first error in the header annotations of a schema. An annotation
// stands at a property of a primitive type that is reached from the root by properties alone,
// and names a header that no other property has. The rules are those of version 2026-07-28.
func checkHeaders(root *jsonobject.Tree) error {
	c := headerCheck{seen: map[string]string{}}
	return c.schema(root, "", false)
}

// A headerCheck walks through a schema.
type headerCheck struct {
	seen map[string]string // where a header is annotated, by its name in lower case
}

// schema checks a schema at a path. Property says that it is that of a property which is
// reached by properties alone.
func (c *headerCheck) schema(s *jsonobject.Tree, at string, property bool) error {
	if value, ok := s.Get(headerKeyword); ok {
		if err := c.annotation(s, value, at, property); err != nil {
			return fmt.Errorf("the inputSchema has a wrong %s at %s: %w", headerKeyword, strictjson.Quote(at), err)
		}
	}
	for keyword, value := range s.All() {
		if slices.Contains(dataKeywords, keyword) || keyword == headerKeyword {
			continue
		}
		here := at + "/" + keyword
		group, ok := value.(*jsonobject.Tree)
		if !ok || !slices.Contains(namedSchemas, keyword) {
			if err := c.value(value, here); err != nil {
				return err
			}
			continue
		}
		reached := keyword == "properties" && (property || at == "")
		for name, value := range group.All() {
			child, ok := value.(*jsonobject.Tree)
			if !ok {
				continue
			}
			if err := c.schema(child, here+"/"+name, reached); err != nil {
				return err
			}
		}
	}
	return nil
}

// value checks the schemas in the value of a keyword.
func (c *headerCheck) value(v any, at string) error {
	switch v := v.(type) {
	case *jsonobject.Tree:
		return c.schema(v, at, false)
	case []any:
		for i, item := range v {
			if err := c.value(item, fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotation checks one annotation, and remembers its header.
func (c *headerCheck) annotation(s *jsonobject.Tree, value any, at string, property bool) error {
	name, _ := value.(string)
	header := strings.ToLower(name)
	other, taken := c.seen[header]
	switch kind := s.Text("type"); {
	case !property:
		return errors.New("only properties that are reached through properties alone can have one")
	case name == "":
		return errors.New("it is not a text with at least one character")
	case strings.Trim(name, tokenCharacters) != "":
		return fmt.Errorf("%s is not the name of an HTTP header", strictjson.Quote(name))
	case kind != "string" && kind != "integer" && kind != "boolean":
		return errors.New("the property is not a string, an integer or a boolean")
	case taken:
		return fmt.Errorf("the one at %s names the same header", strictjson.Quote(other))
	}
	c.seen[header] = at
	return nil
}
