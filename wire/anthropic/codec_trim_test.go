package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

var _ wire.Trimmer = (*pegboard.Session)(nil)

// trimmer says what it is told to, and notes what it was shown.
type trimmer struct {
	texts []string
	shown []pegboard.HistoryResult
}

func (s *trimmer) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	s.shown = results
	return s.texts
}

func TestTrim(t *testing.T) {
	t.Parallel()
	const (
		definitions = `{"type":"text","text":"<functions>\n{\"name\":\"x\"}\n</functions>"}`
		image       = `{"type":"image", "source":{"type":"base64","media_type":"image/png","data":"cG5n"}}`
		document    = `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}}`
	)
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	w := anthropic.New(poolOf(t, tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	tests := []struct {
		name  string
		in    []string
		texts []string
		shown []pegboard.HistoryResult
		want  []string // nil: the same
	}{
		{name: "nothing", texts: []string{"x"}},
		{name: "no results", in: []string{hello, assistant(use("a", "clock")), user(says)}, texts: []string{"x"}},
		{name: "some", in: []string{hello, assistant(use("a", "clock"), use("b", "map")), ` { "content":[ ` + resultOf("a", text("1")) + ` ,` + resultOf("b", text("2")) + `, ` + says + `], "role":"user"}`,
			assistant(use("c", "clock")), user(resultOf("c", text("3")))}, texts: []string{"", "<two>"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "clock", Turn: 1, Text: "1"}, {CallID: "b", Tool: "map", Turn: 1, Text: "2"}, {CallID: "c", Tool: "clock", Turn: 2, Text: "3"}},
			want: []string{hello, assistant(use("a", "clock"), use("b", "map")), `{"content":[` + resultOf("a", text("1")) + `,` + resultOf("b", text("<two>")) + `,` + says + `],"role":"user"}`,
				assistant(use("c", "clock")), user(resultOf("c", text("3")))}},
		{name: "a message for each", in: []string{assistant(use("a", "clock"), use("b", "map")), user(resultOf("a", text("1"))), user(resultOf("b", text("2")))},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "clock", Turn: 1, Text: "1"}, {CallID: "b", Tool: "map", Turn: 1, Text: "2"}}},
		{name: "other blocks", in: []string{assistant(use("a", "x")), user(`{"type":"tool_result","tool_use_id":"a","is_error":false,"content":[` + image + `,{"text":"1", "type":"text", "cache_control":{}},` + document + `,` + text("2") + `,7],"cache_control":{ }}`)},
			texts: []string{"\"new\""}, shown: []pegboard.HistoryResult{{CallID: "a", Tool: "x", Turn: 1, Text: "1\n2"}},
			want: []string{assistant(use("a", "x")), user(`{"type":"tool_result","tool_use_id":"a","is_error":false,"content":[` + image + `,{"text":"\"new\"","type":"text","cache_control":{}},` + document + `,7],"cache_control":{ }}`)}},
		{name: "a string", in: []string{assistant(use("a", "x")), user(`{"content":"\u006fld","is_error":true,"type":"tool_result","tool_use_id":"a"}`)},
			texts: []string{"new"}, shown: []pegboard.HistoryResult{{CallID: "a", Tool: "x", Turn: 1, Text: "old"}},
			want: []string{assistant(use("a", "x")), user(`{"content":"new","is_error":true,"type":"tool_result","tool_use_id":"a"}`)}},
		{name: "what made tools known", in: []string{assistant(use("a", "x"), use("b", "ToolSearch"), use("c", "ToolSearch")),
			user(resultOf("a", refer("x"), text("1")), resultOf("b", text("1"), definitions), `{"type":"tool_result","tool_use_id":"c","content":"<functions>\n{\"name\":\"x\"}"}`)},
			texts: []string{"n", "n", "n"}, shown: []pegboard.HistoryResult{{CallID: "a", Tool: "x", Turn: 1, Text: "1", Fixed: true},
				{CallID: "b", Tool: "ToolSearch", Turn: 1, Text: "1\n<functions>\n{\"name\":\"x\"}\n</functions>", Fixed: true}, {CallID: "c", Tool: "ToolSearch", Turn: 1, Text: "<functions>\n{\"name\":\"x\"}", Fixed: true}}},
		{name: "without text", in: []string{assistant(use("a", "x"), use("b", "x"), use("c", "x")), user(imageOfA, `{"type":"tool_result","tool_use_id":"b"}`, resultOf("c"))}, texts: []string{"n", "n", "n"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "x", Turn: 1}, {CallID: "b", Tool: "x", Turn: 1}, {CallID: "c", Tool: "x", Turn: 1}}},
		{name: "names of the pool", in: []string{assistant(use("a", w.Name("notes.add")), use("b", "Task"), use("c", "gone"), use("a", "again")), user(resultOf("a"), resultOf("b"), resultOf("c"), resultOf("d"))},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "notes.add", Turn: 1}, {CallID: "b", Tool: "Agent", Turn: 1}, {CallID: "c", Tool: "gone", Turn: 1}, {CallID: "d", Turn: 1}}},
		{name: "out of order", in: []string{user(resultOf("a", text("1")), `{"type":"tool_result","content":"2"}`), assistant(use("a", "x"), `{"type":"tool_use","name":"y"}`)}, texts: []string{"n", "n"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "x", Text: "1"}, {Text: "2"}},
			want:  []string{user(resultOf("a", text("n")), `{"type":"tool_result","content":"n"}`), assistant(use("a", "x"), `{"type":"tool_use","name":"y"}`)}},
		{name: "unreadable", in: []string{`{`, assistant(use("a", "x")), `{"role":"tool"}`, user(`{"type":"tool_result","type":"x"}`), user(resultOf("a", text("1")))}, texts: []string{"n"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "x", Turn: 1, Text: "1"}},
			want:  []string{`{`, assistant(use("a", "x")), `{"role":"tool"}`, user(`{"type":"tool_result","type":"x"}`), user(resultOf("a", text("n")))}},
		{name: "of the server", in: []string{assistant(onServer, served, `{"type":"mcp_tool_result","tool_use_id":"m","content":"x"}`)}, texts: []string{"n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want == nil {
				tt.want = tt.in
			}
			in := messagesOf(tt.in)
			s := &trimmer{texts: tt.texts}
			require.Equal(t, tt.want, stringsOf(w.Trim(t.Context(), in, s)))
			require.Equal(t, tt.shown, s.shown)
			require.Equal(t, tt.in, stringsOf(in), "the messages given were changed")
		})
	}
	var zero anthropic.Codec
	s := &trimmer{}
	zero.Trim(t.Context(), messagesOf([]string{assistant(use("a", "Task")), user(resultOf("a", text("1")))}), s)
	require.Equal(t, []pegboard.HistoryResult{{CallID: "a", Tool: "Task", Turn: 1, Text: "1"}}, s.shown)
}

