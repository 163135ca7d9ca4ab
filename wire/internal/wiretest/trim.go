package wiretest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
)

var _ wire.Trimmer = (*pegboard.Session)(nil)

// A TrimCase is a conversation, texts for its results, and what becomes of it.
type TrimCase struct {
	Name  string
	In    []string
	Texts []string
	Shown []string // the results in words, as "1 clock(a): it is twelve"
	Want  []string // nil: the same
}

// inWords returns a result as a TrimCase has it: the turn, tool, id and text.
func inWords(r pegboard.HistoryResult) string {
	id, _, _ := strings.Cut(r.CallID, "#")
	fixed := ""
	if r.Fixed {
		fixed = ", fixed"
	}
	return fmt.Sprintf("%d %s(%s)%s: %s", r.Turn, r.Tool, id, fixed, r.Text)
}

// RunTrim trims the conversations of tests and random ones.
func RunTrim(t *testing.T, w Wire, codec wire.Codec, tests []TrimCase) {
	t.Helper()
	t.Parallel()
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			if tt.Want == nil {
				tt.Want = tt.In
			}
			in := Messages(tt.In...)
			s := &Trimmer{Texts: tt.Texts}
			require.Equal(t, tt.Want, Strings(codec.Trim(t.Context(), in, s)))
			var shown []string
			for _, r := range s.Shown {
				shown = append(shown, inWords(r))
			}
			require.Equal(t, tt.Shown, shown)
			require.Equal(t, tt.In, Strings(in), "the messages given were changed")
			require.Equal(t, tt.Want, Strings(codec.Trim(t.Context(), in, s)), "twice")
		})
	}
	t.Run("what made tools known", func(t *testing.T) {
		t.Parallel()
		_, _, codecs := w.Searchable(t, Late(t, "notes.add", AnyObject), Tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", AnyObject))
		codec := codecs()
		var calls, results []string
		for i, name := range []string{codec.Name("notes.add"), "Task", "elsewhere"} {
			id := string(rune('a' + i))
			calls, results = append(calls, w.Call(id, name, "{}")), append(results, w.Result(id, name, "See <functions>"))
		}
		messages := append(codec.Recall([]string{"notes.add"}), words(w.Model(calls...), w.User(results...))...)
		s := Trimmer{Texts: []string{"short"}}
		require.Equal(t, Strings(messages), Strings(codec.Trim(t.Context(), messages, &s)), "it is never replaced")
		var shown []string
		for _, r := range s.Shown {
			shown = append(shown, fmt.Sprint(r.Tool, " ", r.Fixed))
		}
		require.Equal(t, []string{"ToolSearch true", "notes.add false", "Agent false", "elsewhere false"}, shown)
	})
	t.Run("by a session", func(t *testing.T) {
		t.Parallel()
		w.requireTrimmedBySession(t)
	})
	t.Run("at random", func(t *testing.T) {
		t.Parallel()
		for seed := range effort.Of(t, uint64(1000)) {
			random := rand.New(rand.NewPCG(18, seed))
			conversation := w.Random(random)
			for range random.IntN(4) {
				conversation = disturb(random, conversation)
			}
			in := render(conversation)
			w.requireTrimmed(t, random, in)
			normal, _ := w.Zero.Normalize(in)
			_, repairs := w.Zero.Normalize(w.requireTrimmed(t, random, normal))
			require.Empty(t, repairs, "seed %d", seed)
		}
	})
}

// requireTrimmedBySession has the real thing decide.
func (w Wire) requireTrimmedBySession(t *testing.T) {
	t.Helper()
	s := Session(t)
	codec := w.New(Pool(t))
	a, b, c := strings.Repeat("a", 9_000), strings.Repeat("b", 150_000), strings.Repeat("c", 100_000)
	calls := w.Model(w.Call("a", "x", "{}"), w.Call("b", "x", "{}"), w.Call("c", "x", "{}"))
	in := words([]string{w.Hello}, calls, w.User(w.Result("a", "x", a), w.Result("b", "x", b), w.Result("c", "x", c)))
	out := codec.Trim(t.Context(), in, s)
	require.Equal(t, Strings(in[:1+len(calls)]), Strings(out[:1+len(calls)]))
	all := strings.Join(Strings(out), "")
	require.True(t, strings.Contains(all, a) && strings.Contains(all, c))
	require.NotContains(t, all, b[:10_000], "the largest is replaced")
	w.requireSound(t, codec, out)
	more := append(slices.Clone(in), words(w.Model(w.Call("d", "x", "{}")), w.User(w.Result("d", "x", "1")))...)
	require.Equal(t, Strings(append(slices.Clone(out), more[len(in):]...)), Strings(codec.Trim(t.Context(), more, s)), "the same prefix")
}

// result is the text of a result in a random conversation, which may have been missing there.
// Nothing else looks like it.
var result = regexp.MustCompile(`^(<\d+>|There is no result of .*)$`)

