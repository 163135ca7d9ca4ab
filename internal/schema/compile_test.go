package schema_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		schema string
		reason schema.Reason
		text   string // a part of the error
	}{
		{name: "empty", schema: ``, reason: schema.NotJSON, text: "the text is empty"},
		{name: "not JSON", schema: `{"type":"object"`, reason: schema.NotJSON, text: "ends before the value is complete"},
		{name: "duplicate key", schema: `{"properties":{"a":{},"a":{}}}`, reason: schema.NotJSON, text: `key "a" appears twice in properties`},
		{name: "too long", schema: `{"title":"` + strings.Repeat("a", 1<<20) + `"}`, reason: schema.TooLarge, text: "1048576 bytes"},
		{name: "too deep", schema: strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200), reason: schema.TooLarge, text: "128 levels"},
		{name: "too many parts", schema: `{"allOf":[` + strings.Repeat("true,", 6000) + `true]}`, reason: schema.TooLarge, text: "5000"},
		{name: "true", schema: `true`, reason: schema.NotObject, text: "got boolean true"},
		{name: "list", schema: `[]`, reason: schema.NotObject, text: "got array"},
		{name: "root is a string", schema: `{"type":"string"}`, reason: schema.NotObject, text: `"string"`},
		{name: "root is one of others", schema: `{"type":["array","null"]}`, reason: schema.NotObject, text: `["array","null"]`},
		{name: "unknown type", schema: `{"properties":{"a":{"type":"any"}}}`, reason: schema.NotSchema, text: `properties.a.type: "any" is not allowed; use one of "array", "boolean"`},
		{name: "root type is no name", schema: `{"type":1}`, reason: schema.NotSchema, text: `type: 1 is not allowed; use one of "array"`},
		{name: "no list of required", schema: `{"required":true}`, reason: schema.NotSchema, text: "required: got boolean true, want array"},
		{name: "draft 4 keyword in draft 7", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","minimum":1,"exclusiveMinimum":true}`, reason: schema.NotSchema, text: "exclusiveMinimum: got boolean true, want number"},
		{name: "invalid pattern", schema: `{"properties":{"a":{"pattern":"(?!x"}}}`, reason: schema.NotSchema, text: `properties.a.pattern: "(?!x" is not a valid regex`},
		{name: "look-ahead for keys", schema: `{"patternProperties":{"(?!x)":{}}}`, reason: schema.NotSchema, text: `"(?!x)" is not a valid regex (RE2 syntax`},
		{name: "huge number", schema: `{"properties":{"a":{"multipleOf":1e-9999999}}}`, reason: schema.NotSchema, text: "too many digits"},
		{name: "library panics", schema: `{"regexProperties":1}`, reason: schema.NotSchema, text: "cannot be compiled"},
		{name: "additionalItems is no schema", schema: `{"$defs":{"a":{"$anchor":"b"}},"$ref":"#b","additionalItems":{"$anchor":1}}`, reason: schema.NotSchema, text: "$anchor: got number 1, want string"},
		{name: "unknown dialect", schema: `{"$schema":"https://example.org/own"}`, reason: schema.UnknownDialect, text: `"https://example.org/own"`},
		{name: "relative reference", schema: `{"$ref":"other.json"}`, reason: schema.ExternalReference, text: `"other.json"`},
		{name: "reference below an $id", schema: `{"$id":"https://example.org/a","$ref":"b#/c"}`, reason: schema.ExternalReference, text: `"https://example.org/b"`},
		{name: "urn", schema: `{"$ref":"urn:a:b"}`, reason: schema.ExternalReference, text: `"urn:a:b"`},
		{name: "unknown definition", schema: `{"properties":{"a":{"$ref":"#/$defs/b"}}}`, reason: schema.UnknownReference, text: `"#/$defs/b"`},
		{name: "unknown anchor", schema: `{"$ref":"#b"}`, reason: schema.UnknownReference, text: `"#b"`},
		{name: "endless", schema: `{"$ref":"#"}`, reason: schema.EndlessReference, text: "leads back to itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(json.RawMessage(tt.schema))
			var refusal *schema.RefusalError
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, tt.reason, refusal.Reason)
			require.ErrorContains(t, err, "the schema "+string(tt.reason)+": ")
			require.ErrorContains(t, err, tt.text)
			require.NotContains(t, err.Error(), "pegboard:")
		})
	}
}

func TestCompileLoadsNothing(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "schema.json")
	require.NoError(t, os.WriteFile(file, []byte(`{}`), 0o600))
	for _, url := range []string{"file://" + filepath.ToSlash(file), server.URL + "/schema.json"} {
		for _, text := range []string{
			`{"$ref":"` + url + `"}`,
			`{"$schema":"` + url + `"}`,
			`{"$dynamicRef":"` + url + `"}`,
			`{"properties":{"a":{"$ref":"` + url + `#/x"}}}`,
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"` + url + `"}`,
		} {
			_, err := schema.Compile(json.RawMessage(text))
			require.ErrorContains(t, err, url[:min(len(url), 60)], "schema %s", text) // a long one is cut
		}
	}
	require.Zero(t, requests.Load())
}

func TestCompileAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		schema string
		want   string // canonical; "" if as given
	}{
		{name: "nothing said", schema: `{}`},
		{name: "no type", schema: `{"properties":{"a":{}}}`},
		{name: "object among types", schema: `{"type":["null","object"]}`},
		{name: "space and escapes", schema: "{ \"b\" : \"\\u003c\\/\" ,\n\"a\":1.0}", want: `{"b":"</","a":1.0}`},
		{name: "reference inside", schema: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`},
		{name: "reference by its own id", schema: `{"$id":"https://example.org/a","properties":{"b":{"$ref":"https://example.org/a"}}}`},
		{name: "reference to a draft, which is built in", schema: `{"properties":{"s":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`},
		{name: "draft 4", schema: `{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile(json.RawMessage(tt.schema))
			require.NoError(t, err)
			if tt.want == "" {
				tt.want = tt.schema
			}
			require.Equal(t, tt.want, string(s.Bytes()))
		})
	}
}

// FuzzCompile checks that any text is compiled or refused for a known reason,
// and that a schema comes back the same from its own bytes.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","$ref":"#/definitions/a","definitions":{"a":{}}}`,
		`{"$defs":{"a":{"$anchor":"b"}},"$ref":"#b","additionalItems":{"$anchor":1}}`,
		`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":[{"$recursiveRef":"#"}]}`,
		`{"if":{"minimum":1e3},"then":{"pattern":"("},"enum":[1,[2],{"a":3}],"dependentSchemas":{"a":false}}`,
		`{"$id":"http://a/b","allOf":[{"$id":"c","$ref":"#/x"}],"x":{"not":{"const":null}}}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":[1,{"b":null}]}`))
	}
	f.Fuzz(func(t *testing.T, raw, input []byte) {
		s, err := schema.Compile(raw)
		if err != nil {
			var refusal *schema.RefusalError
			require.ErrorAs(t, err, &refusal)
			require.NotContains(t, err.Error(), "pegboard:")
			return
		}
		again, err := schema.Compile(s.Bytes())
		require.NoError(t, err)
		require.Equal(t, s.Bytes(), again.Bytes())
		v, err := strictjson.Decode(input, strictjson.Limits{Depth: 20})
		if err != nil {
			return
		}
		first, second := s.Validate(v), again.Validate(v)
		require.Equal(t, first, second)
	})
}
