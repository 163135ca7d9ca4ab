package responses_test

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
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

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
		definitions = `"<functions>\n{\"name\":\"x\"}\n</functions>"`
		image       = `{ "type":"input_image","image_url":"data:image/png;base64,cG5n" }`
		file        = `{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,cGRm"}`
	)
	w := responses.New(poolOf(t, tool(t, named("notes.add"), "", anyObject), tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject), tool(t, named("find"), "", anyObject)),
		responses.Config{ClientSearch: "find"})
	a, b := use("a", "clock", "{}"), use("b", "map", "{}")
	one := func(r pegboard.HistoryResult) []pegboard.HistoryResult { return []pegboard.HistoryResult{r} }
	tests := []struct {
		name  string
		in    []string
		texts []string
		shown []pegboard.HistoryResult
		want  []string // nil: the same
	}{
		{name: "nothing", texts: []string{"x"}},
		{name: "no outputs", in: []string{hello, a, says}, texts: []string{"x"}},
		{name: "some", in: []string{system, hello, thinks, a, b, output("a", `"1"`), ` {"call_id":"b", "type":"function_call_output", "status":"completed" ,"output":"2"}`, says, goOn, use("c", "clock", "{}"), output("c", `"3"`)},
			texts: []string{"", "<two>"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "clock", Turn: 1, Text: "1"}, {CallID: "b", Tool: "map", Turn: 1, Text: "2"}, {CallID: "c", Tool: "clock", Turn: 3, Text: "3"}},
			want:  []string{system, hello, thinks, a, b, output("a", `"1"`), `{"call_id":"b","type":"function_call_output","status":"completed","output":"<two>"}`, says, goOn, use("c", "clock", "{}"), output("c", `"3"`)}},
		{name: "one turn", in: []string{thinks, system, a, hosted, b, system, textOfB}, shown: one(pegboard.HistoryResult{CallID: "b", Tool: "map", Turn: 1, Text: "<12>"})},
		{name: "other parts", in: []string{a, output("a", `[`+image+`,{"text":"1", "type":"input_text"},`+file+`,`+inputText("2")+`,7]`)}, texts: []string{"\"new\""},
			shown: one(pegboard.HistoryResult{CallID: "a", Tool: "clock", Turn: 1, Text: "1\n2"}),
			want:  []string{a, output("a", `[`+image+`,{"text":"\"new\"","type":"input_text"},`+file+`,7]`)}},
		{name: "other kinds", in: []string{custom, patch, ofCustom, `{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"no"}`}, texts: []string{"n", "m"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "grep", Turn: 1, Text: "y"}, {CallID: "p", Turn: 1, Text: "no"}},
			want:  []string{custom, patch, strings.Replace(ofCustom, `"y"`, `"n"`, 1), `{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"m"}`}},
		{name: "what made tools known", in: []string{sought, use("a", "ToolSearch", "{}"), use("b", "ToolSearch", "{}"), found, output("a", definitions), output("b", `[`+inputText("1")+`,{"type":"input_text","text":`+definitions+`}]`)}, texts: []string{"n", "n", "n"},
			shown: []pegboard.HistoryResult{{CallID: "s", Tool: "find", Turn: 1, Fixed: true}, {CallID: "a", Tool: "ToolSearch", Turn: 1, Text: "<functions>\n{\"name\":\"x\"}\n</functions>", Fixed: true},
				{CallID: "b", Tool: "ToolSearch", Turn: 1, Text: "1\n<functions>\n{\"name\":\"x\"}\n</functions>", Fixed: true}}},
		{name: "without text", in: []string{a, b, imageOfA, output("b", `7`), `{"type":"apply_patch_call_output","call_id":"p","status":"completed"}`}, texts: []string{"n", "n", "n"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "clock", Turn: 1}, {CallID: "b", Tool: "map", Turn: 1}, {CallID: "p", Turn: 1}}},
		{name: "names of the pool", in: []string{use("a", w.Name("notes.add"), "{}"), use("b", "Task", "{}"), use("c", "gone", "{}"), use("a", "again", "{}"), output("a", `""`), output("b", `""`), output("c", `""`), output("d", `""`)},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "notes.add", Turn: 1}, {CallID: "b", Tool: "Agent", Turn: 1}, {CallID: "c", Tool: "gone", Turn: 1}, {CallID: "d", Turn: 1}}},
		{name: "out of order", in: []string{output("a", `"1"`), `{"type":"function_call_output","output":"2"}`, a, `{"type":"function_call","name":"y"}`}, texts: []string{"n", "n"},
			shown: []pegboard.HistoryResult{{CallID: "a", Tool: "clock", Text: "1"}, {Text: "2"}},
			want:  []string{output("a", `"n"`), `{"type":"function_call_output","output":"n"}`, a, `{"type":"function_call","name":"y"}`}},
		{name: "unreadable", in: []string{`{`, a, `{"role":"tool"}`, `{"type":"function_call_output","type":"x"}`, output("a", `"1"`)}, texts: []string{"n"},
			shown: one(pegboard.HistoryResult{CallID: "a", Tool: "clock", Turn: 1, Text: "1"}), want: []string{`{`, a, `{"role":"tool"}`, `{"type":"function_call_output","type":"x"}`, output("a", `"n"`)}},
		{name: "of the API", in: []string{hosted, foundByIt, shot, `{"type":"mcp_call","output":"x"}`}, texts: []string{"n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want == nil {
				tt.want = tt.in
			}
			in := itemsOf(tt.in)
			s := &trimmer{texts: tt.texts}
			require.Equal(t, tt.want, stringsOf(w.Trim(t.Context(), in, s)))
			require.Equal(t, tt.shown, s.shown)
			require.Equal(t, tt.in, stringsOf(in), "the items given were changed")
		})
	}
}

