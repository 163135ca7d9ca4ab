package repair_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/repair"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestKindsOf(t *testing.T) {
	t.Parallel()
	for k := repair.ControlCharacters; k <= repair.Scalars; k++ {
		require.True(t, (allText | allValues).Has(k))
		require.True(t, repair.KindsOf(k).Has(k))
		require.False(t, repair.KindsOf().Has(k))
	}
	require.Equal(t, allText|allValues, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText,
		repair.JSONInString, repair.JoinStrings, repair.DropNulls, repair.Scalars))
}

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

// dice make random schemas and inputs that have something to do with each other.
type dice struct{ *rand.Rand }

func (d dice) pick(all ...string) string { return all[d.IntN(len(all))] }

func (d dice) list(value func() string) string {
	var all []string
	for range 1 + d.IntN(3) {
		all = append(all, value())
	}
	return strings.Join(all, ",")
}

func (d dice) typeName() string {
	return d.pick(`"object"`, `"array"`, `"string"`, `"null"`, `"integer"`, `"string"`, `"array"`)
}

func (d dice) schema(depth int) string {
	if depth == 0 {
		return d.pick(`{}`, `true`, `false`, `{"type":`+d.typeName()+`}`, `{"$ref":"#/$defs/a"}`)
	}
	inner := func() string { return d.schema(depth - 1) }
	keywords := map[string]string{}
	for range 1 + d.IntN(4) {
		switch key := d.pick("type", "types", "properties", "properties", "required", "items", "prefixItems", "allOf", "anyOf",
			"oneOf", "$ref", "enum", "const", "additionalProperties", "patternProperties", "not", "if", "then",
			"dependentRequired", "dependentSchemas", "minItems"); key {
		case "type":
			keywords["type"] = d.typeName()
		case "types":
			keywords["type"] = d.pick(`["object","array"]`, `["string","null"]`, `["array","null"]`, `["object","null","integer"]`)
		case "properties", "dependentSchemas":
			keywords[key] = `{"a":` + inner() + `,"b":` + inner() + `}`
		case "patternProperties":
			keywords[key] = `{"^a":` + inner() + `}`
		case "dependentRequired":
			keywords[key] = `{"a":["b"]}`
		case "required":
			keywords[key] = d.pick(`["a"]`, `["b"]`, `[]`)
		case "$ref":
			keywords[key] = d.pick(`"#/$defs/a"`, `"#/$defs/b"`, `"#/$defs/b/anyOf/0"`)
		case "enum", "prefixItems", "allOf", "anyOf", "oneOf":
			value := inner
			if key == "enum" {
				value = func() string { return d.input(depth - 1) }
			}
			keywords[key] = "[" + d.list(value) + "]"
		case "const":
			keywords[key] = d.input(depth - 1)
		case "minItems":
			keywords[key] = "1"
		default:
			keywords[key] = inner()
		}
	}
	var members []string
	for key, value := range keywords {
		members = append(members, `"`+key+`":`+value)
	}
	slices.Sort(members)
	return "{" + strings.Join(members, ",") + "}"
}

func (d dice) input(depth int) string {
	if depth == 0 {
		return d.pick(`null`, `1`, `"x"`, `"[]"`, `"{}"`, `[]`, `{}`, `["x","y"]`)
	}
	inner := func() string { return d.input(depth - 1) }
	switch d.IntN(6) {
	case 0:
		return "[" + d.list(inner) + "]"
	case 1:
		return string(strictjson.AppendQuoted(nil, inner()))
	case 2:
		return d.input(0)
	default:
		return fmt.Sprintf(`{"a":%s, "b" : %s,"ab":%s}`, inner(), inner(), inner())
	}
}

