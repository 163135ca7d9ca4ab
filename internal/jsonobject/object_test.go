package jsonobject_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

func TestParseKeepsOrderAndBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
	}{
		{"empty", `{}`, `{}`},
		{"order", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"space around", " { \"a\" : 1.0e0 } ", `{"a":1.0e0}`},
		{"space inside values stays", `{"a":[ 1 ],"b":{ }}`, `{"a":[ 1 ],"b":{ }}`},
		{"escapes in values stay", `{"a":"\u0061<"}`, `{"a":"\u0061<"}`},
		{"escapes in names do not", `{"\u0061<":1}`, `{"a<":1}`},
		{"a name twice", `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"what follows", `{"a":1} x`, `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := jsonobject.Parse([]byte(tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(o.Encode()))
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "null", "[]", `"a"`, "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{a:1}`, `{"a":}`} {
		_, err := jsonobject.Parse([]byte(text))
		require.Error(t, err, "%q", text)
		require.False(t, jsonobject.Is([]byte(text)), "%q", text)
	}
	require.False(t, jsonobject.Is([]byte(`{} x`)), "all of it has to be the object")
	require.True(t, jsonobject.Is([]byte(" \n{}\t")))
}

func TestMembers(t *testing.T) {
	t.Parallel()
	base := jsonobject.With("a", json.RawMessage(`"x"`))
	one, two := base.With("b", json.RawMessage("1")), base.With("c", json.RawMessage("2"))
	require.Equal(t, `{"a":"x","b":1}`, string(one.Encode()), "With does not write to what it was called on")
	require.Equal(t, `{"a":"x","c":2}`, string(two.Encode()))
	require.Equal(t, `{"a":"x"}`, string(base.Encode()))

	require.Equal(t, "1", string(one.Get("b")))
	require.Nil(t, one.Get("c"))
	text, ok := one.Text("a")
	require.True(t, ok)
	require.Equal(t, "x", text)
	for _, name := range []string{"b", "none"} {
		_, ok = one.Text(name)
		require.False(t, ok, "%s", name)
	}

	one.Set("a", json.RawMessage("null"))
	one.Set("d", json.RawMessage("[]"))
	require.Equal(t, `{"a":null,"b":1,"d":[]}`, string(one.Encode()))
}

func TestQuoteAndList(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"<a> & \"b\"\n"`, string(jsonobject.Quote("<a> & \"b\"\n")))
	require.Equal(t, `[]`, string(jsonobject.List(nil)))
	require.Equal(t, `[1,"a"]`, string(jsonobject.List([]json.RawMessage{json.RawMessage("1"), json.RawMessage(`"a"`)})))
}

// TestQuoteIsThatOfTheStandardLibrary compares each character beside each kind of
// neighbour. Of what is no UTF-8 only one release of Go writes the escape.
func TestQuoteIsThatOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for r := range rune(0x3000) {
		text := "a" + string(r) + "é" + string(r) + string(r)
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(text))
		require.Equal(t, strings.TrimSpace(want.String()), string(jsonobject.Quote(text)), "%U", r)
	}
	require.Equal(t, `"a\ufffd\ufffdb\ufffd\ufffd"`, string(jsonobject.Quote("a\xff\xc3b\xe2\x80")))
	require.Equal(t, "\"\ufffd😀\"", string(jsonobject.Quote("\ufffd😀")), "the character itself is no fault")
}

// FuzzParse checks that an object comes back with the same meaning, and that what
// has come back once stays as it is.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[{"b":null}],"c":1e-9}`, `{"a":1,"a":2}`, `{"\ud800":"\udc00"}`, ` { "a" : "<" } x`, `{"a":1,}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := jsonobject.Parse(text)
		if err != nil {
			require.False(t, jsonobject.Is(text))
			return
		}
		encoded := o.Encode()
		require.True(t, jsonobject.Is(encoded), "%s", encoded)
		again, err := jsonobject.Parse(encoded)
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(again.Encode()))
		if jsonobject.Is(text) {
			require.JSONEq(t, string(text), string(encoded))
		}
	})
}

func TestParseUnique(t *testing.T) {
	t.Parallel()
	many := func(last string) string {
		text := "{"
		for i := range 40 {
			text += fmt.Sprintf(`"m%d":%d,`, i, i)
		}
		return text + `"` + last + `":0}`
	}
	tests := []struct {
		name, text string
		want       bool
	}{
		{"empty", `{}`, true},
		{"different names", `{"a":1,"A":2,"b":3}`, true},
		{"a name twice", `{"a":1,"b":2,"a":1}`, false},
		{"a name twice by an escape", `{"a":1,"\u0061":1}`, false},
		{"many", many("m40"), true},
		{"many, a name twice", many("m3"), false},
		{"no object", `[]`, false},
		{"cut", `{"a":1`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, ok := jsonobject.ParseUnique([]byte(tt.text))
			require.Equal(t, tt.want, ok)
			if ok {
				require.Equal(t, tt.text, string(o.Encode()))
			}
		})
	}
}