// TestTrimReplacesNothingElse trims random conversations, sound and not, and looks at
// every block.
func TestTrimReplacesNothingElse(t *testing.T) {
	t.Parallel()
	var w anthropic.Codec
	for seed := range effort.Of(t, uint64(500)) {
		random := rand.New(rand.NewPCG(9, seed))
		turns := randomTurns(random)
		for range random.IntN(3) {
			turns = disturb(random, turns)
		}
		in := messagesOf(render(turns))
		for i := range in { // so that each text is another
			in[i] = json.RawMessage(strings.ReplaceAll(string(in[i]), "<12>", fmt.Sprintf("<%d>", random.IntN(9))))
		}
		s := &trimmer{}
		require.Equal(t, stringsOf(in), stringsOf(w.Trim(t.Context(), in, s)), "seed %d", seed)
		for range s.shown {
			s.texts = append(s.texts, []string{"", "new", " "}[random.IntN(3)])
		}
		s.texts = s.texts[:random.IntN(len(s.texts)+1)]
		out := w.Trim(t.Context(), in, s)
		requireTrimmed(t, in, out, s.texts)
		require.Equal(t, out, w.Trim(t.Context(), in, s), "seed %d", seed)

		before, wanted := w.Normalize(in)
		after, repairs := w.Normalize(out)
		require.Equal(t, wanted, repairs, "seed %d", seed)
		require.Len(t, after, len(before))
	}
}

