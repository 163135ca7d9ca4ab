package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestReadEchoes runs no call that is only a name said once more.
func TestReadEchoes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		chunks []string
		want   []string
	}{
		{name: "name in each piece", want: []string{`add {"x":1}`}, chunks: []string{calling(piece(0, "", "add", `{"x"`)), calling(piece(0, "", "add", `:1}`)), calling(piece(0, "", "add", ``))}},
		{name: "not numbered", want: []string{`add {"x":1}`}, chunks: []string{calling(piece(-1, "", "add", `{"x":1}`)), calling(piece(-1, "", "add", ``))}},
		{name: "id in the first", want: []string{`add {"x":1}`, "sum {}"}, chunks: []string{calling(piece(0, "a", "add", `{"x":1}`)), calling(piece(0, "", "add", ``)), calling(piece(1, "b", "sum", `{}`))}},
		{name: "the old form beside the new", want: []string{"add {}"}, chunks: []string{delta(`"tool_calls":[` + piece(0, "a", "add", "{}") + `],"function_call":{"name":"add","arguments":"{}"}`)}},
		{name: "the old form beside nothing", want: []string{"add {}"}, chunks: []string{delta(`"tool_calls":[],"function_call":{"name":"add","arguments":"{}"}`)}},
		{name: "another number", want: []string{"add {}", "add "}, chunks: []string{calling(piece(0, "", "add", `{}`)), calling(piece(1, "", "add", ``))}},
		{name: "called again in pieces", want: []string{"add {}", `add {"x":1}`}, chunks: []string{calling(piece(0, "", "add", `{}`)), calling(piece(0, "", "add", ``)), calling(piece(0, "", "", `{"x":1}`))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(strings.NewReader(stream(append(tt.chunks, because("stop"))...)))
			require.NoError(t, err)
			var got []string
			for _, c := range m.Calls {
				got = append(got, c.Name+" "+string(c.Input))
			}
			require.Equal(t, tt.want, got)
			require.Len(t, events, len(tt.want))
			require.Empty(t, m.Incomplete)
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

// TestReadCutAfterTheReason does not take a finish_reason for the end if a call
// came after it.
func TestReadCutAfterTheReason(t *testing.T) {
	t.Parallel()
	early, begun := because("stop"), calling(piece(0, "a", "rm", ""))
	_, m, err := read(strings.NewReader(open(early, begun)))
	require.ErrorIs(t, err, wire.ErrTruncated)
	require.Empty(t, m.Calls)
	require.Equal(t, []string{"a rm "}, written(m.Incomplete))

	_, m, err = read(strings.NewReader(open(early, begun, calling(piece(0, "", "", `{"p`)))))
	require.ErrorIs(t, err, wire.ErrTruncated)
	require.Empty(t, m.Calls)

	for _, whole := range []string{stream(early, begun), open(early, begun, early), open(begun, early, calling(piece(0, "", "", "")))} {
		_, m, err = read(strings.NewReader(whole))
		require.NoError(t, err)
		require.Equal(t, []string{"a rm "}, written(m.Calls))
	}
}

// TestReadBroken reads what is made to take long in no more than seconds. Looking
// at all of the arguments with each piece would take minutes.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	const times = 20_000
	long, calls := strings.Repeat("x", 1<<20), strings.Repeat(piece(-1, "", "f", "{}")+",", times)
	tests := []struct {
		name string
		body string
		want error
	}{
		{name: "many calls", body: open(calling(calls + piece(-1, "", "f", "{}"))), want: wire.ErrMalformed},
		{name: "calls behind one that is long", body: open(calling(piece(0, "a", "f", long)), calling(strings.Repeat(piece(1, "", "g", "{}")+",", 9000)+piece(1, "", "g", "{}"))), want: wire.ErrTruncated},
		{name: "pieces that look complete", body: open(calling(piece(0, "a", "f", `{"`+long)), calling(strings.Repeat(piece(0, "a", "f", "}")+",", times)+piece(0, "a", "f", "}"))), want: wire.ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.want)
			require.Less(t, time.Since(start), 30*time.Second)
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

// FuzzArguments hands out a call that may have been cut only if its arguments are an
// object, in whatever pieces they come.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, ` {"a":"}\\\"{"} `, `{"a":[{}]} x`, `{"a":"\u00e9`, `}{`, `[]`, `{}}`, `"{}"`, `{]`} {
		f.Add(seed, uint(3))
	}
	f.Fuzz(func(t *testing.T, arguments string, at uint) {
		if !utf8.ValidString(arguments) {
			return
		}
		at %= uint(len(arguments) + 1)
		for at < uint(len(arguments)) && !utf8.RuneStart(arguments[at]) {
			at++
		}
		_, m, err := read(strings.NewReader(stream(calling(piece(0, "a", "f", arguments[:at])), calling(piece(0, "", "", arguments[at:])), because("length"))))
		require.NoError(t, err)
		object := strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
		calls := append(m.Calls, m.Incomplete...)
		require.Len(t, calls, 1)
		require.Equal(t, object, len(m.Calls) == 1)
		require.Equal(t, arguments, string(calls[0].Input))
	})
}

// TestReadHistoryHoldsTextAndRefusal, of which neither is lost.
func TestReadHistoryHoldsTextAndRefusal(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"choices":[{"message":{"content":"So far.","refusal":"No."},"finish_reason":"stop"}]}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"role":"assistant","content":"So far.","refusal":"No."}`, string(only(m.History)))
}

func TestReadWithoutFirstChoice(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"choices":[{"index":1,"message":{"content":"x"},"finish_reason":"stop"}]}`))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.Empty(t, m.Text)
}

// TestReadBrokenAfterItsEnd: what follows the finish reason may still break the reply,
// and then no call of it counts as one of a message that ended well.
func TestReadBrokenAfterItsEnd(t *testing.T) {
	t.Parallel()
	const call = `data: {"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
	for _, rest := range []string{"data: {\"error\":{\"message\":\"overloaded\"}}\n\n", "data: {\n\n"} {
		var w chat.Codec
		m, err := w.Read(strings.NewReader(call + rest)).Message()
		require.Error(t, err)
		require.Equal(t, pegboard.FinishError, m.Finish)
	}
}
