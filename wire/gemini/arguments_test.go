package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// begins is the first piece of a call, adds one more, and done the last.
func begins(name string) string {
	return fmt.Sprintf(`{"functionCall":{"name":%q,"willContinue":true}}`, name)
}

func adds(pieces ...string) string {
	return `{"functionCall":{"partialArgs":[` + strings.Join(pieces, ",") + `],"willContinue":true}}`
}

const done = `{"functionCall":{}}`

func value(path, value string) string {
	return fmt.Sprintf(`{"jsonPath":%q,%s}`, path, value)
}

func TestStreamedArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		parts []string
		want  string // input; empty: the reply is malformed
	}{
		{name: "nothing", parts: []string{begins("f"), done}, want: `{}`},
		{name: "pieces of a string", parts: []string{begins("f"), adds(value("$.a", `"stringValue":"x<","willContinue":true`)),
			adds(value("$.a", `"stringValue":"\"ü","willContinue":true`)), adds(value("$.a", `"stringValue":""`)), done}, want: `{"a":"x<\"ü"}`},
		{name: "all types, in order", parts: []string{begins("f"), adds(value("$.z", `"numberValue":1.50`), value("$.a", `"boolValue":false`)),
			adds(value("$.n", `"nullValue":"NULL_VALUE"`), value("$.m", `"nullValue":null`), value("$.b", `"boolValue":true`)), done}, want: `{"z":1.50,"a":false,"n":null,"m":null,"b":true}`},
		{name: "inside each other", parts: []string{begins("f"), adds(value("$.o.p[0].q", `"stringValue":"1"`), value("$.o.p[0].r", `"stringValue":"2"`),
			value("$.o.p[1].q", `"stringValue":"3"`), value("$.o.s", `"numberValue":4`), value("$.g[0][0]", `"numberValue":5`)), done},
			want: `{"o":{"p":[{"q":"1","r":"2"},{"q":"3"}],"s":4},"g":[[5]]}`},
		{name: "names in quotes", parts: []string{begins("f"), adds(value("$['a b']", `"numberValue":1`), value(`$["c.d"]['e\'"\n\u0041']`, `"numberValue":2`), value("$['']", `"numberValue":3`)), done},
			want: `{"a b":1,"c.d":{"e'\"\nA":2},"":3}`},
		{name: "two strings at once", parts: []string{begins("f"), adds(value("$.a", `"stringValue":"1","willContinue":true`), value("$.b", `"stringValue":"2","willContinue":true`)),
			adds(value("$.a", `"stringValue":"3"`), value("$.b", `"stringValue":"4"`)), done}, want: `{"a":"13","b":"24"}`},
		{name: "the last piece ends the call", parts: []string{begins("f"), `{"functionCall":{"partialArgs":[` + value("$.a", `"numberValue":1`) + `]}}`}, want: `{"a":1}`},
		{name: "all in one part", parts: []string{`{"functionCall":{"name":"f","partialArgs":[` + value("$.a", `"numberValue":1`) + `]}}`}, want: `{"a":1}`},
		{name: "all at once after all", parts: []string{begins("f"), `{"functionCall":{"args":{"a": 1.0}}}`}, want: `{"a": 1.0}`},
		{name: "a piece that only says that more comes", parts: []string{begins("f"), adds(value("$.a", `"willContinue":true`)), adds(value("$.a", `"numberValue":1`)), done}, want: `{"a":1}`},
		{name: "text between", parts: []string{begins("f"), `{"text":"x"}`, adds(value("$.a", `"numberValue":1`)), done}, want: `{"a":1}`},
		{name: "name and id again", parts: []string{`{"functionCall":{"id":"i","name":"f","willContinue":true}}`, `{"functionCall":{"id":"i","name":"f","partialArgs":[` + value("$.a", `"numberValue":1`) + `]}}`}, want: `{"a":1}`},
		{name: "a piece that only says that no more comes", parts: []string{begins("f"), adds(value("$.a[0]", `"stringValue":"x","willContinue":true`)),
			adds(`{"jsonPath":"$.b"}`, `{"jsonPath":"$.a[1]"}`, `{"jsonPath":"$.a[0]"}`), done}, want: `{"a":["x"]}`},
		{name: "members that are null", parts: []string{begins("f"), adds(value("$.a", `"stringValue":null,"numberValue":null,"boolValue":true,"nullValue":null`)), done}, want: `{"a":true}`},
		{name: "two values at once", parts: []string{begins("f"), adds(value("$.a", `"stringValue":"x","numberValue":1`)), done}},
		{name: "null and a value at once", parts: []string{begins("f"), adds(value("$.a", `"boolValue":true,"nullValue":"NULL_VALUE"`)), done}},

		{name: "ends within a string", parts: []string{begins("f"), adds(value("$.a", `"stringValue":"x","willContinue":true`)), done}},
		{name: "another call begins", parts: []string{begins("f"), begins("f"), done}},
		{name: "value given twice", parts: []string{begins("f"), adds(value("$.a", `"stringValue":"x"`), value("$.a", `"stringValue":"y"`)), done}},
		{name: "number after a string", parts: []string{begins("f"), adds(value("$.a", `"stringValue":"x","willContinue":true`), value("$.a", `"numberValue":1`)), done}},
		{name: "value for an object", parts: []string{begins("f"), adds(value("$.a.b", `"numberValue":1`), value("$.a", `"numberValue":1`)), done}},
		{name: "member of a list", parts: []string{begins("f"), adds(value("$.a[0]", `"numberValue":1`), value("$.a.b", `"numberValue":1`)), done}},
		{name: "member of a number", parts: []string{begins("f"), adds(value("$.a", `"numberValue":1`), value("$.a.b", `"numberValue":1`)), done}},
		{name: "gap in a list", parts: []string{begins("f"), adds(value("$.a[1]", `"numberValue":1`)), done}},
		{name: "number in quotes", parts: []string{begins("f"), adds(value("$.a", `"numberValue":"1"`)), done}},
		{name: "number is an object", parts: []string{begins("f"), adds(value("$.a", `"numberValue":{}`)), done}},
		{name: "no path", parts: []string{begins("f"), adds(`{"numberValue":1}`), done}},
		{name: "pieces are no list", parts: []string{begins("f"), `{"functionCall":{"partialArgs":{}}}`}},
		{name: "both kinds", parts: []string{begins("f"), adds(value("$.a", `"numberValue":1`)), `{"functionCall":{"args":{}}}`}},
		{name: "both kinds at once", parts: []string{`{"functionCall":{"name":"f","args":{},"partialArgs":[]}}`}},
		{name: "both kinds, pieces last", parts: []string{`{"functionCall":{"name":"f","args":{},"willContinue":true}}`, adds(value("$.a", `"numberValue":1`)), done}},
		{name: "args twice", parts: []string{`{"functionCall":{"name":"f","args":{},"willContinue":true}}`, `{"functionCall":{"args":{}}}`}},
	}
	for _, path := range []string{"", "a", "$", "$.", "$a", "$..a", "$.a.", "$[0]", "$.*", "$.a[", "$.a[-1]", "$.a[x]", "$.a[99999999999]", "$['a'", "$['a", "$['a']x", `$['\x']`, "$.a" + strings.Repeat("[0]", 200)} {
		if path == "$.*" {
			continue // a name like any other: nothing is searched for
		}
		tests = append(tests, struct {
			name  string
			parts []string
			want  string
		}{name: "path " + path, parts: []string{begins("f"), adds(value(path, `"numberValue":1`)), done}})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var responses []string
			for _, p := range tt.parts {
				responses = append(responses, says(p))
			}
			for _, body := range []string{stream(append(responses, ends("STOP"))...), array(ends("STOP", tt.parts...))} {
				_, m, err := read(strings.NewReader(body))
				requireTurn(t, m, new(gemini.Codec).Results(m, nil))
				if tt.want == "" {
					require.ErrorIs(t, err, wire.ErrMalformed)
					require.Empty(t, m.Calls)
					continue
				}
				require.NoError(t, err)
				require.Len(t, m.Calls, 1)
				require.Equal(t, tt.want, string(m.Calls[0].Input))
			}
		})
	}
}