// requireTrimmed checks that out is in with those results replaced.
func requireTrimmed(t *testing.T, in, out []json.RawMessage, texts []string) {
	t.Helper()
	require.Len(t, out, len(in))
	n := 0
	for i := range in {
		before, after, changed := blocksOf(in[i]), blocksOf(out[i]), false
		require.Len(t, after, len(before))
		for j, b := range before {
			want := string(b)
			if strings.Contains(want, `"tool_result"`) {
				if n < len(texts) && strings.TrimSpace(texts[n]) != "" {
					want = want[:strings.Index(want, `"<`)] + `"` + texts[n] + `"}`
					want, changed = strings.Replace(want, ` ,`, `,`, 1), true
				}
				n++
			}
			require.Equal(t, want, string(after[j]))
		}
		if !changed {
			require.Equal(t, string(in[i]), string(out[i]))
		}
	}
}

// TestTrimBySession has the real thing decide.
func TestTrimBySession(t *testing.T) {
	t.Parallel()
	s := session(t)
	w := anthropic.New(poolOf(t), anthropic.Config{})
	long := func(id, of string, n int) string {
		return resultOf(id, `{"type":"text","text":"`+strings.Repeat(of, n)+`"}`)
	}
	in := messagesOf([]string{hello, assistant(use("a", "x"), use("b", "x"), use("c", "x")), user(long("a", "a", 9_000), long("b", "b", 150_000), long("c", "c", 100_000))})
	out := w.Trim(t.Context(), in, s)
	require.Equal(t, stringsOf(in[:2]), stringsOf(out[:2]))
	before, after := blocksOf(in[2]), blocksOf(out[2])
	require.Equal(t, []string{string(before[0]), string(before[2])}, []string{string(after[0]), string(after[2])})
	require.Less(t, len(after[1]), 10_000, "the largest is replaced")
	requireSound(t, w, out)

	more := append(slices.Clone(in), messagesOf([]string{assistant(use("d", "x")), user(resultOf("d", says))})...)
	require.Equal(t, stringsOf(append(slices.Clone(out), more[3:]...)), stringsOf(w.Trim(t.Context(), more, s)), "the same prefix")
}

// FuzzTrim takes a message from each line. What is no JSON stays, and what is stays so.
func FuzzTrim(f *testing.F) {
	f.Add(strings.Join([]string{hello, assistant(use("a", "clock"), use("b", "map")), user(toolsOfB), user(says, imageOfA, resultOf("a", says, says))}, "\n"), "x")
	f.Add(user(`{"type":"tool_result","content":"old"}`), " ")
	f.Fuzz(func(t *testing.T, s, text string) {
		var w anthropic.Codec
		in := messagesOf(strings.Split(s, "\n"))
		out := w.Trim(t.Context(), in, &trimmer{texts: slices.Repeat([]string{text}, 99)})
		require.Len(t, out, len(in))
		require.Equal(t, s, strings.Join(stringsOf(in), "\n"))
		for i := range in {
			require.Equal(t, json.Valid(in[i]), json.Valid(out[i]), "%s\nbecame\n%s", in[i], out[i])
		}
		again := &trimmer{}
		require.Equal(t, stringsOf(out), stringsOf(w.Trim(t.Context(), out, again)))
		for _, r := range again.shown[:min(len(again.shown), 99)] {
			if !r.Fixed && r.Text != "" && strings.TrimSpace(text) != "" {
				require.Equal(t, string([]rune(text)), r.Text, "broken bytes are replaced")
			}
		}
		_, before := new(anthropic.Codec).Normalize(in)
		_, after := new(anthropic.Codec).Normalize(out)
		require.Equal(t, before, after)
	})
}

func BenchmarkTrim(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var messages []json.RawMessage
	size := 0
	for len(messages) < 200 {
		for _, m := range render(randomTurns(random)) {
			m = strings.ReplaceAll(m, "toolu_", fmt.Sprintf("toolu_%d_", len(messages)))
			m = strings.ReplaceAll(m, "<12>", strings.Repeat("lorem ipsum\\n", 500))
			messages = append(messages, json.RawMessage(m))
			size += len(m)
		}
	}
	var w anthropic.Codec
	s := &trimmer{}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		w.Trim(b.Context(), messages, s)
	}
}
