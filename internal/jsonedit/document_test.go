package jsonedit_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

func parse(t testing.TB, text string) *jsonedit.Document {
	t.Helper()
	d, err := jsonedit.Parse([]byte(text))
	require.NoError(t, err, text)
	d.Indent = "    "
	return d
}

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, path, value, after string
	}{
		{name: "in place", before: `{"a" : 1 , "b":2}`, path: "a", value: "3", after: `{"a" : 3 , "b":2}`},
		{name: "of any kind", before: `{"a":{"b":[1,{}]}}`, path: "a.b", value: "null", after: `{"a":{"b":null}}`},
		{name: "at the end, on one line", before: `{"a":1}`, path: "b", value: "2", after: `{"a":1,"b":2}`},
		{name: "at the end, spaced", before: `{ "a": 1 }`, path: "b", value: "2", after: `{ "a": 1, "b": 2 }`},
		{name: "at the end, on lines", before: "{\n \"a\": 1,\n\n \"c\": 2\n}", path: "b", value: "2", after: "{\n \"a\": 1,\n\n \"c\": 2,\n\n \"b\": 2\n}"},
		{name: "objects on the way", before: "{\n \"a\": 1\n}", path: "b.c.d", value: "2", after: "{\n \"a\": 1,\n \"b\": {\n  \"c\": {\n   \"d\": 2\n  }\n }\n}"},
		{name: "objects on the way, on one line", before: `{"a":1}`, path: "b.c", value: "2", after: `{"a":1,"b":{"c":2}}`},
		{name: "into an empty object", before: "{\n\t\"a\": {}\n}", path: "a.b", value: "2", after: "{\n\t\"a\": {\n\t\t\"b\": 2\n\t}\n}"},
		{name: "into nothing", before: "{ }", path: "a.b", value: "2", after: "{\n    \"a\": {\n        \"b\": 2\n    }\n}"},
		{name: "into nothing, Windows", before: "{}\r\n", path: "a", value: "2", after: "{\r\n    \"a\": 2\r\n}\r\n"},
		{name: "in the place of null", before: `{"a": null}`, path: "a.b", value: "2", after: `{"a": {"b": 2}}`},
		{name: "the last of two", before: `{"a":1,"a":2}`, path: "a", value: "3", after: `{"a":1,"a":3}`},
		{name: "an escaped key", before: `{"\u0061":1}`, path: "a", value: "3", after: `{"\u0061":3}`},
		{name: "a new key beyond ASCII", before: `{"x":"\u00e9"}`, path: "ü", value: "3", after: `{"x":"\u00e9","\u00fc":3}`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := strings.Split(tc.path, ".")
			after, err := parse(t, tc.before).Set(path, tc.value)
			require.NoError(t, err)
			require.Equal(t, tc.after, string(after))
			d := parse(t, string(after))
			at, err := d.At(path...)
			require.NoError(t, err)
			if tc.value == "null" {
				require.True(t, at.Missing())
			} else {
				require.Equal(t, tc.value, d.Raw(at))
			}
		})
	}
}

