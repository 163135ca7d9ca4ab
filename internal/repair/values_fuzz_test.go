package repair_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/repair"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// checkValues holds what is true of every schema and input, and reports whether
// the input was repaired.
func checkValues(t *testing.T, raw json.RawMessage, compiled *schema.Schema, input []byte) bool {
	t.Helper()
	before := bytes.Clone(input)
	repaired, repairs, ok := repair.Values(input, raw, allValues)
	require.Equal(t, before, input)
	require.Equal(t, ok, len(repairs) > 0)
	if !ok {
		require.Equal(t, input, repaired)
		return false
	}
	require.LessOrEqual(t, len(repaired), len(input)+16*len(repairs), "1e15 grows")
	_, err := strictjson.Decode(repaired, strictjson.Limits{})
	require.NoError(t, err)
	again, _, ok := repair.Values(repaired, raw, allValues)
	require.False(t, ok, "repaired again: %s", again)
	if compiled != nil {
		v, err := strictjson.Decode(input, strictjson.Limits{})
		require.NoError(t, err)
		if compiled.Validate(v) == nil { // only a whole number may be spelled in another way
			require.JSONEq(t, string(input), string(repaired), "repaired valid input")
		}
	}
	return true
}

func FuzzValues(f *testing.F) {
	for _, seed := range []struct{ raw, input string }{
		{raw: `{"properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"string"}}}`, input: `{"a":"[[\"x\"]]","b":null}`},
		{raw: `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"anyOf":[{"type":"object"},{"const":[1]}]}}}`, input: `{"a":"[1]"}`},
		{raw: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"type":"array"}],"additionalItems":false}}}`, input: `{"a":["[]",1]}`},
		{raw: `{"oneOf":[{"properties":{"a":{"enum":["x",{}]}},"required":["a"]},{"additionalProperties":{"type":"null"}}]}`, input: `{"a":["x","y"]}`},
		{raw: `{"allOf":[{"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}],"not":{"required":["a"]}}`, input: `{"a":"{\"b\":null}"}`},
		{raw: `{"if":{"properties":{"a":{"type":"string"}}},"then":{"properties":{"b":{"type":"array"}}},"else":false}`, input: `{"a":"","b":"[]"}`},
		{raw: `{"type":["object","null"],"patternProperties":{"^a":{"type":"array"}},"properties":{"ab":{"type":"string"}}}`, input: `"{\"ab\":[\"\"]}"`},
		{raw: `{"properties":{"a":{"enum":[]},"b":{"type":[]},"c":{"anyOf":[false,{"type":"object"}]}}}`, input: `{"a":null,"b":"[]","c":"{}"}`},
	} {
		f.Add([]byte(seed.raw), []byte(seed.input))
	}
	f.Fuzz(func(t *testing.T, raw, input []byte) {
		compiled, err := schema.Compile(raw)
		if err != nil {
			compiled = nil
		}
		checkValues(t, raw, compiled, input)
	})
}

// TestValuesOfCorpus looks at real calls and at mutated ones.
func TestValuesOfCorpus(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		schemas := map[string]*schema.Schema{}
		for _, text := range corpus.Lines(t, filepath.Join(folder, "bfcl", "functions.jsonl")) {
			var row struct {
				ID         string
				Parameters json.RawMessage
			}
			require.NoError(t, json.Unmarshal(text, &row))
			compiled, err := schema.Compile(row.Parameters)
			require.NoError(t, err)
			schemas[row.ID] = compiled
		}
		calls, repaired, valid := 0, 0, 0
		for _, name := range []string{"calls.jsonl", "calls_mutated.jsonl"} {
			for line, text := range corpus.Lines(t, filepath.Join(folder, "bfcl", name)) {
				var row struct {
					FunctionID string `json:"function_id"`
					Arguments  json.RawMessage
				}
				require.NoError(t, json.Unmarshal(text, &row), "line %d", line)
				compiled := schemas[row.FunctionID]
				raw := compiled.Bytes()
				calls++
				if !checkValues(t, raw, compiled, row.Arguments) {
					continue
				}
				repaired++
				after, _, _ := repair.Values(row.Arguments, raw, allValues)
				v, err := strictjson.Decode(after, strictjson.Limits{})
				require.NoError(t, err)
				if compiled.Validate(v) == nil {
					valid++
				}
			}
		}
		require.NotZero(t, calls)
		corpus.Report(t, folder, "%d calls, %d repaired, %d of them valid after", calls, repaired, valid)
	}
}

func BenchmarkValues(b *testing.B) {
	raw := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer"}},"required":["path"]}`)
	for _, bench := range []struct{ name, input string }{
		{name: "fine", input: `{"path":"/var/log/syslog","tags":["a","b"],"limit":200}`},
		{name: "repaired", input: `{"path":"/var/log/syslog","tags":"[\"a\",\"b\"]","limit":null}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				repair.Values([]byte(bench.input), raw, allValues)
			}
		})
	}
}
