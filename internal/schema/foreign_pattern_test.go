package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

// patterned compiles a schema with a property of that pattern.
func patterned(t *testing.T, pattern string) *schema.Schema {
	t.Helper()
	quoted, err := json.Marshal(pattern)
	require.NoError(t, err)
	s, err := schema.Compile(fmt.Appendf(nil, `{"type":"object","properties":{"f":{"type":"string","pattern":%s}},"required":["f"]}`, quoted))
	require.NoError(t, err)
	require.Contains(t, string(s.Bytes()), `"pattern":`, "the model reads the pattern")
	require.NotContains(t, string(s.Bytes()), "pegboard:")
	return s
}

// TestPatternsThatGoLacks has the patterns of zod 4 for formats of strings.
func TestPatternsThatGoLacks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, pattern string
		valid, bad    []string
	}{
		{
			name:    "e-mail",
			pattern: `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
			valid:   []string{"a@b.co", "first.last+tag@sub.example.org"},
			bad:     []string{"", "a@b", ".a@b.co", "a..b@c.de", "a@b.co\n", "\na@b.co", "a@b.co x", "é@b.co"},
		},
		{
			name:    "duration",
			pattern: `^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`,
			valid:   []string{"P1W", "PT15M", "P1Y2M3DT4H5M6.7S"},
			bad:     []string{"P", "PT", "P1WT1H", "1W", "P٣D"},
		},
		{
			name:    "hostname",
			pattern: `^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`,
			valid:   []string{"example.org", "a", "www.example.org."},
			bad:     []string{"-a.org", "a..b", strings.Repeat("a.", 127) + "b", "a_b", ""},
		},
		{
			name:    "emoji",
			pattern: `^(\p{Extended_Pictographic}|\p{Emoji_Component})+$`,
			valid:   []string{"😀", "👩‍👩‍👧", "❤️", "🇩🇪", "👍🏽", "1"},
			bad:     []string{"a", "", "😀a", "é", "中", "p"},
		},
		{name: "emoji in a class", pattern: `^[\p{Emoji_Component}a](?=b)b$`, valid: []string{"ab", "#b"}, bad: []string{"b", "xb"}},
		{name: "back-reference", pattern: `^(a+)-\1$`, valid: []string{"aa-aa"}, bad: []string{"aa-a"}},
		{name: "look-behind", pattern: `(?<!x)y$`, valid: []string{"y", "zy"}, bad: []string{"xy", "y\n"}},
		{name: "many repetitions", pattern: `^a{2,2000}$`, valid: []string{"aa"}, bad: []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := patterned(t, tt.pattern)
			for _, text := range tt.valid {
				require.NoError(t, s.Validate(map[string]any{"f": text}), "%q", text)
			}
			for _, text := range tt.bad {
				err := s.Validate(map[string]any{"f": text})
				require.ErrorContains(t, err, "f: ", "%q", text)
				require.ErrorContains(t, err, "does not match the pattern "+tt.pattern[:5])
				quoted, marshalErr := json.Marshal(map[string]any{"f": text})
				require.NoError(t, marshalErr)
				require.False(t, s.Accepts(quoted), "%q", text)
			}
		})
	}
}

func TestPatternsThatNoEngineKnowsAreRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"properties":{"f":{"pattern":"("}}}`,
		`{"properties":{"f":{"pattern":"(?=` + strings.Repeat("a", 5000) + `)"}}}`,
		`{"properties":{"f":{"pattern":"` + strings.Repeat("(", 4000) + `(?=a"}}}`,
	} {
		_, err := schema.Compile(json.RawMessage(raw))
		var refused *schema.RefusalError
		require.ErrorAs(t, err, &refused, "%.60s", raw)
		require.Equal(t, schema.NotSchema, refused.Reason)
	}
}

// TestForeignPatternsStandWhereSchemasStand: a value that looks like a schema stays as it is.
func TestForeignPatternsStandWhereSchemasStand(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(json.RawMessage(`{
		"properties": {
			"pattern": {"pattern": "^(?!x)"},
			"const": {"const": {"pattern": "(?=a)"}},
			"default": {"items": {"pattern": "^(?!x)"}},
			"either": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^(?!x)"}]},
			"not": {"not": {"pattern": "^(?!x)"}},
			"ref": {"$ref": "#/$defs/enum"},
			"names": {"propertyNames": {"pattern": "^(?!x)"}},
			"own": {"pegboard:pattern": "^a"}
		},
		"$defs": {"enum": {"pattern": "^(?!x)"}}
	}`))
	require.NoError(t, err)
	for _, tt := range []struct{ name, value, want string }{
		{name: "pattern", value: `{"pattern":"xa"}`, want: `pattern: "xa" does not match the pattern ^(?!x)`},
		{name: "const", value: `{"const":{"pegboard:pattern":"(?=a)"}}`, want: "const: "},
		{name: "items", value: `{"default":["a","xa"]}`, want: `default[1]: "xa" does not match`},
		{name: "anyOf", value: `{"either":"xa"}`, want: "either: "},
		{name: "not", value: `{"not":"a"}`, want: "not: this value is excluded"},
		{name: "ref", value: `{"ref":"xa"}`, want: `ref: "xa" does not match`},
		{name: "names", value: `{"names":{"xa":1}}`, want: `the property name "xa" is not allowed`},
		{name: "valid", value: `{"pattern":"a","const":{"pattern":"(?=a)"},"default":["a"],"either":"a","not":"xa","ref":"a","names":{"a":1},"own":"b"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var v any
			require.NoError(t, json.Unmarshal([]byte(tt.value), &v))
			err := s.Validate(v)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestForeignPatternsHaveLimitedTime validates a list of texts, each of which would take
// years.
func TestForeignPatternsHaveLimitedTime(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(json.RawMessage(`{"properties":{"list":{"items":{"pattern":"^(?=a)(a+)+$"}}}}`))
	require.NoError(t, err)
	list := make([]any, 1000)
	for i := range list {
		list[i] = strings.Repeat("a", 60) + "!"
	}
	start := time.Now()
	err = s.Validate(map[string]any{"list": list})
	require.Less(t, time.Since(start), time.Minute)
	require.ErrorContains(t, err, "takes too long to match against the pattern ^(?=a)(a+)+$; send a shorter text")
	require.NoError(t, s.Validate(map[string]any{"list": []any{"aaa"}}), "the next validation has its own time")
}

// TestForeignPatternThatTimesOutAcceptsNothing: under not, a failed match would accept.
func TestForeignPatternThatTimesOutAcceptsNothing(t *testing.T) {
	t.Parallel()
	for _, part := range []string{`{"not":%s}`, `{"if":%s,"then":false}`, `{"anyOf":[%s,true]}`, `{"oneOf":[%s,true]}`} {
		s, err := schema.Compile(fmt.Appendf(nil, `{"properties":{"f":`+part+`}}`, `{"pattern":"^(?=a)(a+)+$"}`))
		require.NoError(t, err)
		err = s.Validate(map[string]any{"f": strings.Repeat("a", 60) + "!"})
		require.ErrorContains(t, err, "takes too long to match against the pattern", part)
	}
}
