package dialect_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// TestConvertedAcceptsWhatTheCanonicalDoes compares verdicts on made-up schemas,
// in which combinators, references, bounds and types meet in every way, and on
// made-up inputs. The schemas keep clear of the conventions that Convert documents.
func TestConvertedAcceptsWhatTheCanonicalDoes(t *testing.T) {
	t.Parallel()
	g := maker{rand.New(rand.NewPCG(3, 5))}
	converted, accepted, restored := map[dialect.Dialect]int{}, 0, 0
	for range effort.Of(t, 500) {
		text := fmt.Sprintf(`{"type":"object","properties":{"a":%s,"b":%s},"required":[%s],"additionalProperties":false,"$defs":{"d":%s,"e":%s}}`,
			g.schema(3), g.schema(2), g.pick("", `"a"`), g.schema(2), g.schema(1))
		canonical, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			continue // such as references that lead nowhere but back
		}
		forms := map[dialect.Dialect]*schema.Schema{}
		sent := map[dialect.Dialect]json.RawMessage{}
		for _, d := range dialects() {
			c, err := dialect.Convert(json.RawMessage(text), d)
			if err != nil {
				continue
			}
			require.Empty(t, check(t, c.Schema, d), "%s\n%s\n%s", d, text, c.Schema)
			sent[d] = c.Schema
			readable := c.Schema
			if d == dialect.GeminiSchema {
				readable, err = json.Marshal(fromOpenAPI(generic(t, c.Schema)))
				require.NoError(t, err)
			}
			forms[d], err = schema.Compile(readable)
			require.NoError(t, err, "%s\n%s\n%s", d, text, readable)
			converted[d]++
		}
		for range 60 {
			input := json.RawMessage(g.root())
			if !accepts(canonical, input) {
				continue
			}
			accepted++
			for d, form := range forms {
				if d != dialect.OpenAIStrict {
					require.True(t, accepts(form, input), "%s\n%s\n%s\n%s", d, text, sent[d], input)
				}
			}
			if forms[dialect.OpenAIStrict] == nil || strings.Contains(text, "dependentRequired") || strings.Contains(text, "maxProperties") {
				continue // where it matters whether a property is left out, a null that fits stays and may not do
			}
			shaped := nullShaped(t, generic(t, sent[dialect.OpenAIStrict]), input)
			if accepts(forms[dialect.OpenAIStrict], shaped) { // the test's own shaping is not always right
				back := dialect.Denull(shaped, json.RawMessage(text))
				require.True(t, accepts(canonical, back), "%s\n%s\n%s\n%s", text, sent[dialect.OpenAIStrict], shaped, back)
				restored++
			}
		}
	}
	t.Logf("converted %v, %d inputs accepted, %d restored", converted, accepted, restored)
	if effort.Full(t) {
		for _, d := range dialects() {
			require.Greater(t, converted[d], 300, "%s", d)
		}
		require.Greater(t, accepted, 1000, "too little to compare")
		require.Greater(t, restored, 500)
	}
}

// maker makes up JSON texts of few words, so that they often meet.
type maker struct{ *rand.Rand }

func (g maker) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g maker) root() string {
	return g.pick(`{"a":`+g.value(3)+`}`, `{"a":`+g.value(3)+`,"b":`+g.value(2)+`}`, `{"b":`+g.value(2)+`}`)
}

func (g maker) value(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.pick("0", "1", "2", "1.5", `"x"`, `"y"`, `"xyz"`, `""`, "true", "null", `"2026-01-31"`)
	}
	inner := func() string { return g.value(depth - 1) }
	return g.pick("[]", "["+inner()+"]", "["+inner()+","+inner()+"]", "{}", `{"k":`+inner()+`}`, `{"k":`+inner()+`,"l":`+inner()+`}`)
}

func (g maker) schema(depth int) string {
	inner := func() string { return g.schema(depth - 1) }
	if depth == 0 || g.IntN(4) == 0 {
		return g.scalar()
	}
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf(`{"type":"array","items":%s%s}`, inner(), g.pick("", `,"minItems":1`, `,"minItems":2,"maxItems":3`, `,"uniqueItems":true`))
	case 1, 2:
		return fmt.Sprintf(`{"type":%s,"properties":{"k":%s,"l":%s},"additionalProperties":false%s}`, g.pick(`"object"`, `"object"`, `["object","null"]`), inner(), inner(),
			g.pick("", `,"required":["k"]`, `,"required":["k","l"]`, `,"maxProperties":1`, `,"dependentRequired":{"k":["l"]}`))
	case 3, 4:
		return fmt.Sprintf(`{%q:[%s,%s]%s}`, g.pick("anyOf", "oneOf"), inner(), inner(), g.pick("", "", `,"description":"one"`, `,"type":"string"`, `,"type":["object","string"]`))
	case 5:
		return fmt.Sprintf(`{"allOf":[%s,%s]}`, inner(), inner())
	case 6:
		return fmt.Sprintf(`{"type":["string","object"],"properties":{"k":%s},"additionalProperties":false,"minLength":1}`, inner())
	case 7:
		return fmt.Sprintf(`{"$ref":"#/$defs/%s"%s}`, g.pick("d", "e"), g.pick("", "", `,"description":"ref"`, `,"default":null`, `,"anyOf":[`+inner()+`,`+inner()+`]`))
	default:
		return strings.TrimSuffix(g.scalar(), "}") + g.pick("", `,"not":{"const":1}`, `,"if":{"const":1},"then":false`, `,"title":"T"`, `,"x-y":[1]`) + "}"
	}
}

func (g maker) scalar() string {
	return g.pick(
		`{"type":"string"}`, `{"type":"string","minLength":2}`, `{"type":"string","maxLength":2,"pattern":"^x"}`, `{"type":"string","format":"date"}`,
		`{"type":"string","enum":["x","y"]}`, `{"enum":["x",1,null]}`, `{"enum":["","x"]}`, `{"const":"x"}`, `{"const":1}`, `{"enum":[1,2]}`, `{"type":"string","enum":["x",1]}`,
		`{"type":"integer","minimum":1}`, `{"type":"integer","exclusiveMinimum":0,"maximum":1}`, `{"type":"number","exclusiveMaximum":2}`, `{"type":"number","multipleOf":0.5}`,
		`{"type":["integer","null"]}`, `{"type":["string","integer"]}`, `{"type":"boolean"}`, `{"type":"null"}`, `{"type":["number","integer","string"],"default":1}`,
		`{"type":"string","pattern":"\\bx"}`,
	)
}
