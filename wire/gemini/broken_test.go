package gemini_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// TestFinishOfBrokenReply reads replies that say how they ended, and are not whole:
// nothing that writes may run on them.
func TestFinishOfBrokenReply(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name string
		body string
		err  error
	}{
		{name: "a call is open", body: stream(ends("STOP", clock, begins("f"))), err: wire.ErrTruncated},
		{name: "no JSON follows", body: stream(ends("STOP", clock), "x"), err: wire.ErrMalformed},
		{name: "the array is cut", body: "[" + ends("STOP", clock) + ",", err: wire.ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.err)
			require.Len(t, m.Calls, 1)
			require.Empty(t, m.StopReason)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
	_, m, err := read(strings.NewReader(stream(ends("MAX_TOKENS", clock), ends("STOP"))))
	require.NoError(t, err)
	require.Equal(t, pegboard.FinishLength, m.Finish, "a later STOP does not take it back")
}

// TestMadeIDs makes ids beside ids that the API gave, which look like those.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name  string
		parts []string
		want  []string
	}{
		{name: "none given", parts: []string{clock, clock}, want: []string{"r-1", "r-2"}},
		{name: "given between", parts: []string{clock, callsWithID("x", "clock", "{}"), clock}, want: []string{"r-1", "x", "r-3"}},
		{name: "given before", parts: []string{callsWithID("r-2", "clock", "{}"), callsWithID("r-3", "clock", "{}"), clock, clock}, want: []string{"r-2", "r-3", "r-4", "r-5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(ends("STOP", tt.parts...)))
			require.NoError(t, err)
			var got []string
			for _, c := range m.Calls {
				got = append(got, c.ID)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestManyCalls reads a reply that is made to take long: no call costs a look at the
// whole response, or at all ids before it.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	const n = 5_000
	var parts []string
	for i := range n {
		parts = append(parts, callsWithID(fmt.Sprintf("r-%d", n+i+1), "f", "{}"))
	}
	for range n {
		parts = append(parts, calls("f", "{}"))
	}
	body := ends("STOP", parts...)
	_, m, err := read(strings.NewReader(body))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("r-%d", 3*n), m.Calls[2*n-1].ID)

	_, m, err = read(strings.NewReader(strings.Replace(body, `,"responseId":"r"`, "", 1)))
	require.NoError(t, err)
	require.Len(t, m.Calls, 2*n)
}

func TestTooManyParts(t *testing.T) {
	t.Parallel()
	body := `{"candidates":[{"content":{"parts":[` + strings.Repeat("{},", 1<<18) + `{}]},"finishReason":"STOP"}]}`
	_, m, err := read(strings.NewReader(body))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.ErrorContains(t, err, "more than 262144 parts")
	require.Equal(t, pegboard.FinishError, m.Finish)
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

// TestEmptyTextBesideMore reads parts whose text is empty, but which say something.
func TestEmptyTextBesideMore(t *testing.T) {
	t.Parallel()
	file := `{"text":"","inlineData":{"mimeType":"image/png","data":"AAAA"}}`
	_, m, err := read(strings.NewReader(ends("STOP", `{"text":""}`, `{"text":"","thought":true}`, file)))
	require.NoError(t, err)
	require.Equal(t, `{"role":"model","parts":[`+file+`]}`, string(only(m.History)))
}

// TestNormalizeForeign repairs nothing in conversations that are in order, though
// they were not written here.
func TestNormalizeForeign(t *testing.T) {
	t.Parallel()
	for name, in := range map[string][]string{
		"names with underscores": {
			`{"role":"model","parts":[{"function_call":{"name":"a","args":{}}}]}`, `{"role":"user","parts":[{"function_response":{"name":"a","response":{}}}]}`,
		},
		"names of both kinds": {
			`{"role":"model","parts":[{"function_call":{"name":"a","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"a","response":{}}}]}`,
		},
		"a result without a name": {
			`{"role":"model","parts":[{"functionCall":{"id":"1","name":"a"}}]}`, `{"role":"user","parts":[{"functionResponse":{"id":"1","response":{"output":"x"}}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, repairs := new(gemini.Codec).Normalize(messagesOf(in))
			require.Empty(t, repairs)
			require.Equal(t, in, stringsOf(got))
		})
	}
	got, repairs := new(gemini.Codec).Normalize(messagesOf([]string{`{"role":"model","parts":[{"function_call":{"name":"a"}}]}`}))
	require.Equal(t, []wire.Repair{{Kind: wire.MissingResult, Name: "a"}}, repairs)
	require.Len(t, got, 2)
}

// TestAliases refers to a tool by the name that it had once.
func TestAliases(t *testing.T) {
	t.Parallel()
	agent, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Agent", Aliases: []string{"Task"}},
		Description: "Starts another agent.",
		Call:        func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	require.NoError(t, err)
	w := gemini.New(poolOf(t, agent), gemini.Config{})
	require.Equal(t, []string{"Agent"}, w.Loaded(messagesOf([]string{`{"role":"model","parts":[` + calls("Task", "{}") + `]}`})))

	m, err := w.Read(strings.NewReader(ends("STOP", calls("search", "{}")))).Message()
	require.NoError(t, err)
	results := only(w.Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{{Tool: "Task"}}}}}))
	require.Contains(t, string(results), `{\"name\":\"Agent\"`)
}

// TestResultsSaySomething renders what could be lost.
func TestResultsSaySomething(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(ends("STOP", calls("a", "{}"), calls("b", "{}"))))
	require.NoError(t, err)
	got := only(new(gemini.Codec).Results(m, []pegboard.Outcome{
		{Call: &m.Calls[0], Result: &pegboard.Result{IsError: true}},
		{Call: &m.Calls[1], Result: &pegboard.Result{Parts: []pegboard.Part{{MIME: "application/json", Text: "[1]"}}}},
	}))
	require.Equal(t, `{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"error":"a failed and did not say why. Look at what it did before you repeat it."}}},`+
		`{"functionResponse":{"name":"b","response":{"output":"[1]"}}}]}`, string(got))
}
