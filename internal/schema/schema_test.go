package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	bare "github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
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

// FuzzAccepts checks that nothing is accepted that Validate refuses.
func FuzzAccepts(f *testing.F) {
	const tool = `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1},"recursive":{"type":"boolean"}},"required":["path"]`
	for _, seed := range []struct{ schema, input string }{
		{tool + `}`, benchInput},
		{tool + `}`, `{"Path":"a","path":"b","path":"c","x":{"a":1,"\u0061":2}}`},
		{tool + `,"additionalProperties":false}`, `{"path":"a","limit":01}`},
		{tool + `,"additionalProperties":{"type":"string"}}`, `{"path":"\ud83d\ude00","x":"y","X":"z"}`},
		{`{"properties":{"mode":{"enum":["fast","slow",null,1,1.5,true]},"k":{"const":"v"}}}`, `{"mode":1.5,"k":"v"}`},
		{`{"properties":{"at":{"type":"array","items":{"type":"number","minimum":-90,"exclusiveMaximum":90.5},"minItems":2,"maxItems":2}}}`, `{"at":[-90,9.05e1]}`},
		{`{"properties":{"id":{"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-zé]+$"}}}`, `{"id":"aé🙂"}`},
		{`{"properties":{"user":{"anyOf":[{"$ref":"#/$defs/user"},{"type":"null"}]}},"$defs":{"user":{"type":"object","properties":{"name":{"type":"string"},"boss":{"$ref":"#/$defs/user"}},"required":["name"]}}}`, `{"user":{"name":"a","boss":{"name":"b","Boss":null}}}`},
		{`{"oneOf":[{"type":"object","properties":{"a":{}}},{"type":"null"}]}`, `{"A":1}`},
		{`{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"string"},{"enum":[null]}]}}}`, `{"a":1.0}`},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"minProperties":1,"maxProperties":2}}}`, `{"a":-0,"b":1e999}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"l":{"items":[{"type":"string"}]},"d":{"format":"date"}}}`, `{"l":["a"],"d":"2026-01-31"}`},
		{`{"properties":{"key":{},"ſ":{}},"patternProperties":{"^x":{}},"unevaluatedProperties":false}`, "{\"\u212aey\":1,\"s\":2}"},
		{fuzzed, `{"path":"/var/log/syslog","limit":20,"mode":"fast"}`},
	} {
		f.Add(seed.schema, seed.input)
	}
	f.Fuzz(func(t *testing.T, text, input string) {
		s, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			return
		}
		if s.Accepts([]byte(input)) {
			require.NoError(t, slowly(s, []byte(input)))
		}
	})
}

// TestAcceptsAgrees compares verdicts on made-up schemas and inputs, in which
// schemas apply to the same value, names differ by case and parts are recursive.
func TestAcceptsAgrees(t *testing.T) {
	t.Parallel()
	g := maker{rand.New(rand.NewPCG(1, 2))}
	accepted, valid := 0, 0
	for range effort.Of(t, 150) {
		text := fmt.Sprintf(`{"properties":{"a":%s,"v":%s},"$defs":{"d":%s,"e":%s}}`, g.schema(3), g.schema(3), g.schema(2), g.schema(2))
		s, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			continue // such as references that lead nowhere but back
		}
		for range 100 {
			input := fmt.Sprintf(`{"a":%s,"v":%s}`, g.value(3), g.value(3))
			err := slowly(s, []byte(input))
			if s.Accepts([]byte(input)) {
				require.NoError(t, err, "schema %s\ninput %s", text, input)
				accepted++
			}
			if err == nil {
				valid++
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, accepted, 200, "too little to compare")
		require.Greater(t, valid, accepted)
	}
}

// maker makes up JSON texts from few words, so that they often meet.
type maker struct{ *rand.Rand }

func (g maker) pick(words ...string) string { return words[g.IntN(len(words))] }

// many returns up to n texts.
func (g maker) many(n int, text func() string) []string {
	var all []string
	for range g.IntN(n + 1) {
		all = append(all, text())
	}
	return all
}

// object joins texts of keys and values, in the same order every time.
func object(pairs map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		all = append(all, key+":"+pairs[key])
	}
	return "{" + strings.Join(all, ",") + "}"
}

// pairs returns an object of up to n keys. They have distinct texts, not always
// distinct values.
func (g maker) pairs(n int, key, value func() string) string {
	pairs := map[string]string{}
	for range g.IntN(n + 1) {
		pairs[key()] = value()
	}
	return object(pairs)
}

func (g maker) name() string { return g.pick(`"a"`, `"A"`, `"b"`, `"k"`, `"K"`) }

func (g maker) number() string {
	return g.pick("0", "-0", "1", "1.0", "1.5", "2", "10e-1", "-3", "3.0000001")
}

func (g maker) text() string {
	return g.pick(`"a"`, `"A"`, `"\u0061"`, `"ab"`, `"é"`, `""`, `"\n"`, `"1"`)
}

func (g maker) scalar() string {
	return g.pick(g.number(), g.text(), "true", "false", "null")
}

func (g maker) value(depth int) string {
	inner := func() string { return g.value(depth - 1) }
	switch n := g.IntN(6); {
	case depth == 0 || n < 3:
		return g.scalar()
	case n == 3:
		return "[" + strings.Join(g.many(3, inner), ",") + "]"
	default:
		key := func() string { return g.pick(g.name(), g.name(), "\"\u212a\"", `"\u0061"`, `"c"`) }
		return g.pairs(3, key, inner)
	}
}

func (g maker) schema(depth int) string {
	if depth == 0 {
		return g.pick(`true`, `{}`, `{"$ref":"#/$defs/d"}`, `{"$ref":"#/$defs/e"}`, `{"type":"null"}`)
	}
	keywords := map[string]string{}
	for range 1 + g.IntN(3) {
		name, value, _ := strings.Cut(g.pick(g.applier(depth-1), g.judge(depth-1), g.judge(depth-1)), ":")
		keywords[name] = value
	}
	return object(keywords)
}

func (g maker) applier(depth int) string {
	schemas := []string{g.schema(depth), g.schema(depth)}[g.IntN(2):]
	return g.pick(
		g.pick(`"anyOf"`, `"oneOf"`, `"allOf"`)+":["+strings.Join(schemas, ",")+"]",
		`"anyOf":[`+schemas[0]+`,{"type":"null"}]`,
		`"$ref":"#/$defs/`+g.pick("d", "e")+`"`,
		g.pick(`"not":`+schemas[0], `"$ref":"#/$defs/d"`, `"$ref":"#/$defs/e"`),
	)
}

func (g maker) judge(depth int) string {
	kind := func() string {
		return g.pick(`"null"`, `"boolean"`, `"integer"`, `"number"`, `"string"`, `"array"`, `"object"`)
	}
	inner := func() string { return g.schema(depth) }
	values := append(g.many(3, g.scalar), g.pick(g.scalar(), g.scalar(), `{"a":1}`))
	return g.pick(
		`"type":`+g.pick(kind(), `["null",`+g.pick(`"integer"`, `"string"`, `"object"`)+`]`, `"object"`),
		`"properties":`+g.pairs(3, g.name, inner),
		`"additionalProperties":`+g.pick("true", "false", inner()),
		`"required":[`+g.name()+`]`,
		`"items":`+inner(),
		`"enum":[`+strings.Join(values, ",")+`]`,
		`"const":`+g.scalar(),
		g.pick(`"minimum"`, `"maximum"`, `"exclusiveMinimum"`, `"exclusiveMaximum"`)+":"+g.number(),
		g.pick(`"minLength"`, `"maxLength"`, `"minItems"`, `"maxItems"`, `"minProperties"`, `"maxProperties"`)+":"+g.pick("0", "1", "2"),
		g.pick(`"pattern":"a"`, `"uniqueItems":true`, `"format":"date"`, `"patternProperties":{"a":`+inner()+`}`),
	)
}

// slowly returns the verdict that Accepts must never contradict.
func slowly(s *schema.Schema, raw []byte) error {
	v, err := strictjson.Decode(raw, strictjson.Limits{})
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestAcceptsText(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object"}`
	const closed = `{"properties":{"a":{},"b":{}},"additionalProperties":false}`
	tests := []struct {
		name   string
		schema string // object if empty
		input  string
		want   bool
	}{
		{name: "empty object", input: `{}`, want: true},
		{name: "space everywhere", input: " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n", want: true},
		{name: "every kind", input: `{"a":null,"b":true,"c":false,"d":"x","e":-0.5e+3,"f":[],"g":{}}`, want: true},
		{name: "escapes in a value", input: `{"a":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`, want: true},
		{name: "not ASCII", input: `{"ключ":"значение 🙂"}`, want: true},
		{name: "DEL", input: "{\"a\":\"\x7f\"}", want: true},
		{name: "deepest", input: `{"a":` + strings.Repeat(`[`, 127) + strings.Repeat(`]`, 127) + `}`, want: true},
		{name: "siblings do not add to the depth", input: `{"a":[` + strings.Repeat(`[],`, 200) + `{}]}`, want: true},
		{name: "zeros", input: `{"a":0,"b":-0,"c":0.0,"d":0e0}`, want: true},
		{name: "largest exponent", input: `{"a":1e999,"b":1E-999}`, want: true},
		{name: "most further keys", input: `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}`, want: true},

		{name: "empty", input: ``},
		{name: "space", input: ` `},
		{name: "trailing text", input: `{} {}`},
		{name: "trailing NUL", input: "{}\x00"},
		{name: "NUL", input: "{\"a\":\x00}"},
		{name: "byte order mark", input: "\ufeff{}"},
		{name: "no-break space", input: "{\u00a0}"},
		{name: "vertical tab", input: "{\v}"},
		{name: "not UTF-8", input: "{\"a\":\"\xff\"}"},
		{name: "overlong", input: "{\"a\":\"\xc0\xaf\"}"},
		{name: "encoded surrogate", input: "{\"a\":\"\xed\xa0\x80\"}"},
		{name: "control character", input: "{\"a\":\"\x1f\"}"},
		{name: "line break in a string", input: "{\"a\":\"\n\"}"},
		{name: "unknown escape", input: `{"a":"\x41"}`},
		{name: "short escape", input: `{"a":"\u00e"}`},
		{name: "escape at the end", input: `{"a":"\`},
		{name: "escape with a sign", input: `{"a":"\u+041"}`},
		{name: "half a character", input: `{"a":"\ud83d"}`},
		{name: "other half", input: `{"a":"\uDE00"}`},
		{name: "open string", input: `{"a":"`},
		{name: "open object", input: `{"a":1`},
		{name: "open list", input: `{"a":[1`},
		{name: "list closed as an object", input: `{"a":[1}}`},
		{name: "object closed as a list", input: `{"a":1]`},
		{name: "comma at the end", input: `{"a":1,}`},
		{name: "comma at the end of a list", input: `{"a":[1,]}`},
		{name: "only a comma", input: `{,}`},
		{name: "comma first", input: `{"a":[,1]}`},
		{name: "no comma", input: `{"a":[1 2]}`},
		{name: "no colon", input: `{"a" 1}`},
		{name: "no value", input: `{"a":}`},
		{name: "key without quotes", input: `{a:1}`},
		{name: "comment", input: `{"a":1/**/}`},
		{name: "leading zero", input: `{"a":01}`},
		{name: "leading zeros after a sign", input: `{"a":-00}`},
		{name: "plus", input: `{"a":+1}`},
		{name: "only a sign", input: `{"a":-}`},
		{name: "point first", input: `{"a":.5}`},
		{name: "point last", input: `{"a":1.}`},
		{name: "exponent without digits", input: `{"a":1e+}`},
		{name: "hexadecimal", input: `{"a":0x10}`},
		{name: "NaN", input: `{"a":NaN}`},
		{name: "word cut short", input: `{"a":nul}`},
		{name: "word too long", input: `{"a":nulls}`},
		{name: "capital word", input: `{"a":True}`},
		{name: "too deep", input: `{"a":` + strings.Repeat(`[`, 128) + strings.Repeat(`]`, 128) + `}`},
		{name: "far too deep", input: strings.Repeat(`{"a":`, 1<<20)},
		{name: "huge exponent", input: `{"a":1e9999999}`},
		{name: "huge negative exponent", input: `{"a":1e-9999999}`},
		{name: "thousand digits", input: `{"a":` + strings.Repeat("1", 1001) + `}`},
		{name: "too long", input: `{"a":"` + strings.Repeat("a", strictjson.DefaultBytes) + `"}`},

		{name: "key twice", schema: closed, input: `{"a":1,"a":1}`},
		{name: "key twice, once escaped", schema: closed, input: `{"a":1,"\u0061":1}`},
		{name: "further key twice", input: `{"x":1,"y":1,"x":1}`},
		{name: "further key twice, once escaped", input: `{"x":1,"\u0078":1}`},
		{name: "key twice inside", input: `{"x":[{"a":1,"a":1}]}`},
		{name: "empty key twice", input: `{"":1,"":1}`},
		{name: "too many further keys", input: `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := tt.schema
			if text == "" {
				text = object
			}
			checkAccepts(t, text, tt.input, tt.want)
		})
	}
}

func checkAccepts(t *testing.T, text, input string, want bool) {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	require.NoError(t, err)
	require.Equal(t, want, s.Accepts([]byte(input)))
	if want {
		require.NoError(t, slowly(s, []byte(input)))
	}
}

func TestAcceptsKeywords(t *testing.T) {
	t.Parallel()
	const nullable = `{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"null"}]}`
	tests := []struct {
		name   string
		schema string // of v
		yes    []string
		no     []string
	}{
		{name: "true", schema: `true`, yes: []string{`1`, `[{"a":[]}]`}, no: []string{`[{"a":1,"a":1}]`}},
		{name: "false", schema: `false`, no: []string{`1`, `null`}},
		{name: "empty", schema: `{}`, yes: []string{`1`, `null`, `{"a":1,"A":2}`}},
		{name: "annotations", schema: `{"title":"a","description":"b","default":1,"examples":[1],"x-own":{"type":"no"},"deprecated":true,"readOnly":true}`, yes: []string{`"x"`}},
		{name: "string", schema: `{"type":"string"}`, yes: []string{`""`, `"a\nb"`}, no: []string{`1`, `null`, `true`, `[]`, `{}`}},
		{name: "boolean", schema: `{"type":"boolean"}`, yes: []string{`true`, `false`}, no: []string{`"true"`, `0`}},
		{name: "null", schema: `{"type":"null"}`, yes: []string{`null`}, no: []string{`0`}},
		{name: "integer", schema: `{"type":"integer"}`, yes: []string{`0`, `-0`, `-12`, `123456789012345678901234567890`}, no: []string{`1.5`, `1.0`, `1e2`, `"1"`}},
		{name: "number", schema: `{"type":"number"}`, yes: []string{`1`, `1.5`, `-1e-2`}, no: []string{`"1"`}},
		{name: "types", schema: `{"type":["integer","null","array"]}`, yes: []string{`1`, `null`, `["a"]`}, no: []string{`{}`, `1.5`, `"a"`}},
		{name: "enum", schema: `{"enum":["a","<é>","b\nc",1,2.5,true,null]}`, yes: []string{`"a"`, `"<é>"`, `"b\nc"`, `1`, `2.5`, `true`, `null`}, no: []string{`"A"`, `"\u0061"`, `"b\u000ac"`, `1.0`, `false`, `[]`, `{}`}},
		{name: "enum of long texts", schema: `{"enum":["` + strings.Repeat("a", 90) + `"]}`, yes: []string{`"` + strings.Repeat("a", 90) + `"`}, no: []string{`"` + strings.Repeat("a", 80) + `…"`}},
		{name: "enum and type", schema: `{"type":"string","enum":["a",1]}`, yes: []string{`"a"`}, no: []string{`1`}},
		{name: "enum with a list", schema: `{"enum":["a",[]]}`, no: []string{`"a"`, `[]`}},
		{name: "empty enum", schema: `{"enum":[]}`, yes: []string{`"a"`, `[]`}},
		{name: "const", schema: `{"const":"a"}`, yes: []string{`"a"`}, no: []string{`"b"`, `{}`}},
		{name: "const null", schema: `{"const":null}`, yes: []string{`null`}, no: []string{`0`}},
		{name: "const and enum", schema: `{"const":"a","enum":["a","b"]}`, no: []string{`"a"`, `"b"`}},
		{name: "length", schema: `{"minLength":2,"maxLength":3}`, yes: []string{`"éé"`, `"🙂🙂🙂"`, `1`}, no: []string{`"é"`, `"abcd"`, `"\u0061b"`}},
		{name: "pattern", schema: `{"pattern":"^a.c$"}`, yes: []string{`"abc"`, `"aéc"`}, no: []string{`"abd"`, `"a\"c"`}},
		{name: "length of escapes", schema: `{"minLength":2}`, no: []string{`"\u0061"`}},
		{name: "pattern of escapes", schema: `{"pattern":"u0061"}`, yes: []string{`"u0061"`}, no: []string{`"\u0061"`}},
		{name: "bounds", schema: `{"minimum":0.1,"exclusiveMaximum":2}`, yes: []string{`0.1`, `1`, `1.9999999999`, `1e-1`, `"a"`}, no: []string{`0.0999999999999999999999`, `2`, `2.0`, `-1`}},
		{name: "other bounds", schema: `{"exclusiveMinimum":-1,"maximum":9007199254740993}`, yes: []string{`-0.5`, `9007199254740993`}, no: []string{`-1`, `-1.0`, `9007199254740994`}},
		{name: "two lower bounds", schema: `{"minimum":1,"exclusiveMinimum":2}`, yes: []string{`2.5`}, no: []string{`2`}},
		{name: "multipleOf", schema: `{"multipleOf":2}`, no: []string{`2`, `3`}},
		{name: "list", schema: `{"items":{"type":"string"},"minItems":1,"maxItems":2}`, yes: []string{`["a"]`, `["a","b"]`, `1`}, no: []string{`[]`, `["a","b","c"]`, `["a",1]`}},
		{name: "unique", schema: `{"uniqueItems":true}`, no: []string{`[1,1]`, `[1,2]`}},
		{name: "not unique", schema: `{"uniqueItems":false}`, yes: []string{`[1,1]`}},
		{name: "tuple", schema: `{"prefixItems":[{"type":"string"}]}`, no: []string{`["a"]`, `[1]`}},
		{name: "closed", schema: `{"properties":{"a":{"type":"integer"}},"additionalProperties":false}`, yes: []string{`{}`, `{"a":1}`}, no: []string{`{"b":1}`, `{"A":1}`, `{"a":"x"}`, `{"a":1,"a":1}`}},
		{name: "typed further keys", schema: `{"properties":{"a":{}},"additionalProperties":{"type":"integer"}}`, yes: []string{`{"a":"x","b":1}`}, no: []string{`{"b":"x"}`, `{"A":1}`}},
		{name: "further keys that differ by case", schema: `{"additionalProperties":{}}`, yes: []string{`{"a":1,"A":1}`}},
		{name: "case variants", schema: `{"properties":{"key":{},"s":{},"ſ2":{}}}`, yes: []string{`{"keys":1}`, `{"ключ":1}`}, no: []string{`{"Key":1}`, "{\"\u212aey\":1}", `{"ſ":1}`, `{"S2":1}`, `{"s2":1}`}},
		{name: "both cases declared", schema: `{"properties":{"a":{},"A":{}}}`, yes: []string{`{"a":1,"A":1}`}},
		{name: "required", schema: `{"properties":{"a":{},"b":{}},"required":["a"]}`, yes: []string{`{"a":1}`, `{"b":1,"a":1}`, `[]`}, no: []string{`{}`, `{"b":1}`, `{"x":{"a":1}}`}},
		{name: "required and not declared", schema: `{"required":["a"]}`, no: []string{`{"a":1}`, `{}`}},
		{name: "number of keys", schema: `{"minProperties":1,"maxProperties":2}`, yes: []string{`{"a":1}`, `{"a":1,"b":1}`}, no: []string{`{}`, `{"a":1,"b":1,"c":1}`}},
		{name: "pattern properties", schema: `{"patternProperties":{"^a":{"type":"string"}}}`, no: []string{`{"a":1}`, `{"b":1}`}},
		{name: "reference", schema: `{"$ref":"#/$defs/point","description":"p"}`, yes: []string{`{"x":1}`}, no: []string{`{"X":1}`, `{"x":"a"}`}},
		{name: "reference and more", schema: `{"$ref":"#/$defs/point","required":["x"]}`, no: []string{`{"x":1}`}},
		{name: "recursive", schema: `{"$ref":"#/$defs/tree"}`, yes: []string{`{"next":{"next":null}}`}, no: []string{`{"next":{"Next":null}}`, `{"next":1}`}},
		{name: "or null", schema: nullable, yes: []string{`null`, `{"a":1}`}, no: []string{`{"A":1}`, `1`}},
		{name: "any of plain types", schema: `{"anyOf":[{"type":"string","maxLength":1},{"type":"string","pattern":"^x"},{"type":"number","minimum":5},{"const":1}]}`, yes: []string{`"a"`, `"xyz"`, `6`, `1`}, no: []string{`"ab"`, `2`, `[]`}},
		{name: "any of two objects", schema: `{"anyOf":[{"properties":{"a":{}}},{"type":"object","properties":{"b":{}}}]}`, no: []string{`{"a":1}`, `{"B":1}`, `1`}},
		{name: "any of, one not understood", schema: `{"anyOf":[{"type":"string"},{"not":{}}]}`, no: []string{`"a"`}},
		{name: "any of, one with idle properties", schema: `{"anyOf":[{"type":"string","properties":{"a":{}}},{"type":"object"}]}`, no: []string{`{"A":1}`, `{"a":1}`}},
		{name: "one of", schema: `{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"array","items":{"type":"string"}}]}`, yes: []string{`"a"`, `1`, `["a"]`}, no: []string{`[1]`, `null`}},
		{name: "one of that overlap", schema: `{"oneOf":[{"type":"number"},{"type":"integer"}]}`, no: []string{`1`, `1.5`}},
		{name: "one of, listed lists overlap", schema: `{"oneOf":[{"enum":[{"a":1},"x"]},{"type":"object"}]}`, no: []string{`{"a":1}`, `{}`}},
		{name: "all of one", schema: `{"allOf":[{"type":"string"}]}`, yes: []string{`"a"`}, no: []string{`1`}},
		{name: "all of two", schema: `{"allOf":[{"type":"string"},{"minLength":1}]}`, no: []string{`"a"`, `""`}},
		{name: "any of and type", schema: `{"type":"string","anyOf":[{"minLength":1}]}`, no: []string{`"a"`, `""`}},
		{name: "not", schema: `{"not":{"type":"string"}}`, no: []string{`1`, `"a"`}},
		{name: "format that is asserted", schema: `{"format":"date-time"}`, no: []string{`"2026-01-31T14:30:00Z"`, `"x"`}},
		{name: "format that is not known", schema: `{"type":"integer","format":"int32"}`, yes: []string{`1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const defs = `"$defs":{"point":{"properties":{"x":{"type":"integer"}}},
				"tree":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}}}`
			text := `{"properties":{"v":` + tt.schema + `},` + defs + `}`
			for _, v := range tt.yes {
				checkAccepts(t, text, `{"v":`+v+`}`, true)
			}
			for _, v := range tt.no {
				checkAccepts(t, text, `{"v":`+v+`}`, false)
			}
		})
	}
}

