package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

func TestValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want []string // all values and keys of the object or list
	}{
		{name: "empty object", text: `{}`},
		{name: "empty list with space", text: "[ \n ]"},
		{name: "words and numbers", text: `[true,false , null,-1.5e+3 ,0]`, want: []string{"true", "false", "null", "-1.5e+3", "0"}},
		{name: "keys and values", text: ` {"a" : 1 ,"b":"x"} `, want: []string{`"a"`, "1", `"b"`, `"x"`}},
		{name: "brackets in strings", text: `["]","{\"}",[]]`, want: []string{`"]"`, `"{\"}"`, "[]"}},
		{name: "escaped backslashes", text: `["\\","\\\"","a\\\\"]`, want: []string{`"\\"`, `"\\\""`, `"a\\\\"`}},
		{name: "nested", text: `[{"a":[1,{"b":"]"}]},[[ ]]]`, want: []string{`{"a":[1,{"b":"]"}]}`, "[[ ]]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := jsonscan.Scanner{Text: []byte(tt.text)}
			s.Next()
			s.Pos++
			var all []string
			for s.More() {
				all = append(all, string(s.Value()))
			}
			require.Equal(t, tt.want, all)
			s.Pos++
			s.Next()
			require.Equal(t, len(tt.text), s.Pos)
		})
	}
}

func TestValueWithoutRecursion(t *testing.T) {
	t.Parallel()
	const levels = 1 << 20
	s := jsonscan.Scanner{Text: bytes.Repeat([]byte("["), 2*levels)}
	copy(s.Text[levels:], bytes.Repeat([]byte("]"), levels))
	require.Len(t, s.Value(), 2*levels)
}

// FuzzScanner: of a valid text, a Scanner finds the parts that json.Compact leaves.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`0`, ` "a" `, `{"a":[1,{"b":null}],"c":"\"\\"}`, "[[],{}, [ { } ]\t,-1.0E-2\r\n]", `"\ud83d\ude00\ud83d\u0041"`, `{"":{"":""}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, text))
		s := jsonscan.Scanner{Text: text}
		require.Equal(t, want.String(), string(compact(t, nil, &s)))
		s.Next()
		require.Equal(t, len(text), s.Pos)
	})
}

// compact appends the next value without space, and compares its strings with those
// that encoding/json reads.
func compact(t *testing.T, out []byte, s *jsonscan.Scanner) []byte {
	t.Helper()
	s.Next()
	open := s.Text[s.Pos]
	if open != '{' && open != '[' {
		value := s.Value()
		if open == '"' && utf8.Valid(value) {
			var want string
			require.NoError(t, json.Unmarshal(value, &want))
			require.Equal(t, want, jsonscan.Unquote(value))
		}
		return append(out, value...)
	}
	whole := *s
	s.Pos++
	out = append(out, open)
	for n := 0; s.More(); n++ {
		if n > 0 {
			out = append(out, ',')
		}
		if open == '{' {
			out = append(compact(t, out, s), ':')
		}
		out = compact(t, out, s)
	}
	out = append(out, s.Text[s.Pos])
	s.Pos++
	whole.Value()
	require.Equal(t, s.Pos, whole.Pos, "a nested value ends in one place, however it is read")
	return out
}
