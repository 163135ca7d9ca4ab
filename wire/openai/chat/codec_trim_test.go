package chat_test

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
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
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
	const (
		image   = `{ "type":"image_url", "image_url":{"url":"data:image/png;base64,cG5n"} }`
		cached  = `{"cache_control":{"type":"ephemeral"},"type":"text","text":"one"}`
		two     = `{"type":"text", "text":"two"}`
		foreign = `{"role":"tool","tool_call_id":"a","content":7}`
		silent  = `{"role":"tool","tool_call_id":"a", "content":null}`
		onlyPNG = `{"role":"tool","tool_call_id":"a", "content":[ ` + image + ` ]}`
	)
	parts := func(parts ...string) string {
		return `{"tool_call_id":"a","role":"tool","x":1e2,"content":[` + strings.Join(parts, ",") + `]}`
	}
	tests := []struct {
		name    string
		in      []string
		answers []string
		shown   []string // of each result the turn, tool and text
		want    []string // nil: the same
	}{
		{name: "nothing", answers: []string{"left over"}},
		{name: "no results", in: []string{system, hello, says, oldCall, oldReply}, answers: []string{"left over"}},
		{name: "untouched", in: []string{hello, model(call("a", "clock")), resultA, says}, shown: []string{"1 clock 1 <2>"}},
		{name: "text", in: []string{hello, model(call("a", "clock")), resultA, says}, answers: []string{"short <1>"}, shown: []string{"1 clock 1 <2>"},
			want: []string{hello, model(call("a", "clock")), `{"tool_call_id":"a","role":"tool","content":"short <1>"}`, says}},
		{name: "the second of two", in: []string{model(call("a", "clock"), call("b", "map")), resultA, resultB, hello}, answers: []string{"", "short"}, shown: []string{"1 clock 1 <2>", "1 map b"},
			want: []string{model(call("a", "clock"), call("b", "map")), resultA, `{"role":"tool","content":[{"type":"text","text":"short"}],"tool_call_id":"b","name":"clock"}`, hello}},
		{name: "fewer answers and more", in: []string{model(call("a", "clock")), result("a", "1"), model(call("b", "clock")), result("b", "2")}, answers: []string{"short"}, shown: []string{"1 clock 1", "2 clock 2"},
			want: []string{model(call("a", "clock")), result("a", "short"), model(call("b", "clock")), result("b", "2")}},
		{name: "parts", in: []string{parts(image, cached, image, two)}, answers: []string{"short"}, shown: []string{"0  one\ntwo"},
			want: []string{parts(image, `{"cache_control":{"type":"ephemeral"},"type":"text","text":"short"}`, image)}},
		{name: "no text", in: []string{onlyPNG, silent, `{"role":"tool","tool_call_id":"a"}`}, answers: []string{"x", "y", "z"}, shown: []string{"0  ", "0  ", "0  "}},
		{name: "empty text", in: []string{result("a", "")}, answers: []string{"short"}, shown: []string{"0  "}},
		{name: "blank answer", in: []string{result("a", "1")}, answers: []string{" \n"}, shown: []string{"0  1"}},
		{name: "before its call", in: []string{result("a", "1"), model(call("a", "clock"))}, shown: []string{"0 clock 1"}},
		{name: "no text of the API", in: []string{foreign}, answers: []string{"short"}, shown: []string{"0  7"}, want: []string{`{"role":"tool","tool_call_id":"a","content":"short"}`}},
		{name: "turns", in: []string{model(call("a", "clock"), call("b", "map")), result("b", "2"), hello, result("a", "1"), says, modelSaying(`"x"`, call("a", "map")), result("a", "3")},
			shown: []string{"1 map 2", "1 clock 1", "3 map 3"}},
		{name: "what cannot be read", in: []string{`null`, `{"role":"tool","role":"tool"}`, model(call("a", "clock")), resultA + "x", result("a", "1")}, answers: []string{"short"}, shown: []string{"1 clock 1"},
			want: []string{`null`, `{"role":"tool","role":"tool"}`, model(call("a", "clock")), resultA + "x", result("a", "short")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want == nil {
				tt.want = tt.in
			}
			var w chat.Codec
			s := trimmer{answers: tt.answers}
			in := messagesOf(tt.in...)
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
	_, pool := searchable(t, late(t, "notes.add"), toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject))
	w := chat.New(pool(), chat.Config{})
	messages := append(w.Recall([]string{"notes.add"}),
		messagesOf(model(call("a", w.Name("notes.add")), call("b", "Task"), call("c", "elsewhere")), resultA, resultB, result("c", "See <functions>"))...)
	s := trimmer{answers: []string{"short"}}
	require.Equal(t, stringsOf(messages), stringsOf(w.Trim(t.Context(), messages, &s)), "it is never replaced")
	var shown []string
	for _, r := range s.shown {
		shown = append(shown, fmt.Sprint(r.Tool, " ", r.Fixed))
	}
	require.Equal(t, []string{"ToolSearch true", "notes.add false", "Agent false", "elsewhere false"}, shown)
}

// TestTrimCallIDs keeps the ids of results apart, also where a service counts its own
// anew, and the same when messages come and go.
func TestTrimCallIDs(t *testing.T) {
	t.Parallel()
	ids := func(messages ...string) (all []string) {
		var w chat.Codec
		var s trimmer
		w.Trim(t.Context(), messagesOf(messages...), &s)
		for _, r := range s.shown {
			all = append(all, r.CallID)
		}
		return all
	}
	turn := func(text string) []string {
		return []string{hello, model(call("call_0", "clock")), result("call_0", text)}
	}
	conversation := append(append(turn("1"), turn("2")...), turn("3")...)
	all := ids(conversation...)
	require.Len(t, all, 3)
	require.Len(t, map[string]bool{all[0]: true, all[1]: true, all[2]: true}, 3)
	require.Regexp(t, `^call_0#[0-9a-f]{16}$`, all[0])
	require.Equal(t, all[:2], ids(conversation[:6]...), "more messages change nothing")
	require.Equal(t, all[1:], ids(conversation[3:]...), "nor do fewer")
}

// TestTrimAnything trims conversations at random, whole and taken apart: what was
// asked for is replaced, and all else is the same bytes.
func TestTrimAnything(t *testing.T) {
	t.Parallel()
	var w chat.Codec
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(18, seed))
		turns := randomTurns(random, seed%2 == 0)
		for range random.IntN(4) {
			turns = disturb(random, turns)
		}
		in := messagesOf(render(turns)...)
		_, repairs := new(chat.Codec).Normalize(in)
		s := trimmer{}
		for range len(in) {
			s.answers = append(s.answers, []string{"", fmt.Sprint("short ", random.IntN(3))}[random.IntN(2)])
		}
		out := w.Trim(t.Context(), in, &s)
		require.Len(t, out, len(in))
		n := 0
		for i := range in {
			p := parsePast(in[i])
			if p.role != "tool" || s.answers[n] == "" {
				require.Same(t, &in[i][0], &out[i][0], "seed %d", seed)
			} else {
				want, text := members(t, in[i]), s.answers[n]
				require.NotEqual(t, string(in[i]), string(out[i]))
				want["content"] = text
				require.Equal(t, want, members(t, out[i]), "seed %d", seed)
			}
			if p.role == "tool" {
				require.Equal(t, members(t, in[i])["content"], s.shown[n].Text)
				n++
			}
		}
		require.Len(t, s.shown, n)
		_, after := new(chat.Codec).Normalize(out)
		require.Equal(t, repairs, after, "seed %d", seed)
		require.Equal(t, stringsOf(out), stringsOf(w.Trim(t.Context(), in, &s)), "seed %d", seed)
		normal, _ := new(chat.Codec).Normalize(in)
		_, after = new(chat.Codec).Normalize(w.Trim(t.Context(), normal, &s))
		require.Empty(t, after, "seed %d", seed)
	}
}

