package chat_test

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
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent
// before. Half of them are strict.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, toolOf(b, pegboard.Info{Name: fmt.Sprintf("tool%04d", i), Strict: i%2 == 0}, "Does something.", city))
			}
			p := poolOf(b, tools...)
			chat.New(p, chat.Config{})
			b.ReportAllocs()
			for b.Loop() {
				chat.New(p, chat.Config{})
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	chunks := []string{calling(piece(0, "a", "write", ""))}
	for range 1000 {
		chunks = append(chunks, saying("Some words. "), calling(piece(0, "", "", `"some text",`)))
	}
	body := stream(append(chunks, because("length"))...)
	var w chat.Codec
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNormalize(b *testing.B) {
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
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		new(chat.Codec).Normalize(messages)
	}
}

// late returns a tool whose definition waits for a search.
func late(t testing.TB, name string) pegboard.Tool {
	t.Helper()
	return toolOf(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, "Comes later.", city)
}

// searchable returns the pools of a session, with tools beside ToolSearch.
func searchable(t testing.TB, tools ...pegboard.Tool) (s *pegboard.Session, pool func(...pegboard.Deferral) *pegboard.Pool) {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(append(tools, pegboard.ToolSearch(pegboard.SearchOptions{}))...))
	s = session(t)
	return s, func(deferral ...pegboard.Deferral) *pegboard.Pool {
		var cfg pegboard.PoolConfig
		for _, d := range deferral {
			cfg.Deferral = d
		}
		return r.AssemblePool(s, cfg)
	}
}

func namesOf(t testing.TB, w *chat.Codec) (names []string) {
	t.Helper()
	for _, d := range definitions(t, w) {
		names = append(names, d.Function.Name)
	}
	return names
}

// TestToolsDeferred leaves out what waits, and sends what was loaded after all others.
func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{late(t, "alarm"), tool(t, "clock", "", anyObject), late(t, "notes.add"), late(t, "weather")}
	s, pool := searchable(t, tools...)
	before := string(chat.New(pool(), chat.Config{}).Tools())
	require.Equal(t, []string{"ToolSearch", "clock"}, namesOf(t, chat.New(pool(), chat.Config{})))
	for loaded, want := range [][]string{{"weather"}, {"weather", "alarm"}, {"weather", "alarm", "notes.add"}} {
		s.SetLoaded(want...)
		w := chat.New(pool(), chat.Config{})
		require.Empty(t, w.Omitted())
		require.Len(t, definitions(t, w), 2+loaded+1)
		require.Equal(t, append([]string{"ToolSearch", "clock"}, apiNames(w, want)...), namesOf(t, w))
		require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(before, "]")+","), "%s\n%s", before, w.Tools())
		before = string(w.Tools())
	}

	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	hosted := chat.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), chat.Config{})
	require.Equal(t, apiNames(hosted, []string{"alarm", "clock", "notes.add", "weather"}), namesOf(t, hosted), "nobody could find them")
	both := chat.New(pool(pegboard.Deferral{ProviderSearch: true}), chat.Config{})
	require.Equal(t, append([]string{"ToolSearch", "clock"}, apiNames(both, []string{"weather", "alarm", "notes.add"})...), namesOf(t, both))
}

func apiNames(w *chat.Codec, tools []string) (names []string) {
	for _, tool := range tools {
		names = append(names, w.Name(tool))
	}
	return names
}

// TestToolsDeferredAndRefused loads a tool that the API takes in no form.
func TestToolsDeferredAndRefused(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, declared{late(t, "bad"), `{"type":"string"}`})
	require.Empty(t, chat.New(pool(), chat.Config{}).Omitted(), "it waits, and that is no problem")
	require.Nil(t, chat.New(pool(), chat.Config{}).Recall([]string{"bad"}))
	s.SetLoaded("bad")
	w := chat.New(pool(), chat.Config{})
	require.Equal(t, []string{"ToolSearch"}, namesOf(t, w))
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "bad", w.Omitted()[0].Tool)
}

// TestToolsNotSearched is about a tool that only has an old name of the one that
// searches.
func TestToolsNotSearched(t *testing.T) {
	t.Parallel()
	p := poolOf(t, toolOf(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}, "Finds files.", anyObject), late(t, "weather"))
	require.Equal(t, []string{"find", "weather"}, namesOf(t, chat.New(p, chat.Config{})))
	hosted := poolOf(t, toolOf(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}, "Finds files.", anyObject))
	require.Nil(t, chat.New(hosted, chat.Config{}).Recall([]string{"find"}))
}

