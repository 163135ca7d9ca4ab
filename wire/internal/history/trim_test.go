package history_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// answers are the same whatever they are asked about.
type answers []string

func (a answers) TrimResults(context.Context, []pegboard.HistoryResult) []string { return a }

func TestTrim(t *testing.T) {
	t.Parallel()
	result := func(texts ...string) *history.PastResult { return &history.PastResult{Texts: texts} }
	tests := []struct {
		name    string
		results []*history.PastResult // nil is no result
		texts   []string
		want    map[int]string
	}{
		{name: "nothing", want: map[int]string{}},
		{name: "some", results: []*history.PastResult{result("long"), nil, result("long"), result("long")}, texts: []string{"a", "", "c"}, want: map[int]string{0: "a", 3: "c"}},
		{name: "fewer texts", results: []*history.PastResult{result("long"), result("long")}, texts: []string{"a"}, want: map[int]string{0: "a"}},
		{name: "more texts", results: []*history.PastResult{result("long")}, texts: []string{"a", "b"}, want: map[int]string{0: "a"}},
		{name: "blank", results: []*history.PastResult{result("long")}, texts: []string{" \n"}, want: map[int]string{}},
		{name: "no text", results: []*history.PastResult{result()}, texts: []string{"a"}, want: map[int]string{}},
		{name: "references", results: []*history.PastResult{{Texts: []string{"long"}, Refers: true}}, texts: []string{"a"}, want: map[int]string{}},
		{name: "definitions", results: []*history.PastResult{{Texts: []string{"<functions>\n{\"name\":\"a\"}"}, Search: true}}, texts: []string{"a"}, want: map[int]string{}},
		{name: "a search that found nothing", results: []*history.PastResult{{Texts: []string{"nothing"}, Search: true}}, texts: []string{"a"}, want: map[int]string{0: "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := map[int]string{}
			for at, text := range history.Trim(t.Context(), answers(tt.texts), entriesOf(tt.results)) {
				got[at.Message] = text
			}
			require.Equal(t, tt.want, got)
		})
	}
	for range history.Trim(t.Context(), nil, entriesOf([]*history.PastResult{nil})) { // without results it asks nobody
	}
	for range history.Trim(t.Context(), answers{"a", "b"}, entriesOf([]*history.PastResult{result("long"), result("long")})) {
		break // a loop that is left early must not go on
	}
}

func entriesOf(results []*history.PastResult) (entries []history.Entry) {
	for i, r := range results {
		entries = append(entries, history.Entry{At: history.Ref{Message: i}, Past: r})
	}
	return entries
}

// recorder keeps the results that it is shown.
type recorder struct{ seen []pegboard.HistoryResult }

func (r *recorder) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	r.seen = results
	return nil
}

func TestTrimShows(t *testing.T) {
	t.Parallel()
	var r recorder
	for range history.Trim(t.Context(), &r, entriesOf([]*history.PastResult{
		{CallID: "1", Tool: "clock", Turn: 2, Texts: []string{"a", "b"}},
		{CallID: "1", Repeats: true, Texts: []string{"a", "b"}, Refers: true},
		{CallID: "1", Repeats: true, Texts: []string{"a\nb"}},
		{CallID: "1", Repeats: true, Texts: []string{"c"}},
	})) {
		t.Fatal("nothing is replaced")
	}
	require.Equal(t, pegboard.HistoryResult{CallID: "1", Tool: "clock", Turn: 2, Text: "a\nb"}, r.seen[0])
	require.Regexp(t, `^1#[0-9a-f]{16}$`, r.seen[1].CallID)
	require.True(t, r.seen[1].Fixed)
	require.Equal(t, r.seen[1].CallID, r.seen[2].CallID, "the same text")
	require.NotEqual(t, r.seen[1].CallID, r.seen[3].CallID)
}

func TestReplaceText(t *testing.T) {
	t.Parallel()
	const image = `{ "image":1 }`
	text := func(s string) string { return `{"kind":"text", "text":"` + s + `","more":[ 1 ]}` }
	tests := []struct {
		name     string
		in, want []string
	}{
		{name: "nothing"},
		{name: "no text", in: []string{image, `7`}, want: []string{image, `7`}},
		{name: "one", in: []string{text("a")}, want: []string{`{"kind":"text","text":"<new>","more":[ 1 ]}`}},
		{name: "several", in: []string{image, text("a"), image, text("b"), text("c"), `7`}, want: []string{image, `{"kind":"text","text":"<new>","more":[ 1 ]}`, image, `7`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var parts []json.RawMessage
			for _, p := range tt.in {
				parts = append(parts, json.RawMessage(p))
			}
			var got, after []string
			for _, p := range history.ReplaceText(parts, "<new>", func(part json.RawMessage) bool { return strings.Contains(string(part), "text") }) {
				got = append(got, string(p))
			}
			for _, p := range parts {
				after = append(after, string(p))
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.in, after)
		})
	}
}
