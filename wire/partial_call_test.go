package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

func TestPartialCallInput(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{name: "nothing"},
		{name: "space", text: " \n"},
		{name: "begun", text: ` {`, want: `{}`},
		{name: "within a name", text: `{"pa`, want: `{}`},
		{name: "after a name", text: `{"path"`, want: `{}`},
		{name: "before a value", text: `{"path": `, want: `{}`},
		{name: "text begins", text: `{"path": "`, want: `{"path":""}`},
		{name: "within a text", text: `{"path": "a/b`, want: `{"path":"a/b"}`},
		{name: "after a text", text: `{"path": "a/b"`, want: `{"path":"a/b"}`},
		{name: "after a comma", text: `{"path": "a/b",`, want: `{"path":"a/b"}`},
		{name: "within the second name", text: `{"path": "a/b", "te`, want: `{"path":"a/b"}`},
		{name: "after a backslash", text: `{"a": "x\`, want: `{"a":"x"}`},
		{name: "after two backslashes", text: `{"a": "x\\`, want: `{"a":"x\\"}`},
		{name: "within an escape", text: `{"a": "x\u00e`, want: `{"a":"x"}`},
		{name: "after an escape", text: `{"a": "x\u00e9`, want: `{"a":"xé"}`},
		{name: "text of one escape", text: `{"a": "\u00`, want: `{"a":""}`},
		{name: "within a number", text: `{"a": 1, "b": 12`, want: `{"a":1}`},
		{name: "within a fraction", text: `{"a": 1, "b": 12.`, want: `{"a":1}`},
		{name: "after a number", text: `{"a": 12 `, want: `{"a":12}`},
		{name: "within a word", text: `{"a": true, "b": fal`, want: `{"a":true}`},
		{name: "after a word", text: `{"a": null`, want: `{"a":null}`},
		{name: "array", text: `{"a": [1, {"b": "c`, want: `{"a":[1,{"b":"c"}]}`},
		{name: "array begins", text: `{"a": [`, want: `{"a":[]}`},
		{name: "array of texts", text: `{"a": ["b", "c`, want: `{"a":["b","c"]}`},
		{name: "object within ends", text: `{"a": {"b": 1}`, want: `{"a":{"b":1}}`},
		{name: "object within ends, next name", text: `{"a": {"b": 1}, "c`, want: `{"a":{"b":1}}`},
		{name: "whole", text: `{"a": [1]}`, want: `{"a":[1]}`},
		{name: "more than whole", text: `{"a": [1]} {"b": 2}`, want: `{"a":[1]}`},
		{name: "mistake", text: `{"a": 1, b: 2, "c": 3}`, want: `{"a":1}`},
		{name: "mistake in a text", text: "{\"a\": 1, \"b\": \"x\nyyyyyyyyyy", want: `{"a":1}`},
		{name: "no object", text: `["a"`},
		{name: "words", text: `I call`},
		{name: "very deep", text: strings.Repeat(`{"a":`, 20_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := (&wire.PartialCall{Text: tt.text}).Input()
			if tt.want == "" {
				require.Nil(t, got)
				return
			}
			require.JSONEq(t, tt.want, string(got))
		})
	}
}

// FuzzPartialCallInput cuts any text anywhere. What is shown is an object, and so is what
// is shown of each beginning of an object; nothing is invented.
func FuzzPartialCallInput(f *testing.F) {
	for _, text := range []string{``, `{"a":[1,{"b":"c\u00e9\\"}],"d":12.5e3,"e":null}`, `{"a":"😀\ud83d\ude00"}`, `{]`, `{"a":1,}`, "{\"a\":\"\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		for cut := range len(text) + 1 {
			got := (&wire.PartialCall{Text: text[:cut]}).Input()
			var o map[string]any
			if got != nil {
				require.NoError(t, json.Unmarshal(got, &o), "%q", text[:cut])
			} else {
				begun := strings.HasPrefix(strings.TrimLeft(text[:cut], " \t\r\n"), "{")
				require.False(t, begun, "%q", text[:cut])
			}
		}
		if json.Valid([]byte(text)) && strings.HasPrefix(strings.TrimSpace(text), "{") {
			require.JSONEq(t, text, string((&wire.PartialCall{Text: text}).Input()))
		}
	})
}