// TestFoundDefinitions answers a search: the definition that the model reads is the
// one that the next request holds.
func TestFoundDefinitions(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := chat.New(pool(), chat.Config{})
	m, err := w.Read(strings.NewReader(stream(calling(piece(0, "a", "ToolSearch", `{"query":"select:notes.add"}`)), because("tool_calls")))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	results := w.Results(m, e.Run(t.Context(), pool(), m.Calls...))
	require.Equal(t, []string{"ToolSearch", "notes.add"}, s.Loaded())
	require.Equal(t, []string{"ToolSearch", "notes.add"}, w.Loaded(append(m.History, results...)))

	var tools []json.RawMessage
	require.NoError(t, json.Unmarshal(chat.New(pool(), chat.Config{}).Tools(), &tools))
	require.Len(t, tools, 2)
	var answer struct{ Content string }
	require.NoError(t, json.Unmarshal(results[0], &answer))
	require.Equal(t, "<functions>\n"+string(tools[1])+"\n</functions>", answer.Content)
}

func TestChoiceDeferred(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, tool(t, "clock", "", anyObject), late(t, "alarm"), late(t, "weather"))
	s.SetLoaded("weather")
	w := chat.New(pool(), chat.Config{})
	function := func(name string) string { return `{"type":"function","function":{"name":` + quote(name) + `}}` }
	allowed := func(mode string, names ...string) string {
		return `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"` + mode + `","tools":[` + strings.Join(names, ",") + `]}}}`
	}
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{}`},
		{name: "one that waits", choice: wire.Choice{Mode: wire.One, Tool: "alarm"}, want: `{}`},
		{name: "one that waits, alone", choice: wire.Choice{Mode: wire.One, Tool: "alarm", Sequential: true}, want: `{"parallel_tool_calls":false}`},
		{name: "one that was loaded", choice: wire.Choice{Mode: wire.One, Tool: "weather"}, want: `{"tool_choice":` + function("weather") + `}`},
		{name: "some wait", choice: wire.Choice{Tools: []string{"alarm", "weather", "clock"}}, want: allowed("auto", function("weather"), function("clock"))},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm", "clock"}}, want: allowed("required", function("clock"))},
		{name: "all wait", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm"}}, want: `{"tool_choice":"none"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"alarm"}}, want: `{"tool_choice":"none"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			given := slices.Clone(tt.choice.Tools)
			require.Equal(t, tt.want, string(w.Choice(tt.choice)))
			require.Equal(t, given, tt.choice.Tools)
		})
	}
}

// TestInvariant7OfLoadedTools loads tools one by one while sources of tools that do
// not wait stay as they are: what was sent is the beginning of what is sent next.
func TestInvariant7OfLoadedTools(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(50)) {
		random := rand.New(rand.NewPCG(9, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, "edit", "", city), late(t, "old one")))
		var external []pegboard.Tool
		for i := range 8 {
			info := pegboard.Info{Name: fmt.Sprint("tool ", i), Loading: pegboard.Loading(random.IntN(3))}
			external = append(external, toolOf(t, info, "", city))
		}
		_, err := r.Attach("maps", external...)
		require.NoError(t, err)
		s := session(t)
		p := r.AssemblePool(s, pegboard.PoolConfig{})
		waiting := p.Deferred()
		random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		sent := string(chat.New(p, chat.Config{}).Tools())
		for i := range waiting {
			s.SetLoaded(waiting[:i+1]...)
			w := chat.New(r.AssemblePool(s, pegboard.PoolConfig{}), chat.Config{})
			require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(sent, "]")+","), "seed %d", seed)
			sent = string(w.Tools())
			require.Equal(t, w.Name(waiting[i]), definitions(t, w)[len(definitions(t, w))-1].Function.Name)
		}
		require.Len(t, definitions(t, chat.New(r.AssemblePool(s, pegboard.PoolConfig{}), chat.Config{})), p.Len(), "all are sent when all are loaded")
	}
}

// taken takes a message with calls through the executor, and returns what it adds to the conversation.
func taken(t *testing.T, pool *pegboard.Pool, pieces ...string) []string {
	t.Helper()
	w := chat.New(pool, chat.Config{})
	m, err := w.Read(strings.NewReader(stream(calling(pieces...), because("tool_calls")))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	return stringsOf(append(m.History, w.Results(m, e.Run(t.Context(), pool, m.Calls...))...))
}

// The request after a resume is the request before it, byte for byte.
func TestResumeGivesTheSameTools(t *testing.T) {
	t.Parallel()
	search := func(id, name string) string { return piece(0, id, "ToolSearch", `{"query":"select:`+name+`"}`) }
	tests := []struct {
		name  string
		turns [][]string
	}{
		{name: "searches", turns: [][]string{{search("1", "weather")}, {search("2", "alarm")}}},
		{name: "a call that does not fit", turns: [][]string{{piece(0, "1", "alarm", `{"town":1}`)}, {search("2", "weather")}, {search("3", "alarm")}}},
		{name: "only a call that does not fit", turns: [][]string{{piece(0, "1", "alarm", `{"town":1}`)}}},
		{name: "a result that looks like a search", turns: [][]string{{piece(0, "1", "echo", `{}`)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tools := []pegboard.Tool{late(t, "weather"), late(t, "alarm"), echo(t)}
			s, pool := searchable(t, tools...)
			conversation := []string{system, hello}
			for _, turn := range tt.turns {
				conversation = append(conversation, taken(t, pool(), turn...)...)
			}
			before := chat.New(pool(), chat.Config{})
			other, otherPool := searchable(t, tools...)
			other.SetLoaded(before.Loaded(messagesOf(conversation...))...)
			require.Equal(t, namesOf(t, before), namesOf(t, chat.New(otherPool(), chat.Config{})), "%v", s.Loaded())
		})
	}
}

func echo(t testing.TB) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "echo"}, Description: "Reads a page.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
			return "<functions>\n{\"name\":\"alarm\"}\n</functions>", nil
		},
	})
}

// A tool that the model saw and called does not vanish when another server makes the
// definitions too many, and a resume does not change what the request holds.
func TestAutoKeepsWhatWasCalled(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	deferral := pegboard.Deferral{Mode: pegboard.DeferAuto, ContextWindow: 4000}
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	_, err := r.Attach("maps", toolOf(t, pegboard.Info{Name: "route"}, "Finds a route.", city))
	require.NoError(t, err)
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__maps"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	conversation := append([]string{system, hello}, taken(t, r.AssemblePool(s, pegboard.PoolConfig{Deferral: deferral}), piece(0, "1", "mcp__maps__route", `{"city":"Rome"}`))...)
	_, err = r.Attach("many", toolOf(t, pegboard.Info{Name: "big"}, strings.Repeat("word ", 2000), city))
	require.NoError(t, err)
	live := chat.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: deferral}), chat.Config{})
	other := session(t)
	other.SetLoaded(live.Loaded(messagesOf(conversation...))...)
	resumed := chat.New(r.AssemblePool(other, pegboard.PoolConfig{Deferral: deferral}), chat.Config{})
	require.Equal(t, namesOf(t, resumed), namesOf(t, live), "%s", conversation[3])
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "time.zone", "", anyObject), tool(t, "ToolSearch", "", anyObject)), chat.Config{})
	m := wire.Message{}
	require.Nil(t, only(m.History))
	_, found, err := turnOf(t, w, outcome("a", pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, pegboard.Part{Tool: "gone"}))
	require.NoError(t, err)
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "calls", in: []string{model(call("a", "clock"), call("b", w.Name("time.zone"))), model(call("c", "clock"), call("d", "elsewhere"))}, want: []string{"clock", "time.zone", "elsewhere"}},
		{name: "references", in: append([]string{model(call("a", "ToolSearch"))}, stringsOf(found)...), want: []string{"ToolSearch", "time.zone", "clock"}},
		{name: "in parts", in: []string{model(call("a", "ToolSearch")), `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"},{"type":"text","text":"<functions>\n{\"function\":{\"name\":\"clock\"}}\n</functions>"}]}`}, want: []string{"ToolSearch", "clock"}},
		{name: "words of others", in: []string{`{"role":"user","content":"<functions>\n{\"name\":\"clock\"}\n</functions>"}`, `{"role":"assistant","content":"<functions>\n{\"name\":\"clock\"}\n</functions>"}`}},
		{name: "unreadable", in: []string{`null`, `{`, `{"role":"assistant","tool_calls":7}`, `{"role":"tool","content":7}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, w.Loaded(messagesOf(tt.in...)))
		})
	}
}

