package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func validate(t testing.TB, raw, input string) error {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(raw))
	require.NoError(t, err)
	v, err := strictjson.Decode([]byte(input), strictjson.Limits{})
	require.NoError(t, err)
	return s.Validate(v)
}

// with is the schema of an object whose property v has the given schema.
func with(v string) string { return `{"type":"object","properties":{"v":` + v + `}}` }

func TestMessages(t *testing.T) {
	t.Parallel()
	const search = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{
		"path":{"type":"string"},"limit":{"type":"integer"},"mode":{"enum":["a","b"]},
		"items":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}}}`
	const shapes = `{"oneOf":[
		{"type":"object","required":["kind","radius"],"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}}},
		{"type":"object","required":["kind","side"],"properties":{"kind":{"const":"square"},"side":{"type":"number"}}}]}`
	tests := []struct {
		name   string
		schema string
		input  string
		want   string
	}{
		{name: "type", schema: search, input: `{"path":"x","limit":"200"}`, want: `limit: got string "200", want integer`},
		{name: "fraction", schema: search, input: `{"path":"x","limit":1.5}`, want: `limit: got number 1.5, want integer`},
		{name: "null", schema: search, input: `{"path":null}`, want: `path: got null, want string`},
		{name: "root type", schema: search, input: `[]`, want: `got array, want object`},
		{name: "types", schema: with(`{"type":["integer","null"]}`), input: `{"v":{}}`, want: `v: got object, want integer or null`},
		{name: "unknown", schema: search, input: `{"path":"x","pth":1}`, want: `unknown property "pth"; did you mean "path"?`},
		{name: "unknown, nothing near", schema: search, input: `{"path":"x","zzz":1}`, want: `unknown property "zzz"; the properties are "items", "limit", "mode", "path"`},
		{name: "unknown, none declared", schema: with(`{"additionalProperties":false}`), input: `{"v":{"x":1}}`, want: `v: unknown property "x"; leave it out`},
		{name: "missing", schema: search, input: `{}`, want: `missing required property "path" (string)`},
		{name: "missing in an item", schema: search, input: `{"path":"x","items":[{"name":"n"},{}]}`, want: `items[1]: missing required property "name" (string)`},
		{name: "case variant", schema: search, input: `{"path":"x","PATH":"y"}`, want: `PATH: this key differs from "path" only by letter case; use "path"`},
		{name: "case variant where more is allowed", schema: search, input: `{"path":"x","items":[{"name":"a","Name":"b"}]}`, want: `items[0].Name: this key differs from "name" only by letter case; use "name"`},
		{name: "enum", schema: search, input: `{"path":"x","mode":"fast"}`, want: `mode: "fast" is not allowed; use one of "a", "b"`},
		{name: "long enum", schema: with(`{"enum":["alpha","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r","s","t","u","v"]}`), input: `{"v":"alpah"}`, want: `v: "alpah" is not allowed; use one of "alpha", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t" and 2 more; did you mean "alpha"?`},
		{name: "const", schema: with(`{"const":{"a":1}}`), input: `{"v":{"a":2}}`, want: `v: {"a":2} is not allowed; use {"a":1}`},
		{name: "minimum", schema: with(`{"minimum":0.5}`), input: `{"v":0}`, want: `v: 0 is too small; want at least 0.5`},
		{name: "maximum", schema: with(`{"maximum":10}`), input: `{"v":11}`, want: `v: 11 is too large; want at most 10`},
		{name: "exclusiveMinimum", schema: with(`{"exclusiveMinimum":0}`), input: `{"v":0}`, want: `v: 0 is too small; want more than 0`},
		{name: "exclusiveMaximum", schema: with(`{"exclusiveMaximum":0}`), input: `{"v":0}`, want: `v: 0 is too large; want less than 0`},
		{name: "multipleOf", schema: with(`{"multipleOf":5}`), input: `{"v":7}`, want: `v: 7 is not a multiple of 5`},
		{name: "minLength", schema: with(`{"minLength":2}`), input: `{"v":"é"}`, want: `v: 1 character is too few; want at least 2`},
		{name: "maxLength", schema: with(`{"maxLength":2}`), input: `{"v":"abc"}`, want: `v: 3 characters are too many; want at most 2`},
		{name: "pattern", schema: with(`{"pattern":"^[a-z]+$"}`), input: `{"v":"A"}`, want: `v: "A" does not match the pattern ^[a-z]+$`},
		{name: "format", schema: with(`{"format":"date-time"}`), input: `{"v":"today"}`, want: `v: "today" is not a valid date-time; write it like 2026-01-31T14:30:00Z`},
		{name: "minItems", schema: with(`{"minItems":1}`), input: `{"v":[]}`, want: `v: 0 items are too few; want at least 1`},
		{name: "maxItems", schema: with(`{"maxItems":1}`), input: `{"v":[1,2]}`, want: `v: 2 items are too many; want at most 1`},
		{name: "uniqueItems", schema: with(`{"uniqueItems":true}`), input: `{"v":[1,2,1]}`, want: `v: items [0] and [2] are equal; send each only once`},
		{name: "minProperties", schema: with(`{"minProperties":1}`), input: `{"v":{}}`, want: `v: 0 properties are too few; want at least 1`},
		{name: "maxProperties", schema: with(`{"maxProperties":1}`), input: `{"v":{"a":1,"b":1}}`, want: `v: 2 properties are too many; want at most 1`},
		{name: "contains", schema: with(`{"contains":{"type":"string"}}`), input: `{"v":[1,2]}`, want: `v: at least 1 item must be string`},
		{name: "maxContains", schema: with(`{"contains":{"const":1},"maxContains":1}`), input: `{"v":[1,1]}`, want: `v: at most 1 item may be 1`},
		{name: "dependentRequired", schema: `{"dependentRequired":{"a":["b","c"]}}`, input: `{"a":1}`, want: `property "b" is required because "a" is given; property "c" is required because "a" is given`},
		{name: "dependencies", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, input: `{"a":1}`, want: `property "b" is required because "a" is given`},
		{name: "dependentSchemas", schema: `{"dependentSchemas":{"a":{"required":["b"]}}}`, input: `{"a":1}`, want: `missing required property "b"`},
		{name: "not", schema: with(`{"not":{"type":"string"}}`), input: `{"v":""}`, want: `v: this value is excluded: it must not be string`},
		{name: "false", schema: with(`false`), input: `{"v":""}`, want: `v: nothing is allowed here; leave it out`},
		{name: "propertyNames", schema: with(`{"propertyNames":{"pattern":"^[a-z]+$"}}`), input: `{"v":{"A/b":1}}`, want: `v: the property name "A/b" is not allowed: "A/b" does not match the pattern ^[a-z]+$`},
		{name: "propertyNames in a property of that name", schema: `{"properties":{"propertyNames":{"type":"string"}}}`, input: `{"propertyNames":1}`, want: `propertyNames: got number 1, want string`},
		{name: "unevaluatedProperties", schema: `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, input: `{"b":1}`, want: `b: unknown property; leave it out`},
		{name: "additionalItems", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"items":[{}],"additionalItems":false}}}`, input: `{"v":[1,2]}`, want: `v: 2 items are too many; want at most 1`},
		{name: "prefixItems", schema: with(`{"prefixItems":[{"type":"string"}]}`), input: `{"v":[1]}`, want: `v[0]: got number 1, want string`},
		{name: "anyOf of types", schema: with(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), input: `{"v":5}`, want: `v: got number 5, want string or null`},
		{name: "anyOf, one of the type", schema: with(`{"anyOf":[{"type":"object","required":["a"]},{"type":"null"}]}`), input: `{"v":{}}`, want: `v: missing required property "a"`},
		{name: "anyOf of requirements", schema: `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, input: `{}`, want: `got object, which fits no alternative: object with "a"; or object with "b"`},
		{name: "anyOf of bounds", schema: with(`{"anyOf":[{"minimum":5},{"maximum":1}]}`), input: `{"v":3}`, want: `v: got number 3, which fits no alternative: a value with further conditions`},
		{name: "oneOf by tag", schema: with(shapes), input: `{"v":{"kind":"circle"}}`, want: `v: missing required property "radius" (number)`},
		{name: "oneOf, no tag fits", schema: with(shapes), input: `{"v":{"kind":"line"}}`, want: `v: got object, which fits no alternative: object with "kind": "circle", "radius"; or object with "kind": "square", "side"`},
		{name: "oneOf, of another type", schema: with(shapes), input: `{"v":"circle"}`, want: `v: got string "circle", which fits no alternative: object with "kind": "circle", "radius"; or object with "kind": "square", "side"`},
		{name: "oneOf, several fit", schema: with(`{"oneOf":[{"type":"integer"},{"type":"number"}]}`), input: `{"v":3}`, want: `v: this value fits more than one alternative and must fit only one: integer; or number`},
		{name: "allOf", schema: with(`{"allOf":[{"minimum":5},{"multipleOf":2}]}`), input: `{"v":3}`, want: `v: 3 is not a multiple of 2` + "\n" +
			`v: 3 is too small; want at least 5`},
		{name: "if", schema: `{"if":{"required":["a"]},"then":{"required":["b"]}}`, input: `{"a":1}`, want: `missing required property "b"`},
		{name: "ref", schema: `{"$defs":{"n":{"type":"integer"}},"properties":{"v":{"$ref":"#/$defs/n"}}}`, input: `{"v":"x"}`, want: `v: got string "x", want integer`},
		{name: "recursive", schema: `{"properties":{"next":{"$ref":"#"},"v":{"type":"string"}}}`, input: `{"next":{"next":{"v":1}}}`, want: `next.next.v: got number 1, want string`},
		{name: "draft 4 bound", schema: `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"v":{"minimum":1,"exclusiveMinimum":true}}}`, input: `{"v":1}`, want: `v: 1 is too small; want more than 1`},
		{name: "content", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"contentEncoding":"base64","contentMediaType":"application/json"}}}`, input: `{"v":"#"}`, want: `v: the string is not base64 encoded`},
		{name: "keys that are no words", schema: with(`{"additionalProperties":{"type":"string"}}`), input: `{"v":{"a b":1,"x/y~z":2,"%41":3}}`, want: `v["%41"]: got number 3, want string` + "\n" +
			`v["a b"]: got number 1, want string` + "\n" +
			`v["x/y~z"]: got number 2, want string`},
		{name: "several, ordered", schema: search, input: `{"mode":1,"limit":"x","nope":1}`, want: `missing required property "path" (string)` + "\n" +
			`unknown property "nope"; the properties are "items", "limit", "mode", "path"` + "\n" +
			`limit: got string "x", want integer` + "\n" +
			`mode: 1 is not allowed; use one of "a", "b"`},
		{name: "long values are cut", schema: search, input: `{"path":"x","limit":"` + strings.Repeat("é", 200) + `"}`, want: `limit: got string "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…", want integer`},
		{name: "long number", schema: with(`{}`), input: `{"v":[1,1e99999]}`, want: `v[1]: the number 1e99999 has too many digits; send one that fits 64 bits`},
		{name: "more than ten", schema: with(`{"items":{"type":"string"}}`), input: `{"v":[1,2,3,4,5,6,7,8,9,10,11,12]}`, want: `v[0]: got number 1, want string` + "\n" +
			`v[1]: got number 2, want string` + "\n" +
			`v[2]: got number 3, want string` + "\n" +
			`v[3]: got number 4, want string` + "\n" +
			`v[4]: got number 5, want string` + "\n" +
			`v[5]: got number 6, want string` + "\n" +
			`v[6]: got number 7, want string` + "\n" +
			`v[7]: got number 8, want string` + "\n" +
			`v[8]: got number 9, want string` + "\n" +
			`v[9]: got number 10, want string` + "\n" +
			`and 2 more; mend these first`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := validate(t, tt.schema, tt.input)
			var invalid *schema.Invalid
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, tt.want, err.Error())
		})
	}
}