func TestAcceptsOtherDrafts(t *testing.T) {
	t.Parallel()
	const draft4 = `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`
	const draft7 = `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"d":{"type":"string"}},
		"properties":{"r":{"$ref":"#/definitions/d","minLength":9},"l":{"items":{"type":"string"}},"t":{"items":[{"type":"string"}]}}}`
	const draft2019 = `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"f":{"format":"date"}}}`
	tests := []struct {
		name, schema, input string
		want                bool
	}{
		{name: "draft 4 bound", schema: draft4, input: `{"n":1}`},
		{name: "draft 4", schema: draft4, input: `{"n":2}`, want: true},
		{name: "draft 7 ignores what stands beside a reference", schema: draft7, input: `{"r":"a"}`, want: true},
		{name: "draft 7 items", schema: draft7, input: `{"l":["a"]}`, want: true},
		{name: "draft 7 wrong item", schema: draft7, input: `{"l":[1]}`},
		{name: "draft 7 tuple", schema: draft7, input: `{"t":["a"]}`},
		{name: "draft 2019 asserts no format", schema: draft2019, input: `{"f":"x"}`, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkAccepts(t, tt.schema, tt.input, tt.want)
		})
	}
}

func TestAcceptsManyProperties(t *testing.T) {
	t.Parallel()
	for _, n := range []int{64, 65} {
		var properties, values []string
		for i := range n {
			properties = append(properties, fmt.Sprintf(`"p%d":{}`, i))
			values = append(values, fmt.Sprintf(`"p%d":1`, i))
		}
		text := `{"properties":{` + strings.Join(properties, ",") + `},"required":["p0","p63"]}`
		checkAccepts(t, text, `{`+strings.Join(values, ",")+`}`, n == 64)
		checkAccepts(t, text, `{"p0":1}`, false)
	}
}

