package schema_test

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

var knownReasons = []schema.Reason{
	schema.NotJSON, schema.TooLarge, schema.NotObject, schema.NotSchema, schema.UnknownDialect,
	schema.ExternalReference, schema.UnknownReference, schema.EndlessReference,
}

// TestSchemas compiles the schemas of real tools and checks real calls.
func TestSchemas(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		functions := compileFunctions(t, filepath.Join(folder, "bfcl", "functions.jsonl"))
		calls := checkCalls(t, functions, filepath.Join(folder, "bfcl", "calls.jsonl"))
		mutated := checkCalls(t, functions, filepath.Join(folder, "bfcl", "calls_mutated.jsonl"))
		accepted, refused := compileTools(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl"))
		count := 0
		for _, n := range refused {
			count += n
		}
		corpus.Report(t, folder,
			"%d functions compiled; %d calls and %d mutated calls got their verdict; %d tools compiled, %d did not%s",
			len(functions), calls, mutated, accepted, count, listed(refused))
	}
}

// listed writes reasons with their counts.
func listed(reasons map[string]int) string {
	if len(reasons) == 0 {
		return ""
	}
	var all []string
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		all = append(all, strconv.Itoa(reasons[r])+" "+r)
	}
	return " (" + strings.Join(all, "; ") + ")"
}

// reasonOf returns why a schema was refused, without the place in it.
func reasonOf(refusal *schema.RefusalError) string {
	var invalid *schema.Invalid
	if errors.As(refusal, &invalid) {
		return string(refusal.Reason) + ": " + invalid.Problems[0].Message
	}
	return refusal.Error()
}

func compileFunctions(t *testing.T, path string) map[string]*schema.Schema {
	t.Helper()
	functions := map[string]*schema.Schema{}
	for line, text := range corpus.Lines(t, path) {
		var row struct {
			ID         string
			Parameters json.RawMessage
		}
		require.NoError(t, json.Unmarshal(text, &row), "line %d", line)
		s, err := schema.Compile(row.Parameters)
		if err != nil {
			t.Errorf("%s:%d: %v", path, line, err)
			continue
		}
		functions[row.ID] = s
	}
	return functions
}

// checkCalls compares each row's verdict and returns how many agree.
func checkCalls(t *testing.T, functions map[string]*schema.Schema, path string) int {
	t.Helper()
	agreed := 0
	for line, text := range corpus.Lines(t, path) {
		var row struct {
			FunctionID string `json:"function_id"`
			Arguments  json.RawMessage
			Valid      bool
			Error      string
		}
		require.NoError(t, json.Unmarshal(text, &row), "line %d", line)
		s := functions[row.FunctionID]
		require.NotNil(t, s, "line %d: function %s", line, row.FunctionID)
		v, err := strictjson.Decode(row.Arguments, strictjson.Limits{})
		if err == nil {
			err = s.Validate(v)
		}
		if (err == nil) != row.Valid {
			t.Errorf("%s:%d: valid should be %v: %v (the row says %s)", path, line, row.Valid, err, row.Error)
			continue
		}
		agreed++
	}
	return agreed
}

func compileTools(t *testing.T, path string) (accepted int, refused map[string]int) {
	t.Helper()
	refused = map[string]int{}
	for line, text := range corpus.Lines(t, path) {
		var row struct {
			Name       string
			Parameters json.RawMessage
		}
		require.NoError(t, json.Unmarshal(text, &row), "line %d", line)
		_, err := schema.Compile(row.Parameters)
		var refusal *schema.RefusalError
		switch {
		case err == nil:
			accepted++
		case errors.As(err, &refusal):
			require.Contains(t, knownReasons, refusal.Reason, "line %d", line)
			refused[reasonOf(refusal)]++
		default:
			t.Errorf("%s:%d: no reason: %v", path, line, err)
		}
	}
	return accepted, refused
}
