package dialect_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// TestSchemasForbidNothing takes every real call that the canonical schema accepts
// to each converted schema: it accepts it too. In the strict dialects, calls with
// properties that are not declared are the documented exception. For OpenAI the
// call is shaped as the strict form asks, and Denull makes of that what it was.
func TestSchemasForbidNothing(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		functions := map[string]row{}
		all, _ := compiled(t, filepath.Join(folder, "bfcl", "functions.jsonl"))
		for _, r := range all {
			functions[r.id] = r
		}
		s := soundness{forms: map[string]*form{}, accepted: map[dialect.Dialect]int{}, beyond: map[dialect.Dialect]int{}}
		for _, file := range []string{"calls.jsonl", "calls_mutated.jsonl"} {
			for _, line := range corpus.Lines(t, filepath.Join(folder, "bfcl", file)) {
				var call struct {
					FunctionID string `json:"function_id"`
					Arguments  json.RawMessage
				}
				require.NoError(t, json.Unmarshal(line, &call))
				s.call(t, functions[call.FunctionID], call.Arguments)
			}
		}
		s.report(t, folder, "bfcl calls")

		s = soundness{forms: map[string]*form{}, accepted: map[dialect.Dialect]int{}, beyond: map[dialect.Dialect]int{}}
		tools, _ := compiled(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl"))
		for _, r := range tools {
			for variant := range 3 {
				input, err := json.Marshal(sampler{root: generic(t, r.raw), variant: variant}.of(generic(t, r.raw), 8))
				require.NoError(t, err)
				s.call(t, r, input)
			}
		}
		s.report(t, folder, "inputs made up for mcp-schemas")
	}
}

// soundness counts the inputs that converted schemas accept.
type soundness struct {
	forms    map[string]*form // by id and dialect
	accepted map[dialect.Dialect]int
	beyond   map[dialect.Dialect]int // with properties that are not declared
	restored int
	same     int // of these, held nulls and hold none any more
}

type form struct {
	schema *schema.Schema // nil if the dialect cannot express it
	text   json.RawMessage
	names  dialect.Parameters
}

func (s *soundness) report(t *testing.T, folder, what string) {
	t.Helper()
	for _, d := range dialects() {
		corpus.Report(t, folder, "%s: %-29s %5d accepted, %d with properties not declared", what, d.String()+":", s.accepted[d], s.beyond[d])
		require.Greater(t, s.accepted[d], 1000)
	}
	corpus.Report(t, folder, "%s: %d came back from their null-shaped form, %d of them with all their nulls gone", what, s.restored, s.same)
	require.Greater(t, s.same, 1000)
}

// call checks one input of a tool, if the canonical schema accepts it.
func (s *soundness) call(t *testing.T, r row, input json.RawMessage) {
	t.Helper()
	if !accepts(r.schema, input) {
		return
	}
	for _, d := range dialects() {
		f := s.form(t, r, d)
		if f.schema == nil {
			continue
		}
		sent := f.names.ToAPI(input)
		require.JSONEq(t, string(input), string(f.names.ToTool(sent)))
		if d == dialect.OpenAIStrict {
			sent = nullShaped(t, generic(t, f.text), input)
		}
		if accepts(f.schema, sent) {
			s.accepted[d]++
		} else {
			strict := d == dialect.AnthropicStrict || d == dialect.OpenAIStrict
			require.True(t, strict && !accepts(closed(t, r.raw), input), "%s in %s\n%s\n%s\n%s", r.id, d, r.raw, f.text, sent)
			s.beyond[d]++
			continue
		}
		if d == dialect.OpenAIStrict {
			back := dialect.Denull(sent, r.raw)
			if string(back) != string(sent) && !bytes.Contains(back, []byte("null")) {
				require.JSONEq(t, string(input), string(back), "%s %s", r.id, r.raw)
				s.same++
			}
			require.Equal(t, withoutNulls(generic(t, input)), withoutNulls(generic(t, back)), "%s %s", r.id, r.raw)
			require.True(t, accepts(r.schema, back))
			s.restored++
		}
	}
}

func (s *soundness) form(t *testing.T, r row, d dialect.Dialect) *form {
	t.Helper()
	key := r.id + d.String()
	if f, ok := s.forms[key]; ok {
		return f
	}
	f := &form{}
	s.forms[key] = f
	c, err := dialect.Convert(r.raw, d)
	if err != nil {
		return f
	}
	f.names = c.Parameters
	if f.text = c.Schema; string(f.text) == string(r.raw) {
		f.schema = r.schema
		return f
	}
	if d == dialect.GeminiSchema {
		f.text, err = json.Marshal(fromOpenAPI(generic(t, c.Schema)))
		require.NoError(t, err)
	}
	f.schema, err = schema.Compile(f.text)
	require.NoError(t, err, "%s", f.text)
	return f
}