func TestAcceptsReflected(t *testing.T) {
	t.Parallel()
	text, err := schema.Reflect(reflect.TypeFor[struct {
		Path      string `json:"path"`
		Limit     int    `json:"limit,omitempty"`
		Recursive bool   `json:"recursive,omitempty"`
	}]())
	require.NoError(t, err)
	checkAccepts(t, string(text), benchInput, true)
}

func TestAcceptsWithoutAllocating(t *testing.T) {
	for _, open := range []bool{false, true} {
		s, err := schema.Compile(json.RawMessage(benchSchema(open)))
		require.NoError(t, err)
		raw := []byte(benchInput)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if !s.Accepts(raw) {
				t.Error("not accepted")
			}
		}))
	}
}

func BenchmarkAccepts(b *testing.B) {
	for _, open := range []bool{false, true} {
		name := "closed"
		if open {
			name = "open"
		}
		s, err := schema.Compile(json.RawMessage(benchSchema(open)))
		require.NoError(b, err)
		raw := []byte(benchInput)
		b.Run(name+"/fast", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !s.Accepts(raw) {
					b.Fatal()
				}
			}
		})
		b.Run(name+"/slow", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if slowly(s, raw) != nil {
					b.Fatal()
				}
			}
		})
	}
}

const benchInput = `{"path":"/var/log/syslog","limit":200,"recursive":true}`