// TestStreamedArgumentsHistory sends the call back as one part, with what its pieces
// said besides the arguments.
func TestStreamedArgumentsHistory(t *testing.T) {
	t.Parallel()
	events, m, err := read(strings.NewReader(stream(
		says(`{"functionCall":{"willContinue":true,"name":"f","x":1},"y":2}`), says(`{"text":"t"}`),
		says(`{"functionCall":{"partialArgs":[`+value("$.a", `"numberValue":1`)+`],"willContinue":true},"thoughtSignature":"s"}`),
		ends("STOP", done, calls("g", "{}")))))
	require.NoError(t, err)
	require.Equal(t, []string{"text t", `call r-1 f {"a":1}`, "call r-2 g {}"}, events)
	require.Equal(t, `{"role":"model","parts":[{"functionCall":{"name":"f","x":1,"args":{"a":1}},"y":2,"thoughtSignature":"s"},{"text":"t"},`+calls("g", "{}")+`]}`, string(only(m.History)))
}

// TestStreamedArgumentsCut keeps back a call whose arguments did not all come.
func TestStreamedArgumentsCut(t *testing.T) {
	t.Parallel()
	begun := []string{calls("g", "{}"), begins("f"), adds(value("$.a", `"stringValue":"x","willContinue":true`))}
	for _, tt := range []struct {
		name string
		body string
		err  error
	}{
		{name: "body", body: stream(says(begun...)), err: wire.ErrTruncated},
		{name: "body of an array", body: array(says(begun...)), err: wire.ErrTruncated},
		{name: "the call alone", body: stream(ends("STOP", begun...)), err: wire.ErrTruncated},
		{name: "tokens", body: stream(ends("MAX_TOKENS", begun...))},
		{name: "filter", body: array(says(begun...), ends("SAFETY"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, []string{"call r-1 g {}"}, events)
			require.Len(t, m.Incomplete, 1)
			require.Equal(t, "f", m.Incomplete[0].Name)
			require.Equal(t, `{"a":"x"}`, string(m.Incomplete[0].Input))
			require.Equal(t, `{"role":"model","parts":[`+calls("g", "{}")+`]}`, string(only(m.History)))
		})
	}
	_, m, err := read(strings.NewReader(stream(says(begins("f"), adds(value("$.a.b[1]", `"numberValue":1`))))))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.Equal(t, `{"a":{"b":[]}}`, string(m.Incomplete[0].Input))
}

// TestTooManyValues reads arguments that are small, and large as a tree.
func TestTooManyValues(t *testing.T) {
	t.Parallel()
	var pieces []string
	for i := range 1<<18/100 + 1 {
		pieces = append(pieces, value(fmt.Sprintf("$.%d", i)+strings.Repeat(".a", 100), `"numberValue":1`))
	}
	_, m, err := read(strings.NewReader(ends("STOP", begins("f"), adds(pieces...), done)))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.ErrorContains(t, err, "more than 262144 values")
	require.Empty(t, m.Calls)
}
