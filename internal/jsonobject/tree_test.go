package jsonobject_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

func tree(t *testing.T, text string) *jsonobject.Tree {
	t.Helper()
	v, err := jsonobject.Decode([]byte(text), 0)
	require.NoError(t, err)
	decoded, ok := v.(*jsonobject.Tree)
	require.True(t, ok)
	return decoded
}

func TestDecodeKeepsOrderAndNumbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `[]`, `{"b":1.50,"a":[true,null,{"z":{},"y":[]}],"":"<é\u2028>"}`, `"x"`, `-1e400`} {
		v, err := jsonobject.Decode([]byte(" "+text+"\n"), 0)
		require.NoError(t, err)
		require.Equal(t, text, string(jsonobject.Encode(v)))
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	nested := func(n int, inside string) string { return strings.Repeat("[", n) + inside + strings.Repeat("]", n) }
	tests := []struct {
		name string
		text string
		want error
	}{
		{name: "nothing", text: "", want: jsonobject.ErrInvalid},
		{name: "unfinished", text: `{"a":[1]`, want: jsonobject.ErrInvalid},
		{name: "two values", text: `{} {}`, want: jsonobject.ErrInvalid},
		{name: "as deep as allowed", text: nested(4, "")},
		{name: "one level more", text: nested(5, ""), want: jsonobject.ErrTooDeep},
		{name: "number on the level after the last", text: nested(4, "1"), want: jsonobject.ErrTooDeep},
		{name: "repeated key", text: `{"a":{"b":1,"\u0062":2}}`, want: jsonobject.ErrRepeatedKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := jsonobject.Decode([]byte(tt.text), 4)
			require.ErrorIs(t, err, tt.want)
		})
	}
}

func TestTreeMembers(t *testing.T) {
	t.Parallel()
	o := tree(t, `{"a":1,"b":{"c":"x"},"d":["y"],"e":null}`)
	require.Equal(t, 4, o.Len())
	require.Equal(t, "x", o.Child("b").Text("c"))
	require.Equal(t, []any{"y"}, o.List("d"))
	require.Nil(t, o.Child("a"))
	require.Nil(t, o.List("missing"))
	require.True(t, o.Has("e"))
	value, ok := o.Get("a")
	require.True(t, ok)
	require.Equal(t, json.Number("1"), value)

	o.Set("b", true)
	o.Set("f", "new")
	o.Delete("a")
	o.Delete("missing")
	o.Set("a", json.Number("2"))

	require.Equal(t, `{"b":true,"d":["y"],"e":null,"f":"new","a":2}`, string(jsonobject.Encode(o)))

	less := o.Without("d", "f", "missing")
	require.Equal(t, `{"b":true,"e":null,"a":2}`, string(jsonobject.Encode(less)))
	less.Set("b", false)
	require.Equal(t, true, func() any { v, _ := o.Get("b"); return v }(), "the copy has members of its own")
}

func TestTreeNil(t *testing.T) {
	t.Parallel()
	var none *jsonobject.Tree
	require.Zero(t, none.Len())
	require.False(t, none.Has("a"))
	require.Empty(t, none.Text("a"))
	require.Nil(t, none.Child("a").Child("b"))
	for name := range none.All() {
		t.Error(name)
	}
	require.Equal(t, "{}", string(jsonobject.Encode(none.Without("a"))))
}

func TestTreeFind(t *testing.T) {
	t.Parallel()
	o := tree(t, `{"$defs":{"a/b":{"~":[{"x":1},2]},"%":3,"":4},"":5}`)
	tests := []struct {
		name string
		ref  string
		want string // "" if it leads nowhere
	}{
		{name: "root", ref: "#", want: string(jsonobject.Encode(o))},
		{name: "escaped steps", ref: "#/$defs/a~1b/~0/1", want: "2"},
		{name: "below a list", ref: "#/$defs/a~1b/~0/0/x", want: "1"},
		{name: "percent", ref: "#/$defs/%25", want: "3"},
		{name: "empty step", ref: "#/$defs/", want: "4"},
		{name: "empty key of the root", ref: "#/", want: "5"},
		{name: "beyond the list", ref: "#/$defs/a~1b/~0/2"},
		{name: "negative index", ref: "#/$defs/a~1b/~0/-1"},
		{name: "below a number", ref: "#/$defs/%25/x"},
		{name: "unknown key", ref: "#/$defs/c"},
		{name: "anchor", ref: "#a"},
		{name: "other document", ref: "other.json#/a"},
		{name: "broken percent", ref: "#/%"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			value, ok := o.Find(tt.ref)
			require.Equal(t, tt.want != "", ok)
			if ok {
				require.Equal(t, tt.want, string(jsonobject.Encode(value)))
			}
		})
	}
}