// TestValuesOfRandomSchemas also counts, so that it does not pass by never
// coming to the point.
func TestValuesOfRandomSchemas(t *testing.T) {
	t.Parallel()
	d := dice{rand.New(rand.NewPCG(1, 2))}
	compiled, repaired, valid := 0, 0, 0
	for range effort.Of(t, 1_000) {
		dialect := d.pick("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")
		raw := json.RawMessage(fmt.Sprintf(`{"$schema":%q,"properties":{"a":%s,"b":%s},"anyOf":[%s,%s],"$defs":{"a":{"type":%s},"b":{"anyOf":[%s]}}}`,
			dialect, d.schema(2), d.schema(2), d.schema(2), d.schema(1), d.typeName(), d.schema(1)))
		s, err := schema.Compile(raw)
		if err != nil {
			continue
		}
		compiled++
		for range 5 {
			input := []byte(d.input(3))
			if checkValues(t, raw, s, input) {
				repaired++
				continue
			}
			v, err := strictjson.Decode(input, strictjson.Limits{})
			require.NoError(t, err)
			if s.Validate(v) == nil {
				valid++
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, compiled, 500)
		require.Greater(t, repaired, 250)
		require.Greater(t, valid, 200)
	}
}

// properties returns the schema of an object with the given properties, of
// which r is required.
func properties(list string) string {
	return `{"type":"object","properties":{` + list + `},"required":["r"],"$defs":{` +
		`"tags":{"type":"array","items":{"type":"string"}},` +
		`"tree":{"type":"object","properties":{"name":{"type":"string"},"sub":{"type":"array","items":{"$ref":"#/$defs/tree"}}}},` +
		`"a/b~c%":{"type":"array"}}}`
}

func TestValues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		schema string // of the properties
		input  string
		want   string
		at     []string // paths
	}{
		{name: "list in a string", schema: `"a":{"type":"array"}`, input: `{"a": "[1, 2.50]" }`, want: `{"a": [1, 2.50] }`, at: []string{"a"}},
		{name: "object in a string with space", schema: `"a":{"type":"object"}`, input: `{"a":"\n {\"z\":1,\"b\":\"\\n\"} "}`, want: `{"a":{"z":1,"b":"\n"}}`, at: []string{"a"}},
		{name: "object or null", schema: `"a":{"type":["object","null"]}`, input: `{"a":"{}"}`, want: `{"a":{}}`, at: []string{"a"}},
		{name: "list of numbers or number", schema: `"a":{"anyOf":[{"type":"array"},{"type":"number"}]}`, input: `{"a":"[]"}`, want: `{"a":[]}`, at: []string{"a"}},
		{name: "through a reference", schema: `"a":{"$ref":"#/$defs/tags"}`, input: `{"a":"[\"x\"]"}`, want: `{"a":["x"]}`, at: []string{"a"}},
		{name: "through an escaped reference", schema: `"a":{"$ref":"#/$defs/a~1b~0c%25"}`, input: `{"a":"[]"}`, want: `{"a":[]}`, at: []string{"a"}},
		{name: "reference to a list element", schema: `"a":{"anyOf":[{"type":"array"}]},"b":{"$ref":"#/properties/a/anyOf/0"}`, input: `{"b":"[]"}`, want: `{"b":[]}`, at: []string{"b"}},
		{name: "through allOf", schema: `"a":{"allOf":[{"type":["array","string"]},{"type":["array","null"]}]}`, input: `{"a":"[]"}`, want: `{"a":[]}`, at: []string{"a"}},
		{name: "const and enum have types", schema: `"a":{"enum":[[1],{}]},"b":{"const":[]}`, input: `{"a":"[1]","b":"[]"}`, want: `{"a":[1],"b":[]}`, at: []string{"a", "b"}},
		{name: "inside elements", schema: `"a":{"type":"array","items":{"type":"object"}}`, input: `{"a":[{},"{\"b\":1}"]}`, want: `{"a":[{},{"b":1}]}`, at: []string{"a[1]"}},
		{name: "inside a tuple", schema: `"a":{"prefixItems":[{"type":"string"},{"type":"array"}],"items":{"type":"object"}}`, input: `{"a":["[]","[]","{}","{}"]}`, want: `{"a":["[]",[],{},{}]}`, at: []string{"a[1]", "a[2]", "a[3]"}},
		{name: "inside other properties", schema: `"r":{}},"additionalProperties":{"type":"array"},"x":{`, input: `{"r":"[]","b c":"[]"}`, want: `{"r":"[]","b c":[]}`, at: []string{`["b c"]`}},
		{name: "strings in strings", schema: `"a":{"type":"array","items":{"type":"array"}}`, input: `{"a":"[\"[1]\"]"}`, want: `{"a":[[1]]}`, at: []string{"a", "a[0]"}},
		{name: "whole input", schema: `"a":{"type":"array"}`, input: ` "{\"a\":\"[]\"}"`, want: ` {"a":[]}`, at: []string{"", "a"}},
		{
			name: "recursive", schema: `"a":{"$ref":"#/$defs/tree"}`,
			input: `{"a":{"sub":[{"sub":"[{\"name\":null,\"sub\":[]}]"}],"name":["x","y"]}}`,
			want:  `{"a":{"sub":[{"sub":[{"sub":[]}]}],"name":"x\ny"}}`,
			at:    []string{"a.sub[0].sub", "a.sub[0].sub[0].name", "a.name"},
		},
		{name: "in the one that can be", schema: `"a":{"anyOf":[{"type":"null"},{"type":"object","properties":{"b":{"type":"array"}}}]}`, input: `{"a":{"b":"[]"}}`, want: `{"a":{"b":[]}}`, at: []string{"a.b"}},
		{name: "in the one that can be a list", schema: `"a":{"anyOf":[{"type":"object"},{"type":"array","items":{"type":"array"}}]}`, input: `{"a":["[]"]}`, want: `{"a":[[]]}`, at: []string{"a[0]"}},
		{name: "same in all that can be", schema: `"a":{"oneOf":[{"type":"object","properties":{"b":{"type":"array"}}},{"type":"object","properties":{"b":{"type":"object"}}}]}`, input: `{"a":{"b":"[]"}}`, want: `{"a":{"b":[]}}`, at: []string{"a.b"}},

		{name: "a number in a string", schema: `"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":["integer","null"]}`, input: `{"a":" 5 ","b":"-2.5e3","c":"0"}`, want: `{"a":5,"b":-2.5e3,"c":0}`, at: []string{"a", "b", "c"}},
		{name: "a boolean in a string", schema: `"a":{"type":"boolean"},"b":{"const":true}`, input: `{"a":"False","b":"true"}`, want: `{"a":false,"b":true}`, at: []string{"a", "b"}},
		{name: "a number or a boolean", schema: `"a":{"type":["boolean","integer"]},"b":{"type":["boolean","integer"]}`, input: `{"a":"1","b":"TRUE"}`, want: `{"a":1,"b":true}`, at: []string{"a", "b"}},
		{name: "a number or a list", schema: `"a":{"type":["array","integer"]},"b":{"type":["array","integer"]}`, input: `{"a":"1","b":"[1]"}`, want: `{"a":1,"b":[1]}`, at: []string{"a", "b"}},
		{name: "a whole number in a string", schema: `"a":{"type":"integer"}`, input: `{"a":"3.0"}`, want: `{"a":3}`, at: []string{"a"}},
		{name: "a whole number for a string", schema: `"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":["string","number"]},"d":{"type":"string"}`, input: `{"a":0,"b":-7,"c":1,"d":1.5}`, want: `{"a":"0","b":"-7","c":1,"d":1.5}`, at: []string{"a", "b"}},
		{name: "a whole number", schema: `"a":{"type":"integer"},"b":{"type":["integer","string"]},"c":{"type":"array","items":{"type":"integer"}}`, input: `{"a":3.0,"b":-1e2,"c":[1,2.00]}`, want: `{"a":3,"b":-100,"c":[1,2]}`, at: []string{"a", "b", "c[1]"}},

		{name: "lines", schema: `"a":{"type":"string"}`, input: `{"a":["x", "\u00e9\"", "é"]}`, want: `{"a":"x\n\u00e9\"\né"}`, at: []string{"a"}},
		{name: "one line", schema: `"a":{"type":["string","null"]}`, input: `{"a":[ "x" ]}`, want: `{"a":"x"}`, at: []string{"a"}},
		{name: "elements are lists", schema: `"a":{"$ref":"#/$defs/tags"}`, input: `{"a":[["x","y"],"z"]}`, want: `{"a":["x\ny","z"]}`, at: []string{"a[0]"}},

		{name: "null", schema: `"a":{"type":"string"}`, input: `{"a":null}`, want: `{}`, at: []string{"a"}},
		{name: "null before others", schema: `"a":{"type":"string"}`, input: `{ "a" : null , "b":1}`, want: `{ "b":1}`, at: []string{"a"}},
		{name: "null behind others", schema: `"a":{"type":"string"}`, input: `{"b":1, "a":null }`, want: `{"b":1 }`, at: []string{"a"}},
		{name: "null between others", schema: `"a":{"type":"string"}`, input: `{"b":1, "a":null,  "c":2}`, want: `{"b":1,  "c":2}`, at: []string{"a"}},
		{name: "all null", schema: `"a":{"type":"string"},"b":{"type":"number"},"c":{"const":1}`, input: `{"a":null,"b":null,"c":null}`, want: `{}`, at: []string{"a", "b", "c"}},
		{name: "nulls around a repaired value", schema: `"a":{"type":"string"},"b":{"type":"array"},"c":{"type":"string"}`, input: `{"a":null,"b":"[]","c":null,"d":3}`, want: `{"b":[],"d":3}`, at: []string{"a", "b", "c"}},
		{name: "null for an escaped key", schema: `"a b":{"type":"string"}`, input: `{"\u0061 b":null}`, want: `{}`, at: []string{`["a b"]`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := json.RawMessage(properties(tt.schema))
			_, err := schema.Compile(raw)
			require.NoError(t, err)
			repaired, repairs, ok := repair.Values([]byte(tt.input), raw, allValues)
			require.True(t, ok)
			require.Equal(t, tt.want, string(repaired))
			var at []string
			for _, r := range repairs {
				at = append(at, r.Path)
				require.NotEmpty(t, r.Note)
			}
			require.Equal(t, tt.at, at)
			for _, r := range repairs {
				_, less, _ := repair.Values([]byte(tt.input), raw, allValues&^repair.KindsOf(r.Kind))
				require.NotContains(t, kindsOf(less), r.Kind)
			}
		})
	}
}