func accepts(s *schema.Schema, input json.RawMessage) bool {
	v, err := strictjson.Decode(input, strictjson.Limits{})
	return err == nil && s.Validate(v) == nil
}

func generic(t testing.TB, raw json.RawMessage) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

// below calls f with every schema below s, named or in a list, and s itself last.
func below(v any, f func(map[string]any)) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range []string{"properties", "$defs", "definitions"} {
		named, _ := s[keyword].(map[string]any)
		for _, one := range named {
			below(one, f)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "items", "prefixItems"} {
		list, isList := s[keyword].([]any)
		if !isList {
			list = []any{s[keyword]}
		}
		for _, one := range list {
			below(one, f)
		}
	}
	f(s)
}

// withoutNulls drops the properties that are null: where the canonical schema takes
// null, too, Denull cannot tell it from a property left out, and keeps it.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if value == nil {
				delete(v, name)
			} else {
				v[name] = withoutNulls(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}

// closed compiles a schema that takes declared properties only.
func closed(t *testing.T, raw json.RawMessage) *schema.Schema {
	t.Helper()
	doc := generic(t, raw)
	below(doc, func(s map[string]any) {
		if s["properties"] != nil || s["type"] == "object" {
			s["additionalProperties"] = false
		}
	})
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	c, err := schema.Compile(text)
	require.NoError(t, err)
	return c
}

// fromOpenAPI returns the JSON Schema that means what the OpenAPI one does.
func fromOpenAPI(doc map[string]any) map[string]any {
	below(doc, func(s map[string]any) {
		name, _ := s["type"].(string)
		if s["type"] = strings.ToLower(name); name == "" {
			delete(s, "type")
		}
		if s["nullable"] != true {
			return
		}
		inner := maps.Clone(s)
		clear(s)
		s["anyOf"] = []any{inner, map[string]any{"type": "null"}}
	})
	return doc
}

// nullShaped returns an input in which every property is there that the strict
// schema declares; those that are left out are null.
func nullShaped(t *testing.T, strict map[string]any, input json.RawMessage) json.RawMessage {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(input, &v))
	text, err := json.Marshal(shape(strict, strict, v))
	require.NoError(t, err)
	return text
}

func shape(doc map[string]any, schema, v any) any {
	s := resolved(doc, schema)
	alternatives, _ := s["anyOf"].([]any)
	for _, one := range alternatives {
		if fitsShallowly(resolved(doc, one), v) {
			return shape(doc, one, v)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = shape(doc, s["items"], v[i])
		}
	case map[string]any:
		for name, p := range properties {
			if value, given := v[name]; given {
				v[name] = shape(doc, p, value)
			} else {
				v[name] = nil
			}
		}
	}
	return v
}

// fitsShallowly reports whether v may be what one alternative of a strict schema
// describes: by its type, the names of its properties and their listed values.
func fitsShallowly(s map[string]any, v any) bool {
	switch v := v.(type) {
	case []any:
		return s["type"] == "array"
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for name, value := range v {
			p, ok := properties[name].(map[string]any)
			enum, listed := p["enum"].([]any)
			if _, isText := value.(string); !ok || listed && isText && !slices.Contains(enum, value) {
				return false
			}
		}
		return s["type"] == "object"
	}
	return s["type"] != "object" && s["type"] != "array"
}

func resolved(doc map[string]any, v any) map[string]any {
	s, _ := v.(map[string]any)
	for range 8 {
		ref, ok := s["$ref"].(string)
		if !ok {
			break
		}
		var at any = doc
		for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			o, _ := at.(map[string]any)
			at = o[step]
		}
		s, _ = at.(map[string]any)
	}
	return s
}

// A sampler makes up values that fit many schemas.
type sampler struct {
	root    map[string]any
	variant int // 0: all properties, 1: only those required, 2: other alternatives
}

func (g sampler) of(v any, levels int) any {
	s := resolved(g.root, v)
	if levels == 0 {
		return nil
	}
	for _, keyword := range []string{"enum", "anyOf", "oneOf", "allOf"} {
		list, ok := s[keyword].([]any)
		if !ok || len(list) == 0 {
			continue
		}
		one := list[min(g.variant, len(list)-1)]
		if keyword == "enum" {
			return one
		}
		return g.of(one, levels-1)
	}
	for _, keyword := range []string{"const", "minimum", "default"} {
		if v, ok := s[keyword]; ok {
			return v
		}
	}
	kind := s["type"]
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[min(g.variant, len(list)-1)]
	}
	switch kind {
	case "array":
		return []any{g.of(s["items"], levels-1)}
	case "integer", "number":
		return 7
	case "boolean":
		return true
	case "null":
		return nil
	case "string":
		return "twelve marks"
	}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	object := map[string]any{}
	for name, p := range properties {
		if g.variant != 1 || slices.Contains(required, any(name)) {
			object[name] = g.of(p, levels-1)
		}
	}
	return object
}