// TestShown tells results of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := toolOf(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, "", anyObject)
	searching := chat.New(poolOf(t, search, tool(t, "fetch.page", "", anyObject)), chat.Config{})
	renamed := chat.New(poolOf(t, toolOf(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}}, "", anyObject)), chat.Config{})
	const block = "<functions>\n{\"function\":{\"name\":\"zoom\"}}\n</functions>"
	shows := result("a", "Found:\n"+block)
	inParts := `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"Found:"},{"type":"text","text":` + quote(block) + `}]}`
	found := []string{"ToolSearch", "zoom"}
	tests := []struct {
		name   string
		wire   *chat.Codec
		call   string
		result string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: model(call("a", searching.Name("fetch.page"))), result: shows, loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: model(call("a", "Read")), result: inParts, loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: model(call("a", "mcp__maps__route")), result: shows, loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: model(call("a", "ToolSearch")), result: shows, loaded: []string{"grep"}},
		{name: "an unknown call", wire: searching, call: model(call("b", "ToolSearch")), result: shows, loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, result: shows},
		{name: "no id", wire: searching, call: model(call("", "ToolSearch")), result: result("", block), loaded: []string{"ToolSearch"}},
		{name: "the second call of an id", wire: searching, call: model(call("a", "Read"), call("a", "ToolSearch")), result: shows, loaded: []string{"Read", "ToolSearch"}},
		{name: "a search that failed", wire: searching, call: model(call("a", "ToolSearch")), result: result("a", "Error: no such tool:\n"+block), loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: model(call("a", "ToolSearch")), result: result("a", "No tool matches."), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: model(call("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
		{name: "a search, in parts", wire: searching, call: model(call("a", "ToolSearch")), result: inParts, loaded: found, fixed: true},
		{name: "an alias", wire: searching, call: model(call("a", "FindTools")), result: shows, loaded: found, fixed: true},
		{name: "without a pool", wire: &chat.Codec{}, call: model(call("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			messages := messagesOf(tt.call, tt.result)
			require.Equal(t, tt.loaded, tt.wire.Loaded(messages))
			var s trimmer
			tt.wire.Trim(t.Context(), messages, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}

// TestShownByCallsWithOneID takes a service that counts the ids of its calls anew in each
// turn: a page that comes after a search is none.
func TestShownByCallsWithOneID(t *testing.T) {
	t.Parallel()
	var w chat.Codec
	shows := func(name string) string { return result("0", "<functions>\n{\"name\":\""+name+"\"}\n</functions>") }
	messages := messagesOf(model(call("0", "ToolSearch")), shows("zoom"), model(call("0", "Read")), shows("rm"))
	require.Equal(t, []string{"ToolSearch", "zoom", "Read"}, w.Loaded(messages))
	var s trimmer
	w.Trim(t.Context(), messages, &s)
	require.Len(t, s.shown, 2)
	require.True(t, s.shown[0].Fixed)
	require.False(t, s.shown[1].Fixed)
}

// The parts of a conversation, in bytes that no encoder would choose.
const (
	hello    = `{"role":"user","content":"Hello <you>"}`
	system   = ` {"content":"Be kind.", "role":"system"}`
	says     = `{ "content":"\u003cok\u003e", "role":"assistant" }`
	resultA  = `{"tool_call_id":"a", "role":"tool","content":"\u0031 <2>"}`
	resultB  = `{"role":"tool","content":[{"type":"text","text":"b"}],"tool_call_id":"b","name":"clock"}`
	oldCall  = `{"role":"assistant","content":null,"function_call":{"name":"clock","arguments":"{}"}}`
	oldReply = `{"role":"function","name":"clock","content":"12"}`
)

// model is a message of the model that calls.
func model(calls ...string) string { return modelSaying(`null`, calls...) }

func modelSaying(content string, calls ...string) string {
	return `{"role":"assistant","content":` + content + `,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func call(id, name string) string {
	return `{"type":"function", "id":` + quote(id) + `,"function":{"name":` + quote(name) + `,"arguments":"{ }"}}`
}

func unanswered(id, name string) string {
	return `{"role":"tool","tool_call_id":` + id + `,"content":"There is no result of ` + name +
		`: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, ` +
		`and repeat it only if it is still wanted."}`
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	a, b := call("a", "clock"), call("b", "map")
	tests := []struct {
		name    string
		in      []string
		want    []string // nil: the same
		repairs []wire.Repair
	}{
		{name: "nothing"},
		{name: "in order", in: []string{system, hello, ` { "content" : null, "tool_calls":[` + a + ` , ` + b + `], "role": "assistant"} `, resultA, resultB, says, hello, hello}},
		{name: "nothing to do with calls", in: []string{hello, hello, says, says, oldCall, oldReply, `{"role":"developer","content":"x"}`, `{"role":"assistant","content":null,"tool_calls":[]}`, `{"role":"assistant","tool_calls":null}`}},
		{name: "an id in every turn", in: []string{hello, model(a), resultA, model(a), resultA, hello, model(a), resultA}},

		{name: "text follows", in: []string{model(a, b), hello}, want: []string{model(a, b), unanswered(`"a"`, "clock"), unanswered(`"b"`, "map"), hello},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}, {Kind: wire.MissingResult, CallID: "b"}}},
		{name: "at the end", in: []string{hello, model(a)}, want: []string{hello, model(a), unanswered(`"a"`, "clock")}, repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Message: 1}}},
		{name: "an id in every turn, the last cut", in: []string{model(a), resultA, model(a)}, want: []string{model(a), resultA, model(a), unanswered(`"a"`, "clock")},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Message: 2}}},
		{name: "id in another spelling", in: []string{model(`{"id":"\u0061<","function":{"name":"\u0063lock<"}}`)}, want: []string{model(`{"id":"\u0061<","function":{"name":"\u0063lock<"}}`), unanswered(`"\u0061<"`, "clock<")},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a<"}}},
		{name: "a call that is no function", in: []string{model(`{"id":"a","type":"custom","custom":{"name":"x","input":""}}`)}, want: []string{model(`{"id":"a","type":"custom","custom":{"name":"x","input":""}}`), unanswered(`"a"`, "this call")},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},
		{name: "one of two", in: []string{model(a, b), resultB, says}, want: []string{model(a, b), unanswered(`"a"`, "clock"), resultB, says}, repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},

		{name: "in the order of their ends", in: []string{model(a, b), resultB, resultA, hello}, want: []string{model(a, b), resultA, resultB, hello},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 2}, {Kind: wire.MisplacedResult, CallID: "b", Message: 1}}},
		{name: "after other messages", in: []string{model(a, b), resultA, hello, system, resultB, says}, want: []string{model(a, b), resultA, resultB, hello, system, says},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "b", Message: 4}}},
		{name: "no call", in: []string{hello, resultA, says, resultB, hello, `{"role":"tool","content":"x"}`}, want: []string{hello, says, hello},
			repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Message: 1}, {Kind: wire.StrayResult, CallID: "b", Message: 3}, {Kind: wire.StrayResult, Message: 5}}},
		{name: "two results", in: []string{model(a), resultA, result("a", "2"), hello, result("a", "3")}, want: []string{model(a), resultA, hello},
			repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 2}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{name: "another result later", in: []string{model(a), resultA, says, result("a", "2"), result("a", "3")}, want: []string{model(a), resultA, says},
			repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 3}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{name: "two calls", in: []string{model(a), model(a), resultA, hello}, want: []string{model(a), resultA, hello},
			repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 1}, {Kind: wire.EmptyMessage, Message: 1}}},
		{name: "another call with the id of one that was interrupted", in: []string{model(a), hello, model(call("a", "map")), resultA},
			want:    []string{model(a), unanswered(`"a"`, "clock"), hello, model(call("a", "map")), resultA},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},
		{name: "another call with the id, and nobody spoke between", in: []string{model(a), model(call("a", "map")), resultA}, want: []string{model(a), resultA},
			repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 1}, {Kind: wire.EmptyMessage, Message: 1}}},
		{name: "another call with the id of one that is answered too late", in: []string{model(a, b), resultB, model(call("a", "map")), result("a", "1"), result("a", "2")},
			want:    []string{model(a, b), unanswered(`"a"`, "clock"), resultB, model(call("a", "map")), result("a", "1")},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{name: "two calls, with words", in: []string{model(a), resultB, modelSaying(`"Again"`, a, b), resultA}, want: []string{model(a), resultA, modelSaying(`"Again"`, b), resultB},
			repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 2}, {Kind: wire.MisplacedResult, CallID: "b", Message: 1}, {Kind: wire.MisplacedResult, CallID: "a", Message: 3}}},
		{name: "no call is left", in: []string{`{"role":"assistant","tool_calls":[{"type":"function"}],"content":"So."}`, `{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":7}]}`}, want: []string{`{"role":"assistant","content":"So."}`},
			repairs: []wire.Repair{{Kind: wire.StrayCall}, {Kind: wire.StrayCall, Message: 1}, {Kind: wire.EmptyMessage, Message: 1}}},
		{name: "a message for each call", in: []string{`{"role":"assistant","content":"One","reasoning_content":"r","tool_calls":[` + a + `]}`, `{"role":"assistant","content":"two","reasoning_content":"s","name":"x","tool_calls":[` + b + `]}`, resultA, resultB},
			want:    []string{`{"role":"assistant","content":"One\ntwo","reasoning_content":"r\ns","tool_calls":[` + a + `,` + b + `],"name":"x"}`, resultA, resultB},
			repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}}},
		{name: "a message for each call, with parts", in: []string{model(a), modelSaying(`[{"type":"text","text":"x"}]`, b), `{"role":"assistant","content":"So."}`, resultA, resultB},
			want:    []string{modelSaying(`[{"type":"text","text":"x"},{"type":"text","text":"So."}]`, a, b), resultA, resultB},
			repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}, {Kind: wire.SplitMessage, Message: 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.repairs == nil {
				tt.want = tt.in
			}
			in := messagesOf(tt.in...)
			got, repairs := new(chat.Codec).Normalize(in)
			require.Equal(t, tt.want, stringsOf(got))
			require.ElementsMatch(t, tt.repairs, repairs)
			require.True(t, slices.IsSortedFunc(repairs, func(a, b wire.Repair) int { return a.Message - b.Message }))
			require.Equal(t, tt.in, stringsOf(in), "the history was changed")
			requireNormal(t, in)
		})
	}
}