func TestValuesLeavesAlone(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, input string }{
		{name: "string and list allowed", schema: `"a":{"type":["array","string"]}`, input: `{"a":"[]"}`},
		{name: "anything allowed", schema: `"a":{}`, input: `{"a":"[]","b":["x"],"c":null}`},
		{name: "true and false", schema: `"a":true,"b":false`, input: `{"a":"[]","b":null}`},
		{name: "enum of nothing, which means anything", schema: `"a":{"anyOf":[{"enum":[]},{"type":"array"}]}`, input: `{"a":"[]"}`},
		{name: "list where an object is wanted", schema: `"a":{"type":"object"}`, input: `{"a":"[]"}`},
		{name: "no JSON in the string", schema: `"a":{"type":"array"}`, input: `{"a":"x, y"}`},
		{name: "empty string", schema: `"a":{"type":"array"}`, input: `{"a":" "}`},
		{name: "no number in the string", schema: `"a":{"type":"number"}`, input: `{"a":"1 m","b":"0x10"}`},
		{name: "another spelling of a number", schema: `"a":{"type":"number"},"b":{"type":"integer"}`, input: `{"a":"+1","b":"01"}`},
		{name: "a fraction for an integer", schema: `"a":{"type":"integer"},"b":{"type":"integer"}`, input: `{"a":"1.5","b":2.5}`},
		{name: "a number that is not exact", schema: `"a":{"type":"integer"}`, input: `{"a":1e300}`},
		{name: "a long number", schema: `"a":{"type":"integer"}`, input: `{"a":1.00000000000000000000000000000000000000}`},
		{name: "1 for a boolean", schema: `"a":{"type":"boolean"}`, input: `{"a":"1","b":"yes"}`},
		{name: "a number for a string", schema: `"a":{"type":"string"}`, input: `{"a":5.0}`},
		{name: "a whole number where fractions fit", schema: `"a":{"type":"number"}`, input: `{"a":3.0}`},
		{name: "string in a string", schema: `"a":{"type":"array"}`, input: `{"a":"\"[]\""}`},
		{name: "equal keys in the string", schema: `"a":{"type":"object"}`, input: `{"a":"{\"b\":1,\"b\":2}"}`},
		{name: "text after the value in the string", schema: `"a":{"type":"object"}`, input: `{"a":"{}!"}`},
		{name: "equal keys", schema: `"a":{"type":"array"}`, input: `{"a":"[]","a":"[]"}`},
		{name: "case variant", schema: `"a":{"type":"array"}`, input: `{"A":"[]"}`},
		{name: "case variant that is null", schema: `"a":{"type":"array"}`, input: `{"A":null}`},

		{name: "list allowed too", schema: `"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}`, input: `{"a":["x"]}`},
		{name: "list allowed by a reference", schema: `"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/tags"}]}`, input: `{"a":["x"]}`},
		{name: "number allowed too", schema: `"a":{"type":["string","number"]}`, input: `{"a":["x"]}`},
		{name: "not only strings", schema: `"a":{"type":"string"}`, input: `{"a":["x",1]}`},
		{name: "no strings", schema: `"a":{"type":"string"}`, input: `{"a":[]}`},

		{name: "null allowed", schema: `"a":{"type":["string","null"]}`, input: `{"a":null}`},
		{name: "null allowed by anyOf", schema: `"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`, input: `{"a":null}`},
		{name: "null allowed by enum", schema: `"a":{"enum":["x",null]}`, input: `{"a":null}`},
		{name: "null required", schema: `"r":{"type":"string"}`, input: `{"r":null}`},
		{name: "required by allOf", schema: `"a":{"type":"string"}},"allOf":[{"required":["a"]}],"x":{`, input: `{"r":1,"a":null}`},
		{name: "required by one choice", schema: `"a":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}],"x":{`, input: `{"r":1,"a":null}`},
		{name: "required by a condition", schema: `"a":{"type":"string"}},"if":{"required":["r"]},"then":{"required":["a"]},"x":{`, input: `{"r":1,"a":null}`},
		{name: "required beside another", schema: `"a":{"type":"string"}},"dependentRequired":{"r":["a"]},"x":{`, input: `{"r":1,"a":null}`},
		{name: "required by a dependent schema", schema: `"a":{"type":"string"}},"dependentSchemas":{"r":{"$ref":"#/dependentSchemas/q"},"q":{"required":["a"]}},"x":{`, input: `{"r":1,"a":null}`},
		{name: "not declared", schema: `"a":{"type":"string"}},"additionalProperties":{"type":"string"},"x":{`, input: `{"b":null}`},
		{name: "not allowed at all", schema: `"a":{"type":"string"}},"additionalProperties":false,"x":{`, input: `{"b":null}`},
		{name: "null in a list", schema: `"a":{"$ref":"#/$defs/tags"}`, input: `{"a":[null]}`},
		{name: "pattern may say more", schema: `"a":{}},"patternProperties":{"^p":{}},"additionalProperties":{"type":"array"},"x":{`, input: `{"p":"[]"}`},

		{name: "own identity inside", schema: `"a":{"$id":"https://example.org/x","type":"array"}`, input: `{"a":"[]"}`},
		{name: "reference elsewhere", schema: `"a":{"$ref":"http://json-schema.org/draft-07/schema#"}`, input: `{"a":"{}"}`},
		{name: "anchor", schema: `"a":{"$ref":"#x"},"b":{"$anchor":"x","type":"array"}`, input: `{"a":"[]"}`},
		{name: "input is no JSON", schema: `"a":{"type":"array"}`, input: `{"a":"[]"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := json.RawMessage(properties(tt.schema))
			_, err := schema.Compile(raw)
			require.NoError(t, err)
			same, repairs, ok := repair.Values([]byte(tt.input), raw, allValues)
			require.False(t, ok, "%s in %s", same, raw)
			require.Empty(t, repairs)
			require.Equal(t, tt.input, string(same))
		})
	}
}

func TestValuesReadsDrafts(t *testing.T) {
	t.Parallel()
	const tuple = `"properties":{"a":{"items":[{"type":"array"}],"additionalItems":{"type":"object"},"prefixItems":[{"type":"string"}]}}`
	const aside = `"properties":{"a":{"$ref":"#/definitions/d","type":"array"}},"definitions":{"d":{"title":"d"}}`
	tests := []struct {
		name, dialect, body, input, want string
	}{
		{name: "tuple in draft 7", dialect: "http://json-schema.org/draft-07/schema#", body: tuple, input: `{"a":["[]","{}"]}`, want: `{"a":[[],{}]}`},
		{name: "tuple in 2019-09", dialect: "https://json-schema.org/draft/2019-09/schema", body: tuple, input: `{"a":["[]","{}"]}`, want: `{"a":[[],{}]}`},
		{name: "beside a reference in draft 7", dialect: "http://json-schema.org/draft-07/schema", body: aside, input: `{"a":"[]"}`},
		{name: "beside a reference in draft 6", dialect: "http://json-schema.org/draft-06/schema#", body: aside, input: `{"a":"[]"}`},
		{name: "beside a reference in 2019-09", dialect: "https://json-schema.org/draft/2019-09/schema", body: aside, input: `{"a":"[]"}`, want: `{"a":[]}`},
		{name: "const in draft 4", dialect: "http://json-schema.org/draft-04/schema#", body: `"properties":{"a":{"const":[]}}`, input: `{"a":"[]"}`},
		{name: "const in draft 6", dialect: "http://json-schema.org/draft-06/schema#", body: `"properties":{"a":{"const":[]}}`, input: `{"a":"[]"}`, want: `{"a":[]}`},
		{name: "identity in draft 4", dialect: "http://json-schema.org/draft-04/schema#", body: `"properties":{"a":{"id":"x","type":"array"}}`, input: `{"a":"[]"}`},
		{name: "unknown dialect", dialect: "https://example.org/own", body: `"properties":{"a":{"type":"array"}}`, input: `{"a":"[]"}`},
		{name: "identity of the root", dialect: "https://json-schema.org/draft/2020-12/schema", body: `"$id":"https://example.org/","properties":{"a":{"type":"array"}}`, input: `{"a":"[]"}`, want: `{"a":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := fmt.Sprintf(`{"$schema":%q,"type":"object",%s}`, tt.dialect, tt.body)
			repaired, _, ok := repair.Values([]byte(tt.input), json.RawMessage(raw), allValues)
			require.Equal(t, tt.want != "", ok)
			if ok {
				require.Equal(t, tt.want, string(repaired))
			}
		})
	}
}

