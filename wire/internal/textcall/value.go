package textcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// valueOf returns the JSON of a parameter that is written as text. Text that is JSON is taken as
// JSON if the schema declares the parameter and accepts no string for it; if the schema does not
// tell whether it accepts a string, that goes for objects and arrays only. Any other text becomes
// a string, which the check of the input may refuse.
func valueOf(schema json.RawMessage, name, text string) json.RawMessage {
	root, err := jsonobject.Decode(schema, 0)
	document, ok := root.(*jsonobject.Tree)
	if err != nil || !ok {
		return jsonobject.Quote(text)
	}
	trimmed := strings.TrimSpace(text)
	isJSON := json.Valid([]byte(trimmed))
	switch property, declared := document.Child("properties").Get(name); {
	case !isJSON:
	case !declared:
	case takesText(document, property, maxReferences) == no,
		takesText(document, property, maxReferences) == unknown && (trimmed[0] == '{' || trimmed[0] == '['):
		return json.RawMessage(trimmed)
	}
	return jsonobject.Quote(text)
}

// maxReferences is how many references and alternatives are followed one after the other.
const maxReferences = 16

// A verdict is that of takesText.
type verdict int

const (
	unknown verdict = iota
	no
	yes
)

// takesText reports whether a schema accepts any text at all.
func takesText(document *jsonobject.Tree, schema any, levels int) verdict {
	s, ok := schema.(*jsonobject.Tree)
	if !ok || levels == 0 {
		return unknown
	}
	if ref := s.Text("$ref"); ref != "" {
		target, _ := document.Find(ref)
		return takesText(document, target, levels-1)
	}
	switch kind, _ := s.Get("type"); kind := kind.(type) {
	case string:
		return is(kind == "string")
	case []any:
		return is(slices.Contains(kind, any("string")))
	}
	if values := s.List("enum"); len(values) > 0 {
		return is(slices.ContainsFunc(values, isText))
	}
	if value, ok := s.Get("const"); ok {
		return is(isText(value))
	}
	result := unknown
	for _, alternatives := range [][]any{s.List("anyOf"), s.List("oneOf"), s.List("allOf")} {
		for _, a := range alternatives {
			result = max(result, takesText(document, a, levels-1))
		}
	}
	return result
}

func is(b bool) verdict {
	if b {
		return yes
	}
	return no
}

func isText(v any) bool { _, ok := v.(string); return ok }