// TestNormalizeLeavesWhatItCannotRead reports such messages, and repairs the others.
func TestNormalizeLeavesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{
		``, `null`, `[]`, `"user"`, `{`, hello + hello, `{}`, `{"content":"x"}`, `{"role":7,"content":"x"}`, `{"role":"model","content":"x"}`, `{"ROLE":"user","content":"x"}`,
		`{"role":"user","role":"assistant","content":"x"}`, `{"role":"assistant","tool_calls":{}}`, `{"role":"assistant","tool_calls":[7]}`, model(call("a", "x"), `{"id":"a","id":"b"}`),
	} {
		in := messagesOf(hello, odd, model(call("a", "clock")), odd)
		got, repairs := new(chat.Codec).Normalize(in)
		require.Equal(t, []string{hello, odd, model(call("a", "clock")), unanswered(`"a"`, "clock"), odd}, stringsOf(got))
		require.Equal(t, []wire.Repair{{Kind: wire.UnreadableMessage, Message: 1}, {Kind: wire.MissingResult, CallID: "a", Message: 2}, {Kind: wire.UnreadableMessage, Message: 3}}, repairs)
		require.Equal(t, "unreadable message", repairs[0].Kind.String())
	}
}

// FuzzNormalize takes a message from each line.
func FuzzNormalize(f *testing.F) {
	a, b := call("a", "clock"), call("b", "map")
	f.Add(strings.Join([]string{hello, model(a, b), resultB, hello, resultA, model(a), resultA, says}, "\n"))
	f.Add(strings.Join([]string{model(a), modelSaying(`"x"`, b, a), resultA, resultB, system, oldCall, oldReply, "null"}, "\n"))
	f.Add(strings.Join([]string{resultA, model(a), model(a), resultA, resultA, hello}, "\n"))
	f.Fuzz(func(t *testing.T, s string) { requireNormal(t, messagesOf(strings.Split(s, "\n")...)) })
}