// requireTrimmed trims a conversation with texts at random: what was asked for is replaced, all
// else means the same, and blocks and messages without a new text are the same bytes.
func (w Wire) requireTrimmed(t testing.TB, random *rand.Rand, in []json.RawMessage) (out []json.RawMessage) {
	t.Helper()
	s := &Trimmer{}
	require.Equal(t, Strings(in), Strings(w.Zero.Trim(t.Context(), in, s)))
	for range s.Shown {
		s.Texts = append(s.Texts, []string{"", "new", " "}[random.IntN(3)])
	}
	s.Texts = s.Texts[:random.IntN(len(s.Texts)+1)]
	out = w.Zero.Trim(t.Context(), in, s)
	require.Len(t, out, len(in))
	next := 0
	replace := func(text string) string {
		for s.Shown[next].Text == "" { // it has none, and stays so
			next++
		}
		require.Equal(t, text, s.Shown[next].Text)
		if next++; next <= len(s.Texts) && strings.TrimSpace(s.Texts[next-1]) != "" {
			return s.Texts[next-1]
		}
		return text
	}
	for i := range in {
		var before, after any
		require.NoError(t, json.Unmarshal(in[i], &before))
		require.NoError(t, json.Unmarshal(out[i], &after))
		want, changed := before, false
		if w.Answers == nil || w.Answers(in[i]) {
			want, changed = replaced(before, replace)
		}
		require.Equal(t, want, after)
		if !changed {
			require.Equal(t, string(in[i]), string(out[i]))
		}
		blocks := w.Blocks(out[i])
		for j, b := range w.Blocks(in[i]) {
			if !strings.Contains(string(b), `"<`) && !strings.Contains(string(b), `"There is no result`) {
				require.Equal(t, string(b), string(blocks[j]))
			}
		}
	}
	require.Equal(t, Strings(out), Strings(w.Zero.Trim(t.Context(), in, s)))
	before, wanted := w.Zero.Normalize(in)
	after, repairs := w.Zero.Normalize(out)
	require.Equal(t, wanted, repairs)
	require.Len(t, after, len(before))
	return out
}

// replaced returns a decoded value with other texts of results, in their order.
func replaced(v any, replace func(text string) string) (out any, changed bool) {
	switch v := v.(type) {
	case string:
		if result.MatchString(v) {
			text := replace(v)
			return text, text != v
		}
	case []any:
		for i := range v {
			var other bool
			v[i], other = replaced(v[i], replace)
			changed = changed || other
		}
	case map[string]any:
		for name := range v { // no object holds two results beside each other
			var other bool
			v[name], other = replaced(v[name], replace)
			changed = changed || other
		}
	}
	return v, changed
}

// RequireTrimIDs keeps the ids of results apart where the API may use one again, and the same
// when messages come and go. Turn is a call and its result with a text; id begins the ids.
func RequireTrimIDs(t *testing.T, w Wire, id string, turn func(text string) []string) {
	t.Helper()
	shown := func(turns ...string) (all []string) {
		var messages []json.RawMessage
		for _, text := range turns {
			messages = append(messages, Messages(turn(text)...)...)
		}
		var s Trimmer
		w.Zero.Trim(t.Context(), messages, &s)
		for _, r := range s.Shown {
			all = append(all, r.CallID)
		}
		return all
	}
	all := shown("1", "2", "3")
	require.Len(t, all, 3)
	require.Len(t, map[string]bool{all[0]: true, all[1]: true, all[2]: true}, 3)
	require.Regexp(t, `^`+id+`#[0-9a-f]{16}$`, all[0])
	require.Equal(t, all[:2], shown("1", "2"), "more messages change nothing")
	require.Equal(t, all[1:], shown("2", "3"), "nor do fewer")
}

// FuzzTrim takes a message from each line. Nothing that Normalize would repair comes of trimming,
// and results have the texts that they were given.
func FuzzTrim(f *testing.F, w Wire, seeds ...[]string) {
	f.Helper()
	for i, lines := range seeds {
		f.Add(strings.Join(lines, "\n"), []string{"short", " ", "\xff"}[i%3])
	}
	f.Fuzz(func(t *testing.T, s, text string) {
		const most = 99
		in := Messages(strings.Split(s, "\n")...)
		out := w.Zero.Trim(t.Context(), in, &Trimmer{Texts: slices.Repeat([]string{text}, most)})
		require.Equal(t, s, strings.Join(Strings(in), "\n"))
		require.Len(t, out, len(in))
		for i := range in {
			require.Equal(t, json.Valid(in[i]), json.Valid(out[i]), "%s\nbecame\n%s", in[i], out[i])
		}
		again := &Trimmer{}
		require.Equal(t, Strings(out), Strings(w.Zero.Trim(t.Context(), out, again)))
		for _, r := range again.Shown[:min(len(again.Shown), most)] {
			if !r.Fixed && r.Text != "" && strings.TrimSpace(text) != "" {
				require.Equal(t, string([]rune(text)), r.Text, "broken bytes are replaced")
			}
		}
		_, before := w.Zero.Normalize(in)
		_, after := w.Zero.Normalize(out)
		require.Equal(t, before, after, "%s\nbecame\n%s", in, out)
	})
}