func benchSchema(open bool) string {
	closed := `,"additionalProperties":false`
	if open {
		closed = ""
	}
	return `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},"recursive":{"type":"boolean"}},"required":["path"]` + closed + `}`
}

func BenchmarkValidate(b *testing.B) {
	v, err := strictjson.Decode([]byte(benchInput), strictjson.Limits{})
	require.NoError(b, err)
	for _, open := range []bool{false, true} {
		name := "closed"
		if open {
			name = "open"
		}
		s, err := schema.Compile(json.RawMessage(benchSchema(open)))
		require.NoError(b, err)
		c := bare.NewCompiler()
		require.NoError(b, c.AddResource("x:///", bytes.NewReader([]byte(benchSchema(open)))))
		root, err := c.Compile("x:///")
		require.NoError(b, err)
		b.Run(name+"/own", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if s.Validate(v) != nil {
					b.Fatal()
				}
			}
		})
		b.Run(name+"/bare", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if root.Validate(v) != nil {
					b.Fatal()
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	raw := json.RawMessage(benchSchema(false))
	for b.Loop() {
		if _, err := schema.Compile(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReflect(b *testing.B) {
	for b.Loop() {
		if _, err := schema.Reflect(reflect.TypeFor[plainInput]()); err != nil {
			b.Fatal(err)
		}
	}
}

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

func TestSummary(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 25 {
		many = append(many, fmt.Sprintf(`"p%02d":{"type":"string"}`, i))
	}
	tests := []struct {
		name   string
		schema string
		want   string
	}{
		{name: "nothing declared", schema: `{"type":"object"}`, want: "no properties that are declared"},
		{
			name:   "required first",
			schema: `{"type":"object","properties":{"days":{"type":"integer"},"city":{"type":"string"},"any":{}},"required":["city"]}`,
			want:   `"city": string, required; "any"; "days": integer`,
		},
		{
			name:   "choices and inner objects",
			schema: `{"type":"object","properties":{"unit":{"enum":["C","F"]},"at":{"type":"object","properties":{"lat":{}},"required":["lat"]}}}`,
			want:   `"at": object with "lat"; "unit": one of "C", "F"`,
		},
		{name: "required and not declared", schema: `{"type":"object","required":["x"]}`, want: `"x", required`},
		{
			name:   "behind a reference",
			schema: `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{"a":{"type":"boolean"}}}}}`,
			want:   `"a": boolean`,
		},
		{
			name:   "many",
			schema: `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
			want:   ` and 5 more`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tt.schema))
			require.NoError(t, err)
			if strings.HasPrefix(tt.want, " and") {
				require.True(t, strings.HasSuffix(s.Summary(), tt.want), s.Summary())
				return
			}
			require.Equal(t, tt.want, s.Summary())
		})
	}
}