// requireNormal checks all that Normalize promises of any history.
func requireNormal(t *testing.T, in []json.RawMessage) {
	t.Helper()
	out, repairs := new(chat.Codec).Normalize(in)
	if !slices.ContainsFunc(repairs, func(r wire.Repair) bool { return r.Kind == wire.UnreadableMessage }) {
		require.Empty(t, faults(t, out), "%s\nbecame\n%s", in, out)
		require.Equal(t, len(faults(t, in)) == 0, len(repairs) == 0, "%s: %v", in, repairs)
		requireMessagesOf(t, in, out)
	}
	if len(repairs) == 0 {
		require.Equal(t, stringsOf(in), stringsOf(out))
	}
	for _, r := range repairs {
		require.True(t, r.Message >= 0 && r.Message < len(in))
		if r.Kind == wire.StrayResult || r.Kind == wire.DuplicateResult || r.Kind == wire.MisplacedResult {
			m := parsePast(in[r.Message])
			require.Equal(t, "tool", m.role)
			require.Equal(t, r.CallID, m.callID)
		}
	}
	again, more := new(chat.Codec).Normalize(out)
	require.Equal(t, stringsOf(out), stringsOf(again), "%s\nwas not normal", out)
	for _, r := range more {
		require.Equal(t, wire.UnreadableMessage, r.Kind)
	}
	repeated, same := new(chat.Codec).Normalize(in)
	require.Equal(t, out, repeated)
	require.Equal(t, repairs, same)
}

