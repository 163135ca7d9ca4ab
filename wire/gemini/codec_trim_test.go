package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

var _ wire.Trimmer = (*pegboard.Session)(nil)

// trimmer answers with texts, and keeps what it was shown.
type trimmer struct {
	answers []string
	shown   []pegboard.HistoryResult
}

func (s *trimmer) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	s.shown = results
	return s.answers
}

func TestTrim(t *testing.T) {
	t.Parallel()
	responds := func(response string, more ...string) string {
		return `{"functionResponse":{"name":"clock","response":` + response + strings.Join(more, "") + `},"x":1e2}`
	}
	tests := []struct {
		name    string
		in      []string
		answers []string
		shown   []string // of each result the turn, tool and text
		want    []string // nil: the same
	}{
		{name: "nothing", answers: []string{"left over"}},
		{name: "no results", in: []string{hello, model(speaks), user(unknown)}, answers: []string{"left over"}},
		{name: "untouched", in: []string{model(clock), user(twelve), hello}, shown: []string{"1 clock 12"}},
		{name: "text", in: []string{hello, model(clock), user(twelve), hello}, answers: []string{"short <1>"}, shown: []string{"1 clock 12"},
			want: []string{hello, model(clock), user(result("", "clock", "output", "short <1>")), hello}},
		{name: "the second of three", in: []string{model(clock, clock, maps), user(twelve, one, route, speaks)}, answers: []string{"", "short"}, shown: []string{"1 clock 12", "1 clock 1", `1 map {"result":{"x":1e2}}`},
			want: []string{model(clock, clock, maps), user(twelve, `{"functionResponse":{"response":{"output":"short"},"name":"clock"}}`, route, speaks)}},
		{name: "fewer answers than results", in: []string{model(clock), user(one), model(clock), user(one)}, answers: []string{"short"}, shown: []string{"1 clock 1", "2 clock 1"},
			want: []string{model(clock), user(`{"functionResponse":{"response":{"output":"short"},"name":"clock"}}`), model(clock), user(one)}},
		{name: "a failure", in: []string{user(responds(`{"error":"no"}`))}, answers: []string{"short"}, shown: []string{"0 clock no"}, want: []string{user(responds(`{"error":"short"}`))}},
		{name: "more than text", in: []string{user(responds(`{"code":1.0,"output":"a","error":"b","x":{}}`, `,"parts":[`, picture, `]`))}, answers: []string{"short"}, shown: []string{"0 clock a\nb"},
			want: []string{user(responds(`{"code":1.0,"output":"short","x":{}}`, `,"parts":[`, picture, `]`))}},
		{name: "text twice", in: []string{user(responds(`{"output":"a","output":"b"}`))}, answers: []string{"short"}, shown: []string{"0 clock a\nb"}, want: []string{user(responds(`{"output":"short"}`))}},
		{name: "no text", in: []string{user(responds(`{}`), responds(`null`), responds(`7`), `{"functionResponse":{"name":"clock"}}`)}, answers: []string{"w", "x", "y", "z"}, shown: []string{"0 clock ", "0 clock ", "0 clock ", "0 clock "}},
		{name: "empty text", in: []string{user(responds(`{"output":""}`))}, answers: []string{"short"}, shown: []string{"0 clock "}},
		{name: "blank answer", in: []string{user(responds(`{"output":"1"}`))}, answers: []string{" \n"}, shown: []string{"0 clock 1"}},
		{name: "before its call", in: []string{user(`{"functionResponse":{"id":"7","response":{"output":"1"}}}`), model(callsWithID("7", "clock", "{}"))}, shown: []string{"0 clock 1"}},
		{name: "of another form", in: []string{user(route, responds(`{"error":{"code": 5}}`))}, answers: []string{"short", "shorter"}, shown: []string{`0 map {"result":{"x":1e2}}`, `0 clock {"error":{"code": 5}}`},
			want: []string{user(result("", "map", "output", "short"), responds(`{"error":"shorter"}`))}},
		{name: "names with underscores", in: []string{` {"parts": [{"function_response":{"name":"a","response":{"output":"1"}}}], "role":"function"}`}, answers: []string{"short"}, shown: []string{"0 a 1"},
			want: []string{`{"parts":[{"function_response":{"name":"a","response":{"output":"short"}}}],"role":"function"}`}},
		{name: "a name that only the call has", in: []string{model(callsWithID("7", "clock", "{}")), user(`{"functionResponse":{"id":"7","response":{"output":"1"}}}`)}, shown: []string{"1 clock 1"}},
		{name: "turns", in: []string{model(clock, maps), user(route), hello, user(one), model(speaks), model(clock), user(twelve)}, shown: []string{`1 map {"result":{"x":1e2}}`, "1 clock 1", "3 clock 12"}},
		{name: "what cannot be read", in: []string{`null`, user(one, `7`), `{"role":"user","role":"user"}`, model(one), user(one) + "x", user(one)}, answers: []string{"short"}, shown: []string{"1 clock 1"},
			want: []string{`null`, user(one, `7`), `{"role":"user","role":"user"}`, model(one), user(one) + "x", user(`{"functionResponse":{"response":{"output":"short"},"name":"clock"}}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want == nil {
				tt.want = tt.in
			}
			var w gemini.Codec
			s := trimmer{answers: tt.answers}
			in := messagesOf(tt.in)
			got := w.Trim(t.Context(), in, &s)
			require.Equal(t, tt.want, stringsOf(got))
			require.Equal(t, tt.in, stringsOf(in), "the history was changed")
			var shown []string
			for _, r := range s.shown {
				require.False(t, r.Fixed)
				shown = append(shown, fmt.Sprint(r.Turn, " ", r.Tool, " ", r.Text))
			}
			require.Equal(t, tt.shown, shown)
			require.Equal(t, stringsOf(got), stringsOf(w.Trim(t.Context(), in, &s)), "twice")
		})
	}
}

// TestTrimFixes shows which results made tools known, and the pool's own names.
func TestTrimFixes(t *testing.T) {
	t.Parallel()
	_, pool := searchable(t, late(t, "notes.add"), toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}))
	w := gemini.New(pool(), gemini.Config{})
	contents := append(w.Recall([]string{"notes.add"}), messagesOf([]string{
		model(calls(w.Name("notes.add"), "{}"), calls("Task", "{}"), calls("elsewhere", "{}")),
		user(result("", w.Name("notes.add"), "output", "1"), result("", "Task", "output", "2"), result("", "elsewhere", "error", "See <functions>")),
	})...)
	s := trimmer{answers: []string{"short"}}
	require.Equal(t, stringsOf(contents), stringsOf(w.Trim(t.Context(), contents, &s)), "it is never replaced")
	var shown []string
	for _, r := range s.shown {
		shown = append(shown, fmt.Sprint(r.Tool, " ", r.Fixed))
	}
	require.Equal(t, []string{"ToolSearch true", "notes.add false", "Agent false", "elsewhere false"}, shown)
}

// TestTrimCallIDs keeps the ids of results apart, whether or not the calls have ids,
// and the same when contents come and go.
func TestTrimCallIDs(t *testing.T) {
	t.Parallel()
	ids := func(contents ...string) (all []string) {
		var w gemini.Codec
		var s trimmer
		w.Trim(t.Context(), messagesOf(contents), &s)
		for _, r := range s.shown {
			all = append(all, r.CallID)
		}
		return all
	}
	for want, turn := range map[string]func(text string) []string{
		"clock": func(text string) []string {
			return []string{model(clock), user(result("", "clock", "output", text), speaks)}
		},
		"id": func(text string) []string {
			return []string{model(callsWithID("id", "clock", "{}")), user(result("id", "clock", "output", text))}
		},
		"of call": func(text string) []string {
			return []string{model(callsWithID("of call", "clock", "{}")), user(result("", "clock", "output", text))}
		},
	} {
		conversation := append(append(turn("1"), turn("2")...), turn("3")...)
		all := ids(conversation...)
		require.Len(t, all, 3)
		require.Len(t, map[string]bool{all[0]: true, all[1]: true, all[2]: true}, 3)
		require.Regexp(t, `^`+want+`#[0-9a-f]{16}$`, all[0])
		require.Equal(t, all[:2], ids(conversation[:4]...), "more contents change nothing")
		require.Equal(t, all[1:], ids(conversation[2:]...), "nor do fewer")
	}
}

// TestTrimAnything trims conversations at random, whole and taken apart: what was
// asked for is replaced, and all else is the same bytes.
func TestTrimAnything(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(18, seed))
		turns := randomTurns(random)
		for range random.IntN(4) {
			turns = disturb(random, turns)
		}
		in := messagesOf(render(turns))
		requireTrimmed(t, random, in)
		normal, _ := new(gemini.Codec).Normalize(in)
		_, repairs := new(gemini.Codec).Normalize(requireTrimmed(t, random, normal))
		require.Empty(t, repairs, "seed %d", seed)
	}
}

// requireTrimmed trims a conversation with answers at random, and checks every part of
// what comes of it.
func requireTrimmed(t *testing.T, random *rand.Rand, in []json.RawMessage) (out []json.RawMessage) {
	t.Helper()
	var w gemini.Codec
	s := trimmer{}
	for range 100 {
		s.answers = append(s.answers, []string{"", fmt.Sprint("short ", random.IntN(3))}[random.IntN(2)])
	}
	out = w.Trim(t.Context(), in, &s)
	require.Len(t, out, len(in))
	n := 0
	for i := range in {
		before, after := partsOf(in[i]), partsOf(out[i])
		require.Len(t, after, len(before))
		changed := false
		role, parts := readContent(t, in[i])
		for j, p := range parts {
			if role != "user" || !p.result {
				require.Equal(t, string(before[j]), string(after[j]))
				continue
			}
			want := string(before[j])
			if text := s.answers[n]; text != "" {
				said := s.shown[n].Text
				want = strings.Replace(want, `":`+quoted(said)+`}`, `":`+quoted(text)+`}`, 1)
				require.NotEqual(t, want, string(before[j]))
				changed = true
			}
			require.Equal(t, want, string(after[j]))
			n++
		}
		if !changed {
			require.Same(t, &in[i][0], &out[i][0])
		}
	}
	require.Len(t, s.shown, n)
	_, repairs := new(gemini.Codec).Normalize(in)
	_, left := new(gemini.Codec).Normalize(out)
	require.Equal(t, repairs, left)
	require.Equal(t, stringsOf(out), stringsOf(w.Trim(t.Context(), in, &s)))
	return out
}

func quoted(s string) string {
	raw, _ := json.Marshal(s) // a string always encodes
	return string(raw)
}

// FuzzTrim takes a content from each line. Nothing that Normalize would repair comes of
// trimming.
func FuzzTrim(f *testing.F) {
	f.Add(strings.Join([]string{hello, model(thinks, clock, maps), user(route, one), user(speaks, twelve), model(clock), user(one)}, "\n"), "short")
	f.Add(strings.Join([]string{user(`{"functionResponse":{"response":{"output":"a","error":"b","output":7}}}`), user(answers("a", "clock"), `{"functionResponse":[]}`), "null"}, "\n"), "\xff")
	f.Fuzz(func(t *testing.T, s, text string) {
		in := messagesOf(strings.Split(s, "\n"))
		_, repairs := new(gemini.Codec).Normalize(in)
		var w gemini.Codec
		var shown trimmer
		w.Trim(t.Context(), in, &shown)
		shown.answers = make([]string, len(shown.shown))
		for i := range shown.answers {
			shown.answers[i] = text
		}
		out := w.Trim(t.Context(), in, &shown)
		_, after := new(gemini.Codec).Normalize(out)
		require.Equal(t, repairs, after, "%s\nbecame\n%s", in, out)
		require.Equal(t, s, strings.Join(stringsOf(in), "\n"))
	})
}

func BenchmarkTrim(b *testing.B) {
	var contents []json.RawMessage
	size := 0
	for i := range 100 {
		name := fmt.Sprint("tool", i)
		for _, c := range []string{model(calls(name, `{"path":"x"}`)), user(result("", name, "output", strings.Repeat("lorem ipsum\n", 500)))} {
			contents = append(contents, json.RawMessage(c))
			size += len(c)
		}
	}
	var w gemini.Codec
	s := trimmer{answers: make([]string, 100)}
	s.answers[7] = "short"
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		w.Trim(b.Context(), contents, &s)
	}
}