func TestEditList(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, drop, after string
		add                       []string
	}{
		{name: "nothing", before: `{"l":[1, 2]}`, after: `{"l":[1, 2]}`},
		{name: "nothing of what is missing", before: `{}`, after: `{}`},
		{name: "nothing of null", before: `{"l":null}`, after: `{"l":null}`},
		{name: "add", before: `{"l":[1 ,2]}`, add: []string{"3", "4"}, after: `{"l":[1 ,2 ,3 ,4]}`},
		{name: "add to one on a line", before: "{\"l\": [\n  1\n]}", add: []string{"3"}, after: "{\"l\": [\n  1,\n  3\n]}"},
		{name: "add to one", before: `{"l": [1]}`, add: []string{"3"}, after: `{"l": [1, 3]}`},
		{name: "add to none", before: `{"l":[]}`, add: []string{"3", "4"}, after: `{"l":[3,4]}`},
		{name: "add to none, on lines", before: "{\n \"l\": []\n}", add: []string{"3", "4"}, after: "{\n \"l\": [\n  3,\n  4\n ]\n}"},
		{name: "add to none beside others", before: "{\n \"k\": [ 1 ],\n \"l\": []\n}", add: []string{"3", "4"}, after: "{\n \"k\": [ 1 ],\n \"l\": [ 3, 4 ]\n}"},
		{name: "make one", before: `{"a":1}`, add: []string{"3"}, after: `{"a":1,"l":[3]}`},
		{name: "drop the first", before: `{"l":[1, 2,3]}`, drop: "0", after: `{"l":[2,3]}`},
		{name: "drop the middle", before: `{"l":[1, 2,3]}`, drop: "1", after: `{"l":[1,3]}`},
		{name: "drop the last", before: "{\"l\":[1, 2\n]}", drop: "1", after: "{\"l\":[1\n]}"},
		{name: "drop several", before: `{"l":[0, 1 , 2, 3 ,4]}`, drop: "0134", after: `{"l":[2]}`},
		{name: "drop all", before: "{\"l\":[\n1, 2\n]}", drop: "01", after: `{"l":[]}`},
		{name: "drop all and add", before: "{\"l\":[\n1\n]}", drop: "0", add: []string{"3", "4"}, after: "{\"l\":[\n3,\n4\n]}"},
		{name: "drop the last and add", before: `{"l":[1 ,2 ,3]}`, drop: "12", add: []string{"4"}, after: `{"l":[1 ,4]}`},
		{name: "drop the first and add", before: `{"l":[ 1,2 ]}`, drop: "0", add: []string{"4"}, after: `{"l":[ 2,4 ]}`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			keep := func(i int) bool { return !strings.Contains(tc.drop, string(rune('0'+i))) }
			after, err := parse(t, tc.before).EditList([]string{"l"}, keep, tc.add)
			require.NoError(t, err)
			require.Equal(t, tc.after, string(after))
		})
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{text: `[]`, want: "the whole is not an object"},
		{text: `{"a":[]}`, want: "a is not an object"},
		{text: `{"a":{"b c":"x"}}`, want: `a["b c"] is not an object`},
		{text: `{"a":{"b c":{"l":{}}}}`, want: `a["b c"].l is not a list`},
	}
	for _, tc := range tests {
		_, err := parse(t, tc.text).EditList([]string{"a", "b c", "l"}, nil, []string{"1"})
		var shape *jsonedit.ShapeError
		require.ErrorAs(t, err, &shape, tc.text)
		require.EqualError(t, err, tc.want)
		if !strings.Contains(tc.want, "list") {
			_, err = parse(t, tc.text).At("a", "b c", "l")
			require.EqualError(t, err, tc.want)
			_, err = parse(t, tc.text).Set([]string{"a", "b c", "l"}, "1")
			require.EqualError(t, err, tc.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text   string
		line   int
		offset int
		is     error
		want   string
	}{
		{text: "", line: 1, is: jsonedit.ErrEmpty},
		{text: "\ufeff \n", line: 1, is: jsonedit.ErrEmpty},
		{text: "{\"a\":\n\"\xff\"}", line: 2, offset: 7, is: jsonedit.ErrNotUTF8},
		{text: "{\n<<<<<<< a\n}", line: 2, offset: 2, is: jsonedit.ErrConflict},
		{text: "{\n\"a\": 1,\n}", line: 3, offset: 10, want: "line 3: found '}' where a key in double quotes is wanted"},
		{text: "{", line: 1, want: "line 1: the text ends before the value is complete"},
	}
	for _, tc := range tests {
		_, err := jsonedit.Parse([]byte(tc.text))
		var syntax *jsonedit.SyntaxError
		require.ErrorAs(t, err, &syntax, "%q", tc.text)
		require.Equal(t, tc.line, syntax.Line, "%q", tc.text)
		require.Equal(t, tc.offset, syntax.Offset, "%q", tc.text)
		require.ErrorContains(t, err, tc.want)
		if tc.is != nil {
			require.ErrorIs(t, err, tc.is)
		}
	}
}

func TestCommented(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{}`:                             false,
		"{} // x":                        true,
		"{ /* x \n \" */ \"a\": 1}":      true,
		`{"a": [1, 2, ] , }`:             true,
		`{"a": "// no /* comment ,]"}`:   false,
		`{"a": "\" // no", "b": 1,}`:     true,
		"\ufeff// x\n{\"u\": \"a//b\"}":  true,
		"{} /* open":                     false,
		`{,,}`:                           false,
		`{"a": 1 // x`:                   false,
		`{"a" "b" // x` + "\n}":          false,
		`{"a": /* */ 1, /* */ } // end `: true,
		`"`:                              false,
		`"\`:                             false,
		``:                               false,
		`/`:                              false,
	} {
		require.Equal(t, want, jsonedit.Commented([]byte(text)), "%q", text)
	}
}

// FuzzEdit edits any JSON text: the result is JSON, the edited values are as they
// should be and all others as they were.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":{"l":[1,2,"x"]},"b":null}`, "{\r\n\t\"a\": {\r\n\t\t\"l\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}", "\ufeff{\"a\" : { } }\n", `{"a":{},"a":{"l":[]}}`, `[{}]`} {
		f.Add([]byte(text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, kept uint8) {
		_ = jsonedit.Commented(text)
		d, err := jsonedit.Parse(text)
		require.Equal(t, err == nil, isJSON(text))
		if err != nil {
			return
		}
		path := []string{"a", "l"}
		keep := func(i int) bool { return kept>>(i%8)&1 == 1 }
		after, err := d.EditList(path, keep, []string{`"new"`, "7"})
		if err != nil {
			return
		}
		require.True(t, isJSON(after), "%q", after)
		e := parse(t, string(after))
		require.Equal(t, []string{`"new"`, "7"}, raws(t, e, path)[len(keptOf(raws(t, d, path), keep)):])
		require.Equal(t, keptOf(raws(t, d, path), keep), raws(t, e, path)[:len(raws(t, e, path))-2])

		// With both lists emptied nothing else may differ but space.
		require.Equal(t, emptied(t, e, path), emptied(t, parse(t, emptied(t, d, path)), path))
		again, err := e.EditList(path, func(int) bool { return true }, nil)
		require.NoError(t, err)
		require.Equal(t, after, again)
	})
}

func isJSON(text []byte) bool {
	body := bytes.TrimPrefix(text, []byte("\ufeff"))
	return json.Valid(body) && strings.ToValidUTF8(string(text), "") == string(text)
}

func raws(t testing.TB, d *jsonedit.Document, path []string) []string {
	t.Helper()
	at, err := d.At(path...)
	require.NoError(t, err)
	all := []string{}
	for _, v := range d.Elements(at) {
		all = append(all, d.Raw(v))
	}
	return all
}

func keptOf(all []string, keep func(i int) bool) []string {
	kept := []string{}
	for i, v := range all {
		if keep(i) {
			kept = append(kept, v)
		}
	}
	return kept
}

// emptied returns the text with the list put to null, without space around values.
func emptied(t testing.TB, d *jsonedit.Document, path []string) string {
	t.Helper()
	after, err := d.Set(path, "null")
	require.NoError(t, err)
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, bytes.TrimPrefix(after, []byte("\ufeff"))))
	return compact.String()
}