// requireMessagesOf checks that the messages of out are those of in, byte for byte,
// apart from results that were missing and messages of the model that had other
// calls; the calls in these are those of in.
func requireMessagesOf(t *testing.T, in, out []json.RawMessage) {
	t.Helper()
	before := map[string]bool{}
	for _, m := range in {
		before[string(m)] = true
		for _, c := range callsOf(m) {
			before[string(c)] = true
		}
	}
	for _, m := range out {
		if p := parsePast(m); !before[string(m)] {
			require.True(t, p.role == "assistant" || p.role == "tool" && strings.Contains(string(m), "There is no result of"), "%s", m)
		}
		for _, c := range callsOf(m) {
			require.True(t, before[string(c)], "%s", c)
		}
	}
}

func callsOf(message json.RawMessage) []json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(message, &m) // what is no message has none
	var calls []json.RawMessage
	_ = json.Unmarshal(m["tool_calls"], &calls)
	return calls
}

// TestRecordingsNormalize leaves every recorded request as it is, and repairs it
// when it is cut off after any message, misses any, or ends with the recorded
// response.
func TestRecordingsNormalize(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		requests, messages, results := 0, 0, 0
		for _, r := range recordings(t, folder) {
			var request struct{ Messages []json.RawMessage }
			require.NoError(t, json.Unmarshal(r.Request, &request))
			sent := request.Messages
			got, repairs := new(chat.Codec).Normalize(sent)
			require.Equal(t, stringsOf(sent), stringsOf(got), r.File)
			require.Empty(t, repairs, r.File)
			for i := range sent {
				requireNormal(t, sent[:i])
				requireNormal(t, slices.Delete(slices.Clone(sent), i, i+1))
				results += strings.Count(string(sent[i]), `"role":"tool"`)
			}
			_, m, err := read(strings.NewReader(r.Body))
			require.NoError(t, err, r.File)
			requireNormal(t, append(slices.Clone(sent), only(m.History)))
			requests++
			messages += len(sent)
		}
		corpus.Report(t, folder, "%d requests of %d messages with %d results unchanged", requests, messages, results)
	}
}

