package repair_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

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
