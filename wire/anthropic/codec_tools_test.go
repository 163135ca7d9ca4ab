package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

const (
	anyObject     = `{"type":"object"}`
	refusedSchema = `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`
)

// tool returns a tool that does nothing.
func tool(t testing.TB, name, description, schema string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: name, Loading: pegboard.LoadAlways},
		Description: description,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

// declared shows the model another schema than the tool checks, as a wrapper may.
type declared struct {
	pegboard.Tool
	schema string
}

func (d declared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	decl, ok := d.Tool.Declare(s)
	return pegboard.Declaration{Name: decl.Name, InputSchema: json.RawMessage(d.schema)}, ok
}

func session(t testing.TB) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// loading keeps a definition from waiting, or makes it wait, whatever tool it is of.
func loading(deferred bool) pegboard.Loading {
	if deferred {
		return pegboard.LoadOnSearch
	}
	return pegboard.LoadAlways
}

// poolOf returns the pool of built-in tools for a provider that searches.
func poolOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
}

// definition is a tool as the API reads it.
type definition struct {
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func definitions(t testing.TB, w *anthropic.Codec) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, "clock", "", `{"properties":{}}`),
		tool(t, "weather", "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}},
			"required": ["city"]
		}`),
		tool(t, "notes.add", "A name that the API refuses.", anyObject),
		tool(t, "refused", "A property that the API refuses.", refusedSchema),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", anyObject))
	require.NoError(t, err)

	got := anthropic.New(r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), anthropic.Config{}).Tools()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(got))
}

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(anthropic.New(poolOf(t), anthropic.Config{}).Tools()))
	var zero anthropic.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
}

func TestToolsSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		schema string
		want   string // empty: left out
		reason string
	}{
		{name: "as it is", schema: `{ "type": "object", "properties": {"a.b": {"anyOf": [{}, {}]}} }`, want: `{ "type": "object", "properties": {"a.b": {"anyOf": [{}, {}]}} }`},
		{name: "no type", schema: `{"properties":{"a":{}}}`, want: `{"properties":{"a":{}},"type":"object"}`},
		{name: "object among others", schema: `{"type":["object","null"]}`, want: anyObject},
		{name: "other type", schema: `{"type":"string"}`, reason: "the root's type is not object"},
		{name: "no object", schema: `true`, reason: "not"},
		{name: "no JSON", schema: `{"type":"object"}}`, reason: "not JSON"},
		{name: "property name", schema: `{"properties":{"$schema":{}},"if":{}}`, reason: "name of a parameter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := anthropic.New(poolOf(t, tool(t, "other", "", anyObject), declared{tool(t, "tested", "", anyObject), tt.schema}), anthropic.Config{})
			all := definitions(t, w)
			require.Equal(t, "other", all[0].Name)
			if tt.want != "" {
				require.Empty(t, w.Omitted())
				require.Len(t, all, 2)
				require.Equal(t, tt.want, string(all[1].InputSchema))
				return
			}
			require.Len(t, all, 1)
			require.Len(t, w.Omitted(), 1)
			require.Equal(t, "tested", w.Omitted()[0].Tool)
			require.Contains(t, w.Omitted()[0].Reason, tt.reason)
		})
	}
}

// TestToolsCombinators sends schemas with combinators at the root, which the API
// refuses as they are.
func TestToolsCombinators(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"type":"object","anyOf":[{}]}`, `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"allOf":[{"properties":{"a":{}}}]}`} {
		w := anthropic.New(poolOf(t, tool(t, "tested", "", schema)), anthropic.Config{})
		require.Len(t, sentBy(t, w), 1)
		requireTaken(t, w)
	}
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestNames(t *testing.T) {
	t.Parallel()
	given := []string{
		"plain", "with-dash_9", "notes.add", "notes/add", "notes add", "ümlaut", "日本語", "_", ".", "..",
		strings.Repeat("n", 64), strings.Repeat("n", 65), strings.Repeat("n", 65) + "!", strings.Repeat("é", 40),
	}
	var tools []pegboard.Tool
	for _, name := range given {
		tools = append(tools, tool(t, name, "", anyObject))
	}
	w := anthropic.New(poolOf(t, tools...), anthropic.Config{})
	other := anthropic.New(poolOf(t, tools[2]), anthropic.Config{})

	seen := map[string]string{}
	for _, name := range given {
		api := w.Name(name)
		require.Regexp(t, apiName, api)
		require.NotContains(t, seen, api, "%q and %q share a name", name, seen[api])
		seen[api] = name
		if apiName.MatchString(name) {
			require.Equal(t, name, api)
		}
		require.Equal(t, name, callOf(t, w, api).Name)
	}
	require.Equal(t, w.Name("notes.add"), other.Name("notes.add"), "a name depends on the other tools")
	require.Regexp(t, `^notes_add_[0-9a-f]{12}$`, w.Name("notes.add"))
	require.Equal(t, "unknown", callOf(t, w, "unknown").Name)
	for _, d := range definitions(t, w) {
		require.Contains(t, seen, d.Name)
	}
}

// callOf returns a call of a tool by the name that the API knows.
func callOf(t *testing.T, w *anthropic.Codec, apiName string) pegboard.Call {
	t.Helper()
	body := fmt.Sprintf(`{"type":"message","content":[{"type":"tool_use","id":"toolu_1","name":%q,"input":{}}]}`, apiName)
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	require.Len(t, m.Calls, 1)
	return m.Calls[0]
}

// TestNamesMadeToCollide attaches a tool whose name is the one that a built-in
// was given: the built-in keeps it.
func TestNamesMadeToCollide(t *testing.T) {
	t.Parallel()
	const builtin = "mcp__maps__route."
	taken := anthropic.New(poolOf(t, tool(t, builtin, "", anyObject)), anthropic.Config{}).Name(builtin)

	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, builtin, "", anyObject)))
	_, err := r.Attach("maps", tool(t, strings.TrimPrefix(taken, "mcp__maps__"), "", anyObject))
	require.NoError(t, err)
	p := r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
	_, clash := p.Lookup(taken)
	require.True(t, clash, "the attack needs a tool named %s", taken)

	w := anthropic.New(p, anthropic.Config{})
	require.Equal(t, taken, w.Name(builtin))
	require.NotEqual(t, taken, w.Name(taken))
	require.Regexp(t, apiName, w.Name(taken))
	require.Equal(t, builtin, callOf(t, w, taken).Name)
	require.Equal(t, taken, callOf(t, w, w.Name(taken)).Name)
}

// TestInvariant8OneBadTool makes sure that a tool which the API would refuse the
// whole request for costs nobody but itself.
func TestInvariant8OneBadTool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, "edit", "", anyObject)))
	_, err := r.Attach("maps", tool(t, "bad", "", refusedSchema), tool(t, "route", "", anyObject))
	require.NoError(t, err)
	w := anthropic.New(r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), anthropic.Config{})
	var sent []string
	for _, d := range definitions(t, w) {
		sent = append(sent, d.Name)
	}
	require.Equal(t, []string{"edit", "mcp__maps__route"}, sent)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, wire.Problem{Tool: "mcp__maps__bad", Reason: w.Omitted()[0].Reason, Omitted: true}, w.Omitted()[0])
	require.Contains(t, w.Omitted()[0].Reason, "a b")
}

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