// A process died between a call and its result. The conversation goes on.
func ExampleCodec_Normalize() {
	messages, repairs := new(chat.Codec).Normalize([]json.RawMessage{
		json.RawMessage(`{"role":"user","content":"Clean up."}`),
		json.RawMessage(`{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"rm","arguments":"{\"path\":\"old\"}"}}]}`),
		json.RawMessage(`{"role":"user","content":"Are you done?"}`),
	})
	for _, r := range repairs {
		fmt.Println(r.Kind, r.CallID, "in message", r.Message)
	}
	fmt.Println(string(messages[2]))

	// Output:
	// missing result call_1 in message 1
	// {"role":"tool","tool_call_id":"call_1","content":"There is no result of rm: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, and repeat it only if it is still wanted."}
}

// TestInvariant2OfNormalize takes conversations apart at random. In half of them
// the ids of the calls are the same in each turn.
func TestInvariant2OfNormalize(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(22, seed))
		turns := randomTurns(random, seed%2 == 0)
		sound := messagesOf(render(turns)...)
		got, repairs := new(chat.Codec).Normalize(sound)
		require.Empty(t, repairs, "seed %d", seed)
		require.Equal(t, stringsOf(sound), stringsOf(got), "seed %d", seed)
		for range 1 + random.IntN(5) {
			turns = disturb(random, turns)
		}
		requireNormal(t, messagesOf(render(turns)...))
	}
}

// turn is a message of a random conversation: whole, or of the model, with calls.
type turn struct {
	whole string
	said  string
	calls []string
}

func render(turns []turn) (all []string) {
	for _, m := range turns {
		switch {
		case m.whole != "":
			all = append(all, m.whole)
		case len(m.calls) == 0:
			all = append(all, `{`+m.said+`"role": "assistant"}`)
		default:
			all = append(all, `{`+m.said+`"tool_calls": [`+strings.Join(m.calls, ", ")+`], "role": "assistant"}`)
		}
	}
	return all
}

// randomTurns returns a conversation in which nothing is wrong.
func randomTurns(random *rand.Rand, again bool) []turn {
	turns := []turn{{whole: system}, {whole: hello}}
	for i := range random.IntN(8) {
		if again {
			i = 0
		}
		said := []string{``, `"content": null, `, `"content":"\u003cok>", `, `"reasoning_content":"hm", `, `"content":[{"type":"text","text":"x"}],"reasoning":"y", `}[random.IntN(5)]
		m := turn{said: said}
		var results []turn
		for j := range random.IntN(4) {
			id := fmt.Sprintf("call_%d_%d", i, j)
			m.calls = append(m.calls, call(id, "clock"))
			results = append(results, turn{whole: fmt.Sprintf(`{"tool_call_id":%q,"role":"tool" ,"content":"<%d>"}`, id, random.IntN(100))})
		}
		turns = append(append(turns, m), results...)
		turns = append(turns, []turn{{whole: hello}, {whole: system}, {whole: says}}[random.IntN(4)%3:][:random.IntN(2)]...)
	}
	return turns
}

// disturb drops, repeats, moves or splits messages and calls.
func disturb(random *rand.Rand, turns []turn) []turn {
	if len(turns) == 0 {
		return nil
	}
	i, j := random.IntN(len(turns)), random.IntN(len(turns))
	m := &turns[i]
	at := random.IntN(len(m.calls) + 1)
	switch random.IntN(7) {
	case 0:
		return slices.Delete(turns, i, i+1)
	case 1:
		return slices.Insert(turns, j, turn{whole: m.whole, said: m.said, calls: slices.Clone(m.calls)})
	case 2:
		turns[i], turns[j] = turns[j], turns[i]
	case 3:
		return turns[:i]
	case 4:
		if m.whole == "" {
			rest := turn{said: []string{``, `"content":"more", `}[random.IntN(2)], calls: slices.Clone(m.calls[at:])}
			m.calls = m.calls[:at]
			return slices.Insert(turns, i+1, rest)
		}
	case 5:
		random.Shuffle(len(m.calls), func(a, b int) { m.calls[a], m.calls[b] = m.calls[b], m.calls[a] })
	default:
		if at < len(m.calls) && turns[j].whole == "" {
			c := m.calls[at]
			m.calls = slices.Delete(m.calls, at, at+1)
			turns[j].calls = append(turns[j].calls, []string{c, c}[random.IntN(3):]...)
		}
	}
	return turns
}