func TestValuesBounds(t *testing.T) {
	t.Parallel()
	manyNulls := func(n int) (raw, input string) {
		var declared, nulls []string
		for i := range n {
			declared = append(declared, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
			nulls = append(nulls, fmt.Sprintf(`"p%d":null`, i))
		}
		return properties(strings.Join(declared, ",")), "{" + strings.Join(nulls, ",") + "}"
	}
	nested := func(n int) string { // a list, n strings deep
		text := "[]"
		for range n {
			quoted := strictjson.AppendQuoted(nil, text)
			text = "[" + string(quoted) + "]"
		}
		return `{"a":` + text + `}`
	}
	manyKeys := func(n int) string {
		var keys strings.Builder
		for i := range n {
			fmt.Fprintf(&keys, `,"k%d":[]`, i)
		}
		return `{"a":"[]"` + keys.String() + "}"
	}
	lists := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	recursive := `{"type":"object","properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","items":{"$ref":"#/$defs/l"}}}}`
	most, mostInput := manyNulls(100)
	over, overInput := manyNulls(101)
	tests := []struct {
		name, schema, input string
		ok                  bool
	}{
		{name: "most repairs", schema: most, input: mostInput, ok: true},
		{name: "too many repairs", schema: over, input: overInput},
		{name: "strings in strings", schema: recursive, input: nested(4), ok: true},
		{name: "strings in strings too deep", schema: recursive, input: nested(5)},
		{name: "as deep as can be", schema: recursive, input: `{"a":"` + lists(127) + `"}`, ok: true},
		{name: "too deep when decoded", schema: recursive, input: `{"a":"` + lists(128) + `"}`},
		{name: "string at the deepest level", schema: recursive, input: `{"a":` + strings.Repeat("[", 127) + `"[]"` + strings.Repeat("]", 127) + `}`},
		{name: "many elements", schema: recursive, input: `{"a":[` + strings.Repeat("[],", 250_000) + `"[]"]}`, ok: true},
		{name: "too many keys", schema: `{"additionalProperties":{"type":"array"}}`, input: manyKeys(210_000)},
		{name: "schema refers to itself", schema: `{"type":"object","properties":{"a":{"$ref":"#/properties/a"},"b":{"type":"array"}}}`, input: `{"a":"[]","b":"[]"}`, ok: true},
		{name: "schema is no JSON", schema: `{`, input: `{"a":"[]"}`},
		{name: "schema is too long", schema: `{"title":"` + strings.Repeat("x", 1<<20) + `","properties":{"a":{"type":"array"}}}`, input: `{"a":"[]"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, ok := repair.Values([]byte(tt.input), json.RawMessage(tt.schema), allValues)
			require.Equal(t, tt.ok, ok)
		})
	}
}

// TestValuesAgainstHostileSchemas has schemas and inputs that a careless walk
// takes ages for.
func TestValuesAgainstHostileSchemas(t *testing.T) {
	t.Parallel()
	var doubling []string
	for i := range 40 {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		doubling = append(doubling, fmt.Sprintf(`"d%d":{"anyOf":[%s,{"type":"array","items":%s}]}`, i, next, next))
	}
	doubling = append(doubling, `"d40":{"type":"array"}`)
	tests := []struct{ name, schema, input string }{
		{name: "doubling", schema: `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(doubling, ",") + `}}`, input: `{"a":` + strings.Repeat("[", 60) + `"[]"` + strings.Repeat("]", 60) + `}`},
		{name: "many escapes", schema: `{"properties":{"a":{"items":{"type":"array","items":{"type":"array"}}}}}`, input: `{"a":["[` + strings.Repeat(`\"\",`, 300_000) + `1]"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			repair.Values([]byte(tt.input), json.RawMessage(tt.schema), allValues)
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}
