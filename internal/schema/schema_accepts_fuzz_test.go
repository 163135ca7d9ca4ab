package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/schema"
)

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