func TestRecall(t *testing.T) {
	t.Parallel()
	old := toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}, Loading: pegboard.LoadOnSearch}, "", anyObject)
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"), old, tool(t, "clock", "", anyObject))
	w := chat.New(pool(), chat.Config{})
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "one", in: []string{"weather"}, want: []string{"weather"}},
		{name: "in the order given, each once", in: []string{"weather", "notes.add", "weather"}, want: []string{"weather", "notes.add"}},
		{name: "by a former name", in: []string{"Task", "Agent"}, want: []string{"Agent"}},
		{name: "nothing to load", in: []string{"clock", "ToolSearch", "gone", ""}},
		{name: "some of them", in: []string{"ToolSearch", "gone", "notes.add", "clock"}, want: []string{"notes.add"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := w.Recall(tt.in)
			if tt.want == nil {
				require.Nil(t, got)
				return
			}
			require.Equal(t, append([]string{"ToolSearch"}, tt.want...), w.Loaded(got))
			require.Equal(t, stringsOf(got), stringsOf(chat.New(pool(), chat.Config{}).Recall(tt.want)), "other bytes")
			require.Empty(t, faults(t, got))
			requireNormal(t, append(append(messagesOf(system, hello), got...), messagesOf(hello)...))
			_, repairs := new(chat.Codec).Normalize(got)
			require.Empty(t, repairs)
		})
	}
	require.NotEqual(t, parsePast(w.Recall([]string{"weather"})[1]).callID, parsePast(w.Recall([]string{"notes.add"})[1]).callID)
	var zero chat.Codec
	require.Nil(t, zero.Recall([]string{"weather"}))
	require.Nil(t, chat.New(poolOf(t, late(t, "weather")), chat.Config{}).Recall([]string{"weather"}), "nobody can search")
}

// TestRecallIsWhatAModelWouldHaveDone compares it with a reply that calls ToolSearch.
func TestRecallIsWhatAModelWouldHaveDone(t *testing.T) {
	t.Parallel()
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := chat.New(pool(), chat.Config{})
	got := w.Recall([]string{"weather", "notes.add"})
	id := parsePast(got[0]).calls[0].id
	require.Regexp(t, `^call_[0-9a-f]{24}$`, id)
	m, err := w.Read(strings.NewReader(stream(calling(piece(0, id, "ToolSearch", `{"query":"select:weather,notes.add"}`)), because("tool_calls")))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	want := append(m.History, w.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	require.Equal(t, stringsOf(want), stringsOf(got))
}

// TestRecallSurvivesCompaction takes a conversation through a search, a compaction and
// a new process: the request that follows offers the same tools in the same bytes.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{tool(t, "clock", "", anyObject), late(t, "weather"), late(t, "alarm"), late(t, "notes.add")}
	s, pool := searchable(t, tools...)
	conversation := messagesOf(system, hello)
	for _, query := range []string{`{"query":"select:weather"}`, `{"query":"select:notes.add,alarm"}`} {
		w := chat.New(pool(), chat.Config{})
		m, err := w.Read(strings.NewReader(stream(calling(piece(0, "call"+query, "ToolSearch", query)), because("tool_calls")))).Message()
		require.NoError(t, err)
		var e pegboard.Executor
		conversation = append(append(conversation, m.History...), w.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	}
	before := chat.New(pool(), chat.Config{})
	require.Len(t, definitions(t, before), 5)

	compacted := append(messagesOf(system, user(`"We talked of the weather."`)), before.Recall(before.Loaded(conversation))...)
	compacted = append(compacted, messagesOf(hello)...)
	sent, repairs := before.Normalize(compacted)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(compacted), stringsOf(sent))

	other, otherPool := searchable(t, tools...)
	other.SetLoaded(chat.New(otherPool(), chat.Config{}).Loaded(compacted)...)
	after := chat.New(otherPool(), chat.Config{})
	require.Equal(t, string(before.Tools()), string(after.Tools()))
	require.Equal(t, s.Loaded(), after.Loaded(compacted))
	require.Equal(t, stringsOf(before.Recall(before.Loaded(conversation))), stringsOf(after.Recall(after.Loaded(compacted))), "a second compaction")
}
