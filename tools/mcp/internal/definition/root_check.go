package definition

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// maxLooks is how many schemas are looked at behind references and combinators.
const maxLooks = 1000

// rootCombinators are the keywords that restrict the root beside its type.
var rootCombinators = []string{"$ref", "allOf", "anyOf", "oneOf", "enum", "const"}

// hasRootCombinator reports whether the root of a schema, which is a valid JSON object, has
// one of them.
func hasRootCombinator(schema json.RawMessage) bool {
	s := jsonscan.Scanner{Text: schema}
	s.Next()
	s.Pos++
	for s.More() {
		key := jsonscan.Unquote(s.Value())
		if s.Value(); slices.Contains(rootCombinators, key) {
			return true
		}
	}
	return false
}

// A rootCheck finds out whether an object may be valid under a schema.
type rootCheck struct {
	root *jsonobject.Tree
	left int // schemas that may still be looked at
}

// mayBeObject reports whether an object may be valid under a schema of the document, as far as
// types, values and combinators tell without following properties. Where there is too much to
// look at, it may be.
func (c *rootCheck) mayBeObject(schema any) bool {
	s, ok := schema.(*jsonobject.Tree)
	if c.left--; !ok || c.left < 0 {
		return schema != false
	}
	if target, ok := c.root.Find(s.Text("$ref")); ok && s.Has("$ref") && !c.mayBeObject(target) {
		return false
	}
	if value, ok := s.Get("const"); ok && !isObject(value) {
		return false
	}
	refused := func(v any) bool { return !c.mayBeObject(v) }
	return admitsObject(s) &&
		(!s.Has("enum") || slices.ContainsFunc(s.List("enum"), isObject)) &&
		!slices.ContainsFunc(s.List("allOf"), refused) &&
		(len(s.List("anyOf")) == 0 || slices.ContainsFunc(s.List("anyOf"), c.mayBeObject)) &&
		(len(s.List("oneOf")) == 0 || slices.ContainsFunc(s.List("oneOf"), c.mayBeObject))
}

func isObject(v any) bool {
	_, ok := v.(*jsonobject.Tree)
	return ok
}

// admitsObject reports whether the type of a schema, if it has one, is that of objects.
func admitsObject(s *jsonobject.Tree) bool {
	switch t, _ := s.Get("type"); t := t.(type) {
	case string:
		return t == "object"
	case []any:
		return slices.Contains(t, any("object"))
	}
	return true
}
