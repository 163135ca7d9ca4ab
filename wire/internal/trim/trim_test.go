package trim_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
)

// answers are the same whatever they are asked about.
type answers []string

func (a answers) TrimResults(context.Context, []pegboard.HistoryResult) []string { return a }

func TestResults(t *testing.T) {
	t.Parallel()
	long := pegboard.HistoryResult{Text: "long"}
	tests := []struct {
		name    string
		results []pegboard.HistoryResult
		texts   []string
		want    map[int]string
	}{
		{name: "nothing", want: map[int]string{}},
		{name: "some", results: []pegboard.HistoryResult{long, long, long}, texts: []string{"a", "", "c"}, want: map[int]string{0: "a", 2: "c"}},
		{name: "fewer texts", results: []pegboard.HistoryResult{long, long}, texts: []string{"a"}, want: map[int]string{0: "a"}},
		{name: "more texts", results: []pegboard.HistoryResult{long}, texts: []string{"a", "b"}, want: map[int]string{0: "a"}},
		{name: "blank", results: []pegboard.HistoryResult{long}, texts: []string{" \n"}, want: map[int]string{}},
		{name: "what stays", results: []pegboard.HistoryResult{{Text: "long", Fixed: true}, {}}, texts: []string{"a", "b"}, want: map[int]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, maps.Collect(trim.Results(t.Context(), answers(tt.texts), tt.results)))
		})
	}
	for range trim.Results(t.Context(), nil, nil) { // nobody is asked about nothing
	}
	for range trim.Results(t.Context(), answers{"a", "b"}, []pegboard.HistoryResult{long, long}) {
		break // a loop that is left early must not go on
	}
}

func TestReplace(t *testing.T) {
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
			for _, p := range trim.Replace(parts, "<new>", func(part json.RawMessage) bool { return strings.Contains(string(part), "text") }) {
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
