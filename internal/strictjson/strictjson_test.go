package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want any
	}{
		{name: "null", text: " null\n", want: nil},
		{name: "true", text: "true", want: true},
		{name: "false", text: "false", want: false},
		{name: "number keeps its text", text: "-1.50e+2", want: json.Number("-1.50e+2")},
		{name: "string", text: `"a b"`, want: "a b"},
		{name: "empty string", text: `""`, want: ""},
		{name: "all escapes", text: `"\"\\\/\b\f\n\r\tx"`, want: "\"\\/\b\f\n\r\tx"},
		{name: "unicode escapes", text: `"\u0041\u00e9\ud83d\ude00\uD83D\uDE00!"`, want: "Aé😀😀!"},
		{name: "replacement character", text: `"\ufffd"`, want: "\ufffd"},
		{name: "empty object", text: "{ }", want: map[string]any{}},
		{name: "empty list", text: "[\t]", want: []any{}},
		{
			name: "nested", text: ` { "a" : [ 1 , { "b" : null } , [ ] ] , "" : "" } `,
			want: map[string]any{"a": []any{json.Number("1"), map[string]any{"b": nil}, []any{}}, "": ""},
		},
		{name: "keys that differ by case", text: `{"a":1,"A":2}`, want: map[string]any{"a": json.Number("1"), "A": json.Number("2")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := strictjson.Decode([]byte(tt.text), strictjson.Limits{})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want string
	}{
		{name: "empty", text: "", want: "not valid JSON at byte 0: the text is empty; send a JSON object, {} if there is nothing to say"},
		{name: "blank", text: " \n\t", want: "not valid JSON at byte 0: the text is empty; send a JSON object, {} if there is nothing to say"},
		{name: "ends inside a string", text: `{"path":"/var/lo`, want: "not valid JSON at byte 16: the text ends inside a string; send the whole object again"},
		{name: "ends after an escaped quote", text: `{"path":"\"`, want: "not valid JSON at byte 11: the text ends inside a string; send the whole object again"},
		{name: "ends early", text: `{"path":"a"`, want: "not valid JSON at byte 11: the text ends before the value is complete; send the whole object again"},
		{name: "trailing text", text: `{} {}`, want: "not valid JSON at byte 3: there is more text after the value; send one JSON object and nothing else"},
		{name: "line break", text: "{\"a\":\"x\ny\"}", want: `not valid JSON at byte 7: a line break inside a string; write it as \n`},
		{name: "tab", text: "\"\t\"", want: `not valid JSON at byte 1: a tab inside a string; write it as \t`},
		{name: "control character", text: "\"\x01\"", want: `not valid JSON at byte 1: the control character '\x01' inside a string; write it as an escape`},
		{name: "escape", text: `"\d+"`, want: `not valid JSON at byte 2: the backslash before 'd' starts no escape; write \\ for a backslash`},
		{name: "hexadecimal", text: `"\u12g4"`, want: `not valid JSON at byte 5: \u needs four hexadecimal digits, found 'g'; write the character itself`},
		{name: "comma too many", text: `{"a":1,}`, want: "not valid JSON at byte 7: found '}' where a key in double quotes is wanted; remove a comma too many or quote the key"},
		{name: "no quotes", text: `{a:1}`, want: "not valid JSON at byte 1: found 'a' where a key in double quotes is wanted; remove a comma too many or quote the key"},
		{name: "no colon", text: `{"a" 1}`, want: "not valid JSON at byte 5: found '1' where a colon is wanted after the key; check the quotes before it"},
		{name: "no comma", text: `{"a":1 "b":2}`, want: `not valid JSON at byte 7: found '"' where a comma or } is wanted; check the quotes and commas before it`},
		{name: "no comma in a list", text: `[1 2]`, want: "not valid JSON at byte 3: found '2' where a comma or ] is wanted; check the quotes and commas before it"},
		{name: "no value", text: `{"a":'x'}`, want: `not valid JSON at byte 5: found '\'' where a value is wanted; send an object, list, text in double quotes, number, true, false or null`},
		{name: "word", text: `trux`, want: "not valid JSON at byte 3: found 'x' inside a word; only true, false and null stand without quotes"},
		{name: "number", text: `[-x]`, want: "not valid JSON at byte 2: found 'x' inside a number; write it in decimal, such as 12 or 0.5"},
		{name: "byte order mark", text: "\ufeff{}", want: `not valid JSON at byte 0: found '\ufeff' where a value is wanted; send an object, list, text in double quotes, number, true, false or null`},
		{name: "not UTF-8", text: "{\"a\":\"\xc3\x28\"}", want: "not valid JSON at byte 6: the text is not UTF-8 here; send it again in UTF-8"},
		{name: "encoded surrogate", text: "\"\xed\xa0\x80\"", want: "not valid JSON at byte 1: the text is not UTF-8 here; send it again in UTF-8"},
		{name: "lone high surrogate", text: `{"a":[0,{"b c":"x\ud83dy"}]}`, want: `not valid JSON at byte 17 in a[1]["b c"]: \ud83d is half a character without its other half; write the character itself`},
		{name: "lone low surrogate", text: `"\ude00"`, want: `not valid JSON at byte 1: \ude00 is half a character without its other half; write the character itself`},
		{name: "two high surrogates", text: `"\ud83d\ud83d"`, want: `not valid JSON at byte 1: \ud83d is half a character without its other half; write the character itself`},
		{name: "surrogate in a key", text: `{"\ud83d":1}`, want: `not valid JSON at byte 2: \ud83d is half a character without its other half; write the character itself`},
		{name: "duplicate key", text: `{"path":1,"path":1}`, want: `key "path" appears twice; send it once`},
		{name: "duplicate after unescaping", text: `{"a":{"b":[{"k":1,"\u006b":2}]}}`, want: `key "k" appears twice in a.b[0]; send it once`},
		{name: "too deep", text: strings.Repeat("[", 129) + strings.Repeat("]", 129), want: "the JSON value nests deeper than 128 levels; send a flatter one"},
		{name: "far too deep", text: strings.Repeat("[", 20000) + strings.Repeat("]", 20000), want: "the JSON value nests deeper than 128 levels; send a flatter one"},
		{name: "too long", text: `"` + strings.Repeat("a", strictjson.DefaultBytes) + `"`, want: "the JSON text is longer than 16777216 bytes; send less at a time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.Decode([]byte(tt.text), strictjson.Limits{})
			require.EqualError(t, err, tt.want)
			_, err = strictjson.Canonical([]byte(tt.text))
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestDecodeErrorsHaveTypes(t *testing.T) {
	t.Parallel()
	var syntax *strictjson.SyntaxError
	_, err := strictjson.Decode([]byte(`{"a":["\udead"]}`), strictjson.Limits{})
	require.ErrorAs(t, err, &syntax)
	require.Equal(t, 7, syntax.Offset)
	require.Equal(t, "a[0]", syntax.Path)

	var duplicate *strictjson.DuplicateKeyError
	_, err = strictjson.Decode([]byte(`[{"x":{"k":1,"k":1}}]`), strictjson.Limits{})
	require.ErrorAs(t, err, &duplicate)
	require.Equal(t, &strictjson.DuplicateKeyError{Path: "[0].x", Key: "k"}, duplicate)
}

func TestDecodeLimits(t *testing.T) {
	t.Parallel()
	deepest := strings.Repeat("[", strictjson.DefaultDepth) + strings.Repeat("]", strictjson.DefaultDepth)
	tests := []struct {
		name   string
		text   string
		limits strictjson.Limits
		want   *strictjson.LimitError
	}{
		{name: "as long as allowed", text: `"aa"`, limits: strictjson.Limits{Bytes: 4}},
		{name: "a byte longer", text: `"aaa"`, limits: strictjson.Limits{Bytes: 4}, want: &strictjson.LimitError{Unit: "bytes", Limit: 4}},
		{name: "as deep as allowed", text: `[{"a":1},[]]`, limits: strictjson.Limits{Depth: 2}},
		{name: "a level deeper", text: `[[[]]]`, limits: strictjson.Limits{Depth: 2}, want: &strictjson.LimitError{Unit: "levels", Limit: 2}},
		{name: "default depth", text: deepest},
		{name: "deeper than the default if asked for", text: "[" + deepest + "]", limits: strictjson.Limits{Depth: 200}},
		{name: "negative limits are the defaults", text: deepest, limits: strictjson.Limits{Bytes: -1, Depth: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.Decode([]byte(tt.text), tt.limits)
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.want, err)
		})
	}
}

func TestDecodeKeepsNothingOfItsInput(t *testing.T) {
	t.Parallel()
	data := []byte(`{"key":"value","n":12}`)
	got, err := strictjson.Decode(data, strictjson.Limits{})
	require.NoError(t, err)
	for i := range data {
		data[i] = 'x'
	}
	require.Equal(t, map[string]any{"key": "value", "n": json.Number("12")}, got)
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want string
	}{
		{name: "space", text: " { \"b\" : [ 1 , 2 ] ,\n\"a\" : { } } ", want: `{"b":[1,2],"a":{}}`},
		{name: "numbers", text: `[1.0,1E5,-0]`, want: `[1.0,1E5,-0]`},
		{name: "needless escapes", text: `{"\u0061\/":"\u003c\u2028é\u00e9\ud83d\ude00"}`, want: "{\"a/\":\"<\u2028éé😀\"}"},
		{name: "needed escapes", text: `"\"\\\n\t\r\b\f\u0001\u001F\u007f"`, want: "\"\\\"\\\\\\n\\t\\r\\b\\f\\u0001\\u001f\u007f\""},
		{name: "HTML stays", text: `"<&>"`, want: `"<&>"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := strictjson.Canonical([]byte(tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

// FuzzDecode compares with encoding/json.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		benchText, `[1e5,-0.0,"\ud83d\ude00\n",{"a":{"a":[null]}}]`, `{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"", ` [ ] x`, `{"a":tru`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := strictjson.Decode(data, strictjson.Limits{})
		if err != nil {
			require.Equal(t, json.Valid(data), isExtra(data, err), "%v", err)
			return
		}
		want, err := decodeLoosely(data)
		require.NoError(t, err)
		require.Equal(t, want, got)

		canonical, err := strictjson.Canonical(data)
		require.NoError(t, err)
		again, err := strictjson.Decode(canonical, strictjson.Limits{})
		require.NoError(t, err)
		require.Equal(t, got, again)
		twice, err := strictjson.Canonical(canonical)
		require.NoError(t, err)
		require.Equal(t, canonical, twice)
	})
}

// isExtra reports whether err is for a reason that encoding/json does not have,
// and whether data really gives that reason.
func isExtra(data []byte, err error) bool {
	var syntax *strictjson.SyntaxError
	var duplicate *strictjson.DuplicateKeyError
	var limit *strictjson.LimitError
	switch {
	case errors.As(err, &syntax):
		return !utf8.Valid(data) && json.Valid(data) || strings.Contains(syntax.Msg, "half a character")
	case errors.As(err, &duplicate):
		return true
	case errors.As(err, &limit):
		return bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > strictjson.DefaultDepth && json.Valid(data)
	}
	return false
}

func decodeLoosely(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

const benchText = `{"path":"/var/log/syslog","limit":200,"recursive":true}`

func BenchmarkDecode(b *testing.B) {
	data := []byte(benchText)
	b.Run("strict", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := strictjson.Decode(data, strictjson.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