// TestTrimReplacesNothingElse trims random conversations, sound and not, and looks at
// every item.
func TestTrimReplacesNothingElse(t *testing.T) {
	t.Parallel()
	var w responses.Codec
	for seed := range effort.Of(t, uint64(500)) {
		random := rand.New(rand.NewPCG(9, seed))
		items := randomItems(random)
		for range random.IntN(3) {
			items = disturb(random, items)
		}
		in := itemsOf(items)
		s := &trimmer{}
		require.Equal(t, stringsOf(in), stringsOf(w.Trim(t.Context(), in, s)), "seed %d", seed)
		for range s.shown {
			s.texts = append(s.texts, []string{"", "new", " "}[random.IntN(3)])
		}
		s.texts = s.texts[:random.IntN(len(s.texts)+1)]
		out := w.Trim(t.Context(), in, s)
		require.Equal(t, trimmed(in, s.texts), stringsOf(out), "seed %d", seed)
		require.Equal(t, out, w.Trim(t.Context(), in, s), "seed %d", seed)

		before, wanted := new(responses.Codec).Normalize(in)
		after, repairs := new(responses.Codec).Normalize(out)
		require.Equal(t, wanted, repairs, "seed %d", seed)
		require.Len(t, after, len(before))
	}
}

// trimmed returns items with texts for the outputs, as far as those have text.
func trimmed(items []json.RawMessage, texts []string) (want []string) {
	n := 0
	for _, item := range items {
		text := string(item)
		if strings.Contains(text, `_output"`) && !strings.Contains(text, `"server"`) {
			if n < len(texts) && strings.TrimSpace(texts[n]) != "" {
				text = strings.NewReplacer(`"<12>"`, `"`+texts[n]+`"`, `"y"`, `"`+texts[n]+`"`).Replace(text)
			}
			n++
		}
		want = append(want, text)
	}
	return want
}

// TestTrimBySession has the real thing decide.
func TestTrimBySession(t *testing.T) {
	t.Parallel()
	s := session(t)
	w := responses.New(poolOf(t), responses.Config{})
	long := func(id, of string, n int) string { return output(id, `"`+strings.Repeat(of, n)+`"`) }
	in := itemsOf([]string{hello, use("a", "x", "{}"), use("b", "x", "{}"), use("c", "x", "{}"), long("a", "a", 9_000), long("b", "b", 150_000), long("c", "c", 100_000)})
	out := w.Trim(t.Context(), in, s)
	require.Less(t, len(out[5]), 10_000, "the largest is replaced")
	requireSound(t, w, out)
	rest := func(items []json.RawMessage) []string { return stringsOf(slices.Delete(slices.Clone(items), 5, 6)) }
	require.Equal(t, rest(in), rest(out))

	more := append(slices.Clone(in), itemsOf([]string{use("d", "x", "{}"), output("d", `"x"`)})...)
	require.Equal(t, stringsOf(append(slices.Clone(out), more[len(in):]...)), stringsOf(w.Trim(t.Context(), more, s)), "the same prefix")
}

// FuzzTrim takes an item from each line. What is no JSON stays, and what is stays so.
func FuzzTrim(f *testing.F) {
	f.Add(strings.Join([]string{hello, use("a", "clock", "{}"), sought, imageOfA, found, textOfB, goOn, ofCustom}, "\n"), "x")
	f.Add(output("a", `[{"type":"input_text","text":"old"},7,{"text":"more"}]`), " ")
	f.Fuzz(func(t *testing.T, s, text string) {
		var w responses.Codec
		in := itemsOf(strings.Split(s, "\n"))
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
		_, before := new(responses.Codec).Normalize(in)
		_, after := new(responses.Codec).Normalize(out)
		require.Equal(t, before, after)
	})
}

func BenchmarkTrim(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var items []json.RawMessage
	size := 0
	for len(items) < 200 {
		for _, item := range randomItems(random) {
			item = strings.ReplaceAll(item, "call_", fmt.Sprintf("call_%d_", len(items)))
			item = strings.ReplaceAll(item, "<12>", strings.Repeat("lorem ipsum\\n", 500))
			items = append(items, json.RawMessage(item))
			size += len(item)
		}
	}
	var w responses.Codec
	s := &trimmer{}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		w.Trim(b.Context(), items, s)
	}
}