func members(t *testing.T, raw json.RawMessage) (m map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}

// FuzzTrim takes a message from each line. Nothing that Normalize would repair comes
// of trimming.
func FuzzTrim(f *testing.F) {
	f.Add(strings.Join([]string{hello, model(call("a", "clock"), call("b", "map")), resultB, hello, resultA, says}, "\n"), "short")
	f.Add(strings.Join([]string{resultA, `{"role":"tool","content":[{"type":"text","text":"a"},7]}`, `{"role":"tool","content":[{"TYPE":"text"},{}]}`, "null"}, "\n"), "\xff")
	f.Fuzz(func(t *testing.T, s, text string) {
		in := messagesOf(strings.Split(s, "\n")...)
		_, repairs := new(chat.Codec).Normalize(in)
		answers := make([]string, len(in))
		for i := range answers {
			answers[i] = text
		}
		var w chat.Codec
		out := w.Trim(t.Context(), in, &trimmer{answers: answers})
		_, after := new(chat.Codec).Normalize(out)
		require.Equal(t, repairs, after, "%s\nbecame\n%s", in, out)
		require.Equal(t, s, strings.Join(stringsOf(in), "\n"))
	})
}

func BenchmarkTrim(b *testing.B) {
	var texts []string
	size := 0
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		texts = append(texts, model(call(id, "write")), result(id, strings.Repeat("lorem ipsum ", 500)))
	}
	for _, s := range texts {
		size += len(s)
	}
	messages := messagesOf(texts...)
	var w chat.Codec
	s := trimmer{answers: make([]string, 100)}
	s.answers[7] = "short"
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		w.Trim(b.Context(), messages, &s)
	}
}
