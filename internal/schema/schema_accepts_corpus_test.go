package schema_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/schema"
)

// TestAcceptsCorpus checks that only valid calls are accepted, and how many.
func TestAcceptsCorpus(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		functions := compileFunctions(t, filepath.Join(folder, "bfcl", "functions.jsonl"))
		calls := countCalls(t, functions, filepath.Join(folder, "bfcl", "calls.jsonl"))
		mutated := countCalls(t, functions, filepath.Join(folder, "bfcl", "calls_mutated.jsonl"))
		tools := countSamples(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl"))
		corpus.Report(t, folder, "accepted %d of %d valid calls, %d of %d valid mutated calls, %d of %d valid inputs made up for tools",
			calls.accepted, calls.valid, mutated.accepted, mutated.valid, tools.accepted, tools.valid)
		require.GreaterOrEqual(t, 100*calls.accepted, 99*calls.valid)
		require.GreaterOrEqual(t, 100*mutated.accepted, 99*mutated.valid)
		require.GreaterOrEqual(t, 100*tools.accepted, 95*tools.valid)
	}
}

// acceptedOf counts inputs.
type acceptedOf struct{ accepted, valid int }

// add counts an input. It fails the test if an invalid one is accepted.
func (n *acceptedOf) add(t *testing.T, s *schema.Schema, input []byte, valid bool) {
	t.Helper()
	if valid {
		n.valid++
	}
	if s.Accepts(input) {
		require.True(t, valid, "%s", input)
		n.accepted++
	}
}

func countCalls(t *testing.T, functions map[string]*schema.Schema, path string) acceptedOf {
	t.Helper()
	var n acceptedOf
	for line, text := range corpus.Lines(t, path) {
		var row struct {
			FunctionID string `json:"function_id"`
			Arguments  json.RawMessage
			Valid      bool
		}
		require.NoError(t, json.Unmarshal(text, &row), "line %d", line)
		n.add(t, functions[row.FunctionID], row.Arguments, row.Valid)
	}
	return n
}

// countSamples makes up inputs for each tool: one that should fit, and some that
// are like it.
func countSamples(t *testing.T, path string) acceptedOf {
	t.Helper()
	var n acceptedOf
	for line, text := range corpus.Lines(t, path) {
		var row struct{ Parameters json.RawMessage }
		require.NoError(t, json.Unmarshal(text, &row), "line %d", line)
		s, err := schema.Compile(row.Parameters)
		if err != nil {
			continue
		}
		var doc map[string]any
		require.NoError(t, json.Unmarshal(row.Parameters, &doc), "line %d", line)
		input, err := json.Marshal(sample(doc, doc, 8))
		require.NoError(t, err)
		for _, alike := range variations(string(input)) {
			n.add(t, s, []byte(alike), slowly(s, []byte(alike)) == nil)
		}
	}
	return n
}

// sample returns a value that fits many schemas, of few levels. References go to
// definitions of doc.
func sample(doc map[string]any, s any, levels int) any {
	schema, _ := s.(map[string]any)
	if levels == 0 {
		return nil
	}
	for _, key := range []string{"enum", "anyOf", "oneOf", "allOf"} {
		if all, ok := schema[key].([]any); ok && key == "enum" {
			return all[0]
		} else if ok {
			return sample(doc, all[0], levels-1)
		}
	}
	for _, key := range []string{"const", "minimum"} {
		if v, ok := schema[key]; ok {
			return v
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		defs, _ := doc["$defs"].(map[string]any)
		return sample(doc, defs[strings.TrimPrefix(ref, "#/$defs/")], levels-1)
	}
	properties, declares := schema["properties"].(map[string]any)
	switch schema["type"] {
	case "array":
		return []any{sample(doc, schema["items"], levels-1)}
	case "integer":
		return 7
	case "number":
		return 0.5
	case "boolean":
		return true
	case "string":
		return "twelve marks"
	}
	object := map[string]any{}
	for name, value := range properties {
		object[name] = sample(doc, value, levels-1)
	}
	if !declares && schema["type"] != "object" {
		return nil
	}
	return object
}

// variations returns an object's text and some that differ a little.
func variations(input string) []string {
	open := strings.TrimSuffix(input, "}")
	next := open
	if open != "{" {
		next += ","
	}
	return []string{
		input,
		"{}",
		next + `"Name":1,"PATH":"x","other":[{}]}`,
		next + `"other":1,"\u006fther":2}`,
		open + strings.TrimPrefix(input, "{"),
		strings.ReplaceAll(input, "twelve marks", `\n`),
		strings.ReplaceAll(input, "7", "7.5"),
		strings.ReplaceAll(input, "0.5", "-1e2"),
		strings.ReplaceAll(input, "true", `"true"`),
		strings.ReplaceAll(input, "[", "[[],"),
		strings.ReplaceAll(input, `:"`, `:null,"x":"`),
		strings.ToUpper(input),
	}
}
