package tooltest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// anyObject returns the mutations of an object whatever its schema.
func anyObject(input string) []tooltest.Mutation {
	return []tooltest.Mutation{
		{What: "the JSON is truncated", Input: input[:len(input)-1]},
		{What: "something stands after the object", Input: input + " {}"},
		{What: "an array stands in place of the object", Input: "[" + input + "]"},
		{What: "null stands in place of the object", Input: "null"},
	}
}

func TestMutate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		schema string
		input  string
		base   string              // what input counts as; empty: input
		want   []tooltest.Mutation // besides those of any object
	}{
		{name: "nothing said", schema: `{}`, input: `{}`},
		{name: "not an object", schema: `true`, input: `{}`},
		{name: "empty input", schema: `{}`, input: " ", base: `{}`},
		{name: "space around", schema: `{}`, input: " {}\n", base: `{}`},
		{
			name: "closed", schema: `{"additionalProperties":false,"properties":{"unexpected":{}}}`, input: `{}`,
			want: []tooltest.Mutation{{"/unexpected_ is no property of the schema", `{"unexpected_":true}`}},
		},
		{name: "closed but for patterns", schema: `{"additionalProperties":false,"patternProperties":{"^x":{}}}`, input: `{}`},
		{
			name: "unknown key in an open object", schema: `{}`, input: `{"a":1}`,
			want: []tooltest.Mutation{{"/a stands there twice", `{"a":1,"a":1}`}},
		},
		{
			name: "required", schema: `{"required":["b","c"]}`, input: `{"a":1,"b":2}`,
			want: []tooltest.Mutation{
				{"/a stands there twice", `{"a":1,"b":2,"a":1}`},
				{"/b is required and missing", `{"a":1}`},
				{"/b stands there twice", `{"a":1,"b":2,"b":2}`},
			},
		},
		{
			name: "property", schema: `{"properties":{"aB":{"type":"string"}}}`, input: `{"aB":"x"}`,
			want: []tooltest.Mutation{
				{"/aB stands there twice", `{"aB":"x","aB":"x"}`},
				{"/aB is written AB", `{"AB":"x"}`},
				{"/aB stands there a second time, as AB", `{"aB":"x","AB":"x"}`},
				{"/aB has the wrong type", `{"aB":true}`},
			},
		},
		{
			name: "properties that differ by case", schema: `{"properties":{"a":{},"A":{}}}`, input: `{"a":1}`,
			want: []tooltest.Mutation{{"/a stands there twice", `{"a":1,"a":1}`}},
		},
		{
			name: "key without letters", schema: `{"properties":{"1":{}}}`, input: `{"1":1}`,
			want: []tooltest.Mutation{{"/1 stands there twice", `{"1":1,"1":1}`}},
		},
		{
			name: "several types", schema: `{"properties":{"1":{"type":["boolean","string","number"]}}}`, input: `{"1":1}`,
			want: []tooltest.Mutation{
				{"/1 stands there twice", `{"1":1,"1":1}`},
				{"/1 has the wrong type", `{"1":[]}`},
			},
		},
		{
			name:   "every type",
			schema: `{"properties":{"1":{"type":["boolean","string","number","array","object","null"]}}}`, input: `{"1":1}`,
			want: []tooltest.Mutation{{"/1 stands there twice", `{"1":1,"1":1}`}},
		},
		{
			name: "nested object", schema: `{"properties":{"1":{"required":["2"]}}}`, input: `{"1":{"2":0}}`,
			want: []tooltest.Mutation{
				{"/1 stands there twice", `{"1":{"2":0},"1":{"2":0}}`},
				{"/1/2 is required and missing", `{"1":{}}`},
				{"/1/2 stands there twice", `{"1":{"2":0,"2":0}}`},
			},
		},
		{
			name:   "list of objects",
			schema: `{"properties":{"1":{"items":{"type":"object","additionalProperties":false}}}}`, input: `{"1":[{},{"2":3}]}`,
			want: []tooltest.Mutation{
				{"/1 stands there twice", `{"1":[{},{"2":3}],"1":[{},{"2":3}]}`},
				{"/1[0]/unexpected is no property of the schema", `{"1":[{"unexpected":true},{"2":3}]}`},
				{"/1[0] has the wrong type", `{"1":[true,{"2":3}]}`},
			},
		},
		{
			name: "numbers and text stay as they are", schema: `{}`, input: `{"a":1.50e400,"b":"<\u00e9>"}`,
			want: []tooltest.Mutation{
				{"/a stands there twice", `{"a":1.50e400,"b":"<\u00e9>","a":1.50e400}`},
				{"/b stands there twice", `{"a":1.50e400,"b":"<\u00e9>","b":"<\u00e9>"}`},
			},
		},
		{
			name:   "keywords of other types are passed over",
			schema: `{"type":1,"properties":[],"required":true,"additionalProperties":{"type":"string"},"items":[]}`, input: `{}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base := tt.base
			if base == "" {
				base = tt.input
			}
			require.Equal(t, append(anyObject(base), tt.want...), tooltest.Mutate(tt.schema, tt.input))
		})
	}
}

// TestMutateFindsLenientDecoding has the standard decoder, which takes several of
// the mutations: what the strict one is there for.
func TestMutateFindsLenientDecoding(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string"}}}`
	var taken []string
	for _, m := range tooltest.Mutate(schema, `{"path":"a"}`) {
		var in struct {
			Path string `json:"path"`
		}
		if json.Unmarshal([]byte(m.Input), &in) == nil {
			taken = append(taken, m.What)
		}
	}
	require.Equal(t, []string{
		"null stands in place of the object",
		"/unexpected is no property of the schema",
		"/path is required and missing",
		"/path stands there twice",
		"/path is written Path",
		"/path stands there a second time, as Path",
	}, taken)
}
