package gemini_test

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
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent before.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, tool(b, fmt.Sprintf("tool%04d", i), "Does something.", onePath))
			}
			p := poolOf(b, tools...)
			gemini.New(p, gemini.Config{})
			b.ReportAllocs()
			for b.Loop() {
				gemini.New(p, gemini.Config{})
			}
		})
	}
}

// BenchmarkRead reads the same reply as a stream of events and as an array.
func BenchmarkRead(b *testing.B) {
	responses := []string{says(`{"text":"I look ","thought":true}`)}
	for range 20 {
		responses = append(responses, says(`{"text":"at both of them, one by one. "}`))
	}
	responses = append(responses, says(calls("weather", `{"city": "Zürich"}`)), ends("STOP", calls("clock", "{}")))
	for name, body := range map[string]string{"events": stream(responses...), "array": array(responses...)} {
		b.Run(name, func(b *testing.B) {
			var w gemini.Codec
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// toolOf returns a tool that takes a path and does nothing.
func toolOf(t testing.TB, info pegboard.Info) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(onePath), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        info,
		Description: "Comes later.",
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

// late returns a tool whose definition waits for a search.
func late(t testing.TB, name string) pegboard.Tool {
	t.Helper()
	return toolOf(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch})
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

func namesOf(t testing.TB, w *gemini.Codec) (names []string) {
	t.Helper()
	for _, d := range declarations(t, w) {
		names = append(names, d.Name)
	}
	return names
}

func apiNames(w *gemini.Codec, tools ...string) (names []string) {
	for _, tool := range tools {
		names = append(names, w.Name(tool))
	}
	return names
}

const toolsEnd = "]}]" // of Wire.Tools

// TestToolsDeferred leaves out what waits, and sends what was loaded after all others.
func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{late(t, "alarm"), tool(t, "clock", "", anyObject), late(t, "notes.add"), late(t, "weather")}
	s, pool := searchable(t, tools...)
	before := string(gemini.New(pool(), gemini.Config{}).Tools())
	require.Equal(t, []string{"ToolSearch", "clock"}, namesOf(t, gemini.New(pool(), gemini.Config{})))
	for _, loaded := range [][]string{{"weather"}, {"weather", "alarm"}, {"weather", "alarm", "notes.add"}} {
		s.SetLoaded(loaded...)
		w := gemini.New(pool(), gemini.Config{})
		require.Empty(t, w.Omitted())
		require.Equal(t, append([]string{"ToolSearch", "clock"}, apiNames(w, loaded...)...), namesOf(t, w))
		require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(before, toolsEnd)+","), "%s\n%s", before, w.Tools())
		before = string(w.Tools())
	}

	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	hosted := gemini.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), gemini.Config{})
	require.Equal(t, apiNames(hosted, "alarm", "clock", "notes.add", "weather"), namesOf(t, hosted), "nobody could find them")
	both := gemini.New(pool(pegboard.Deferral{ProviderSearch: true}), gemini.Config{})
	require.Equal(t, apiNames(both, "ToolSearch", "clock", "weather", "alarm", "notes.add"), namesOf(t, both))
}

// TestToolsDeferredAndRefused loads a tool that the API takes in no form.
func TestToolsDeferredAndRefused(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	_, err := r.Attach("maps", tool(t, "bad", "", `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`))
	require.NoError(t, err)
	s := session(t)
	w := gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})
	require.Empty(t, w.Omitted(), "it waits, and that is no problem")
	require.Nil(t, w.Recall([]string{"mcp__maps__bad"}))
	s.SetLoaded("mcp__maps__bad")
	w = gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})
	require.Equal(t, []string{"ToolSearch"}, namesOf(t, w))
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "mcp__maps__bad", w.Omitted()[0].Tool)
}

// TestToolsNotSearched is about a tool that only has an old name of the one that
// searches.
func TestToolsNotSearched(t *testing.T) {
	t.Parallel()
	p := poolOf(t, toolOf(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}), late(t, "weather"))
	require.Equal(t, []string{"find", "weather"}, namesOf(t, gemini.New(p, gemini.Config{})))
	require.Nil(t, gemini.New(p, gemini.Config{}).Recall([]string{"weather"}))
}

// TestFoundDefinitions answers a search: the definition that the model reads is the
// one that the next request holds.
func TestFoundDefinitions(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := gemini.New(pool(), gemini.Config{})
	m, err := w.Read(strings.NewReader(ends("STOP", calls("ToolSearch", `{"query":"select:notes.add"}`)))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	results := w.Results(m, e.Run(t.Context(), pool(), m.Calls...))
	require.Equal(t, []string{"ToolSearch", "notes.add"}, s.Loaded())
	require.Equal(t, []string{"ToolSearch", "notes.add"}, w.Loaded(append(m.History, results...)))

	var tools []struct{ FunctionDeclarations []json.RawMessage }
	require.NoError(t, json.Unmarshal(gemini.New(pool(), gemini.Config{}).Tools(), &tools))
	require.Len(t, tools[0].FunctionDeclarations, 2)
	want := "<functions>\n" + string(tools[0].FunctionDeclarations[1]) + "\n</functions>"
	require.Equal(t, user(result("", "ToolSearch", "output", want)), string(only(results)))
}

func TestChoiceDeferred(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, tool(t, "clock", "", anyObject), late(t, "alarm"), late(t, "weather"))
	s.SetLoaded("weather")
	w := gemini.New(pool(), gemini.Config{})
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "one that waits", choice: wire.Choice{Mode: wire.One, Tool: "alarm"}, want: `{"mode":"AUTO"}`},
		{name: "one that was loaded", choice: wire.Choice{Mode: wire.One, Tool: "weather"}, want: `{"mode":"ANY","allowedFunctionNames":["weather"]}`},
		{name: "some wait", choice: wire.Choice{Tools: []string{"alarm", "weather", "clock"}}, want: `{"mode":"VALIDATED","allowedFunctionNames":["weather","clock"]}`},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm", "clock"}}, want: `{"mode":"ANY","allowedFunctionNames":["clock"]}`},
		{name: "all wait", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm"}}, want: `{"mode":"NONE"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"alarm"}}, want: `{"mode":"NONE"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"toolConfig":{"functionCallingConfig":`+tt.want+`}}`, string(w.Choice(tt.choice)))
		})
	}
}

// TestInvariant7OfLoadedTools loads tools one by one: what was sent is the beginning of
// what is sent next.
func TestInvariant7OfLoadedTools(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(50)) {
		random := rand.New(rand.NewPCG(9, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, "edit", "", onePath), late(t, "old one")))
		var external []pegboard.Tool
		for i := range 8 {
			external = append(external, toolOf(t, pegboard.Info{Name: fmt.Sprint("tool ", i), Loading: pegboard.Loading(random.IntN(3))}))
		}
		_, err := r.Attach("maps", external...)
		require.NoError(t, err)
		s := session(t)
		p := r.AssemblePool(s, pegboard.PoolConfig{})
		waiting := p.Deferred()
		random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		sent := string(gemini.New(p, gemini.Config{}).Tools())
		for i := range waiting {
			s.SetLoaded(waiting[:i+1]...)
			w := gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})
			require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(sent, toolsEnd)+","), "seed %d", seed)
			sent = string(w.Tools())
			require.Equal(t, w.Name(waiting[i]), declarations(t, w)[len(declarations(t, w))-1].Name)
		}
		require.Len(t, declarations(t, gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})), p.Len(), "all are sent when all are loaded")
	}
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

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t, tool(t, "ToolSearch", "", anyObject), tool(t, "notes.add", "Adds.", onePath), tool(t, "maps", "", anyObject)), gemini.Config{})
	m, err := w.Read(strings.NewReader(ends("STOP", calls("ToolSearch", "{}")))).Message()
	require.NoError(t, err)
	answer := only(w.Results(m, []pegboard.Outcome{outcome("r-1", text("Two:"), pegboard.Part{Tool: "notes.add"}, pegboard.Part{Tool: "maps"}, pegboard.Part{Tool: "gone"}, text("So."))}))
	want := fmt.Sprintf("Two:\n<functions>\n%s\n{\"name\":\"maps\"}\n</functions>\n(Not available any more: gone. Search again.)\nSo.",
		`{"name":"`+w.Name("notes.add")+`","description":"Adds.","parameters":`+string(declarations(t, w)[2].Parameters)+`}`)
	require.Equal(t, `{"role":"user","parts":[`+result("", "ToolSearch", "output", want)+`]}`, string(answer))

	conversation := messagesOf([]string{hello, "null", string(only(m.History)), string(answer), model(maps),
		user(`{"text":"<functions>\n{\"name\":\"said\"}\n</functions>"}`), model(`{"functionResponse":{"name":"x","response":{"output":"<functions>\n{\"name\":\"y\"}\n</functions>"}}}`)})
	require.Equal(t, []string{"ToolSearch", "notes.add", "maps", "map"}, w.Loaded(conversation))
	require.Equal(t, []string{"ToolSearch"}, w.Loaded(conversation[:3]))
}

// TestShown tells results of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := toolOf(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}})
	searching := gemini.New(poolOf(t, search, tool(t, "fetch.page", "", anyObject)), gemini.Config{})
	renamed := gemini.New(poolOf(t, toolOf(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}})), gemini.Config{})
	const block = "Found:\n<functions>\n{\"name\":\"zoom\"}\n</functions>"
	shows := func(name string) string { return result("", name, "output", block) }
	page, found := searching.Name("fetch.page"), []string{"ToolSearch", "zoom"}
	tests := []struct {
		name   string
		wire   *gemini.Codec
		call   string
		result string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: model(calls(page, "{}")), result: shows(page), loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: model(callsWithID("1", "Read", "{}")), result: result("1", "Read", "output", block), loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: model(calls("mcp__maps__route", "{}")), result: shows("mcp__maps__route"), loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: model(calls("ToolSearch", "{}")), result: shows("ToolSearch"), loaded: []string{"grep"}},
		{name: "beside a search", wire: searching, call: model(calls("ToolSearch", "{}"), calls("Read", "{}")), result: shows("Read"), loaded: []string{"ToolSearch", "Read"}},
		{name: "an unknown call", wire: searching, call: model(callsWithID("1", "ToolSearch", "{}")), result: result("2", "ToolSearch", "output", block), loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, result: shows("ToolSearch")},
		{name: "a call of the user", wire: searching, call: user(calls("ToolSearch", "{}")), result: shows("ToolSearch")},
		{name: "the second call of an id", wire: searching, call: model(callsWithID("1", "Read", "{}"), callsWithID("1", "ToolSearch", "{}")), result: result("1", "Read", "output", block), loaded: []string{"Read", "ToolSearch"}},
		{name: "a search that failed", wire: searching, call: model(calls("ToolSearch", "{}")), result: result("", "ToolSearch", "error", block), loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: model(calls("ToolSearch", "{}")), result: result("", "ToolSearch", "output", "No tool matches."), loaded: []string{"ToolSearch"}},
		{name: "a response of another form", wire: searching, call: model(calls("ToolSearch", "{}")), result: result("", "ToolSearch", "said", block), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: model(calls("ToolSearch", "{}")), result: shows("ToolSearch"), loaded: found, fixed: true},
		{name: "a search with an id", wire: searching, call: model(callsWithID("1", "Read", "{}"), callsWithID("2", "ToolSearch", "{}")), result: result("2", "ToolSearch", "output", block), loaded: []string{"Read", "ToolSearch", "zoom"}, fixed: true},
		{name: "an alias", wire: searching, call: model(calls("FindTools", "{}")), result: shows("FindTools"), loaded: found, fixed: true},
		{name: "without a pool", wire: &gemini.Codec{}, call: model(calls("ToolSearch", "{}")), result: shows("ToolSearch"), loaded: found, fixed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			contents := messagesOf([]string{tt.call, user(tt.result)})
			require.Equal(t, tt.loaded, tt.wire.Loaded(contents))
			var s trimmer
			tt.wire.Trim(t.Context(), contents, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}

// The parts of a conversation, in bytes that no encoder would choose.
const (
	hello   = `{"role":"user", "parts":[{"text":"Hello <you>"}]}`
	thinks  = `{"thought":true, "text":"t"}`
	speaks  = `{ "text":"\u003cok\u003e" }`
	picture = `{"inlineData":{"mimeType":"image/png", "data":"cG5n"}}`
	unknown = `{"executableCode":{"code":"1.0"},"n":1.0}`
	clock   = `{"functionCall":{"name":"clock", "args":{"n":1.0}},"thoughtSignature":"s=="}`
	twelve  = `{"functionResponse":{"name":"clock" ,"response":{"output":"12"}}}`
	one     = `{"functionResponse":{"response":{"output":"1"},"name":"clock"}}`
	maps    = `{"functionCall":{"args":{},"name":"map"}}`
	route   = `{"functionResponse":{"name":"map","response":{"result":{"x":1e2}}}}`
)

func model(parts ...string) string {
	return `{"role":"model","parts":[` + strings.Join(parts, ",") + `]}`
}

func user(parts ...string) string {
	return `{"role":"user","parts":[` + strings.Join(parts, ",") + `]}`
}

func answers(id, name string) string { return result(id, name, "output", "of "+id) }

func unanswered(id, name string) string {
	return result(id, name, "error", "There is no result of "+name+": the turn was interrupted. It may have run in part, or not at all. "+
		"Look at what it did before you repeat it, and repeat it only if it is still wanted.")
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	a, b := callsWithID("a", "clock", "{}"), callsWithID("b", "clock", "{}")
	tests := []struct {
		name    string
		in      []string
		want    []string // nil: the same
		repairs []wire.Repair
	}{
		{name: "nothing"},
		{name: "in order", in: []string{hello, ` { "parts" : [` + thinks + ` , ` + clock + `, ` + maps + `,` + clock + `], "role": "model"} `,
			user(twelve, route, one, speaks), model(speaks), hello}},
		{name: "no role, other roles", in: []string{`{"parts":[]}`, model(clock), `{"role":"function","parts":[` + twelve + `]}`, model(clock), `{"parts":[` + twelve + `]}`}},
		{name: "nothing to do with calls", in: []string{hello, hello, model(unknown), model(thinks), user(unknown), user(), `{"role":"user"}`}},
		{name: "responses of each kind for calls of each kind", in: []string{model(a, clock, b), user(answers("a", "clock"), twelve, answers("b", "clock"))}},
		{name: "ids begin anew in each turn", in: []string{model(a), user(answers("a", "clock")), model(a, b), user(answers("a", "clock"), answers("b", "clock"))}},
		{name: "responses without the ids of the calls", in: []string{model(a, b), user(one, twelve)}},
		{name: "responses with ids that the calls do not have", in: []string{model(clock, clock), user(answers("x", "clock"), answers("y", "clock"))}},

		{name: "text follows", in: []string{model(clock, maps), `{"x":1,"parts":[` + speaks + `]}`},
			want:    []string{model(clock, maps), `{"x":1,"parts":[` + unanswered("", "clock") + `,` + unanswered("", "map") + `,` + speaks + `]}`},
			repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}, {Kind: wire.MissingResult, Name: "map"}}},
		{name: "at the end", in: []string{hello, model(a)}, want: []string{hello, model(a), user(unanswered("a", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Name: "clock", Message: 1}}},
		{name: "second of two without ids", in: []string{model(clock, clock), user(one, speaks)}, want: []string{model(clock, clock), user(one, unanswered("", "clock"), speaks)},
			repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}}},
		{name: "interrupted, then the same call again", in: []string{model(clock), hello, model(clock), user(one)},
			want:    []string{model(clock), `{"role":"user","parts":[` + unanswered("", "clock") + `,{"text":"Hello <you>"}]}`, model(clock), user(one)},
			repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}}},
		{name: "kept one by one", in: []string{model(clock, maps), user(route), user(twelve), hello}, want: []string{model(clock, maps), user(twelve, route), hello},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}}},
		{name: "kept one by one, of one name", in: []string{model(clock, clock), user(twelve), user(one)}, want: []string{model(clock, clock), user(twelve, one)},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}}},
		{name: "in another order", in: []string{model(a, b), user(answers("b", "clock"), answers("a", "clock"))}, want: []string{model(a, b), user(answers("a", "clock"), answers("b", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Name: "clock", Message: 1}, {Kind: wire.MisplacedResult, CallID: "b", Name: "clock", Message: 1}}},
		{name: "after other content", in: []string{model(clock), user(speaks, picture, one)}, want: []string{model(clock), user(one, speaks, picture)},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock", Message: 1}}},
		{name: "too early", in: []string{user(one), model(clock), hello}, want: []string{model(clock), `{"role":"user","parts":[` + one + `,{"text":"Hello <you>"}]}`},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock"}, {Kind: wire.EmptyMessage}}},
		{name: "left from before the cut", in: []string{user(one, speaks), model(clock), user(twelve)}, want: []string{user(speaks), model(clock), user(twelve)},
			repairs: []wire.Repair{{Kind: wire.StrayResult, Name: "clock"}}},
		{name: "left from before the cut, with the same id", in: []string{user(answers("a", "clock"), speaks), model(a), user(result("a", "clock", "output", "x"))},
			want:    []string{user(speaks), model(a), user(result("a", "clock", "output", "x"))},
			repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Name: "clock"}}},
		{name: "of another function", in: []string{model(clock), user(route)}, want: []string{model(clock), user(unanswered("", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}, {Kind: wire.StrayResult, Name: "map", Message: 1}}},
		{name: "of another function with the same id", in: []string{model(a), user(answers("a", "map"))}, want: []string{model(a), user(unanswered("a", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Name: "clock"}, {Kind: wire.StrayResult, CallID: "a", Name: "map", Message: 1}}},
		{name: "of a call with another id", in: []string{model(a), user(answers("b", "clock"))}, want: []string{model(a), user(unanswered("a", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Name: "clock"}, {Kind: wire.StrayResult, CallID: "b", Name: "clock", Message: 1}}},
		{name: "two results", in: []string{model(clock), user(twelve, one), model(a), user(answers("a", "clock"), answers("a", "clock"), speaks)},
			want: []string{model(clock), user(twelve), model(a), user(answers("a", "clock"), speaks)},
			repairs: []wire.Repair{{Kind: wire.DuplicateResult, Name: "clock", Message: 1},
				{Kind: wire.DuplicateResult, CallID: "a", Name: "clock", Message: 3}}},
		{name: "two calls of one id in a turn", in: []string{model(a, thinks, a), user(answers("a", "clock"))}, want: []string{model(a), user(answers("a", "clock"))},
			repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Name: "clock"}}},
		{name: "calls that nobody made", in: []string{user(clock, speaks), model(speaks, `{"functionCall":{"args":{}}}`)}, want: []string{user(speaks), model(speaks)},
			repairs: []wire.Repair{{Kind: wire.StrayCall, Name: "clock"}, {Kind: wire.StrayCall, Message: 1}}},
		{name: "a content for each part", in: []string{model(thinks, clock), model(maps), model(speaks), user(twelve, route)},
			want:    []string{model(thinks, clock, maps, speaks), user(twelve, route)},
			repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}, {Kind: wire.SplitMessage, Message: 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.repairs == nil {
				tt.want = tt.in
			}
			in := messagesOf(tt.in)
			got, repairs := new(gemini.Codec).Normalize(in)
			require.Equal(t, tt.want, stringsOf(got))
			require.Equal(t, tt.repairs, repairs)
			require.Equal(t, tt.in, stringsOf(in), "the history was changed")
			requireNormal(t, in)
		})
	}
}

// TestNormalizeLeavesWhatItCannotRead reports such contents, and repairs the others.
func TestNormalizeLeavesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{
		``, `null`, `[]`, `"user"`, `{`, hello + hello, `{"role":7}`, `{"role":"system"}`, `{"role":"user","parts":null}`, `{"role":"user","parts":{}}`,
		`{"role":"user","role":"model","parts":[]}`, user(`"x"`), user(`null`), user(`[]`), user(`{"text":"a","text":"b"}`), user(`{"functionCall":"x"}`),
		user(`{"functionResponse":{"name":"a","name":"b"}}`),
	} {
		in := messagesOf([]string{hello, odd, model(clock), odd})
		got, repairs := new(gemini.Codec).Normalize(in)
		require.Equal(t, []string{hello, odd, model(clock), user(unanswered("", "clock")), odd}, stringsOf(got))
		require.Equal(t, []wire.Repair{{Kind: wire.UnreadableMessage, Message: 1}, {Kind: wire.MissingResult, Name: "clock", Message: 2}, {Kind: wire.UnreadableMessage, Message: 3}}, repairs)
		require.Equal(t, "unreadable message", repairs[0].Kind.String())
	}
}

// TestInvariant2OfNormalize takes conversations apart at random.
func TestInvariant2OfNormalize(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(22, seed))
		turns := randomTurns(random)
		sound := messagesOf(render(turns))
		got, repairs := new(gemini.Codec).Normalize(sound)
		require.Empty(t, repairs, "seed %d", seed)
		require.Equal(t, stringsOf(sound), stringsOf(got), "seed %d", seed)
		for range 1 + random.IntN(5) {
			turns = disturb(random, turns)
		}
		requireNormal(t, messagesOf(render(turns)))
	}
}

// FuzzNormalize takes a content from each line.
func FuzzNormalize(f *testing.F) {
	f.Add(strings.Join([]string{hello, model(thinks, clock, maps), user(route), user(speaks, twelve), model(clock), user(one)}, "\n"))
	f.Add(strings.Join([]string{model(callsWithID("a", "clock", "{}")), model(callsWithID("a", "clock", "{}"), clock), user(answers("a", "clock"), one), user(twelve), "null"}, "\n"))
	f.Fuzz(func(t *testing.T, s string) { requireNormal(t, messagesOf(strings.Split(s, "\n"))) })
}

// requireNormal checks all that Normalize promises of any history.
func requireNormal(t *testing.T, in []json.RawMessage) {
	t.Helper()
	out, repairs := new(gemini.Codec).Normalize(in)
	unreadable := slices.ContainsFunc(repairs, func(r wire.Repair) bool { return r.Kind == wire.UnreadableMessage })
	if !unreadable {
		require.Empty(t, faults(t, out), "%s\nbecame\n%s", in, out)
		require.Equal(t, len(faults(t, in)) == 0, len(repairs) == 0, "%s: %v", in, repairs)
		requirePartsOf(t, in, out)
	}
	if len(repairs) == 0 {
		require.Equal(t, stringsOf(in), stringsOf(out))
	}
	again, more := new(gemini.Codec).Normalize(out)
	require.Equal(t, stringsOf(out), stringsOf(again), "%s\nbecame\n%s\nwhich was not normal: %v", in, out, more)
	for _, r := range more {
		require.Equal(t, wire.UnreadableMessage, r.Kind)
	}
	repeated, same := new(gemini.Codec).Normalize(in)
	require.Equal(t, out, repeated)
	require.Equal(t, repairs, same)
}

// faults lists why the API would refuse a request for its calls and results: the
// content after one with calls begins with as many responses, which name the same
// functions in the same order. An id is that of the call, or of no call at all.
func faults(t *testing.T, contents []json.RawMessage) (all []string) {
	t.Helper()
	known := map[string]bool{} // ids of all calls
	for _, raw := range contents {
		role, parts := readContent(t, raw)
		for _, p := range parts {
			known[p.id] = known[p.id] || p.call && p.name != "" && role == "model"
		}
	}
	var due []part // the calls of the content before
	for i, raw := range contents {
		fault := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("contents.%d: ", i)+fmt.Sprintf(format, args...))
		}
		var calls, results []part
		role, parts := readContent(t, raw)
		ids := map[string]bool{}
		for j, p := range parts {
			switch {
			case p.call:
				if role != "model" || p.name == "" || ids[p.id] {
					fault("the call %v", p)
				}
				ids[p.id] = p.id != ""
				calls = append(calls, p)
			case p.result:
				if role == "model" || len(results) < j {
					fault("the response %v of the model, or after other parts", p)
				}
				results = append(results, p)
			}
		}
		if len(due) != len(results) {
			fault("%d responses for %d calls", len(results), len(due))
		}
		for k := range min(len(due), len(results)) {
			c, r := due[k], results[k]
			if c.name != r.name || r.id != "" && c.id != r.id && (c.id != "" || known[r.id]) {
				fault("the response %v for the call %v", r, c)
			}
		}
		due = calls
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no responses for %v", due))
	}
	return all
}

type part struct {
	call, result bool
	id, name     string
}

func readContent(t *testing.T, raw json.RawMessage) (role string, parts []part) {
	t.Helper()
	var c map[string]any
	require.NoError(t, json.Unmarshal(raw, &c))
	list, _ := c["parts"].([]any)
	for _, p := range list {
		fields, ok := p.(map[string]any)
		require.True(t, ok)
		var out part
		call, isCall := fields["functionCall"].(map[string]any)
		response, isResult := fields["functionResponse"].(map[string]any)
		if isCall {
			response = call
		}
		out.call, out.result = isCall, isResult && !isCall
		out.id, _ = response["id"].(string)
		out.name, _ = response["name"].(string)
		parts = append(parts, out)
	}
	role, _ = c["role"].(string)
	return role, parts
}

// requirePartsOf checks that the parts of out are those of in, byte for byte, apart
// from results that were missing, and that all that is no call or result is left.
func requirePartsOf(t *testing.T, in, out []json.RawMessage) {
	t.Helper()
	before, after := map[string]int{}, map[string]int{}
	for _, c := range in {
		for _, p := range partsOf(c) {
			before[string(p)]++
		}
	}
	for _, c := range out {
		for _, p := range partsOf(c) {
			after[string(p)]++
			require.True(t, before[string(p)] > 0 || strings.Contains(string(p), "There is no result of"), "%s", p)
		}
	}
	for p, n := range before {
		if !strings.Contains(p, "function") && !strings.Contains(p, "thought") {
			require.Equal(t, n, after[p], "%s", p)
		}
	}
}

func partsOf(content json.RawMessage) []json.RawMessage {
	var c map[string]json.RawMessage
	var parts []json.RawMessage
	_ = json.Unmarshal(content, &c) // it was read before
	_ = json.Unmarshal(c["parts"], &parts)
	return parts
}

// past is a content of a random conversation.
type past struct {
	role  string
	parts []string
}

func render(turns []past) (texts []string) {
	for _, c := range turns {
		texts = append(texts, `{"parts": [`+strings.Join(c.parts, ", ")+`], "role": "`+c.role+`"}`)
	}
	return texts
}

// randomTurns returns a conversation in which nothing is wrong.
func randomTurns(random *rand.Rand) []past {
	turns := []past{{role: "user", parts: []string{speaks}}}
	for i := range random.IntN(8) {
		said := []string{thinks, speaks, unknown}[random.IntN(3):]
		var results []string
		for j := range random.IntN(4) {
			id := fmt.Sprintf("id%d", j+i*random.IntN(2)*10)
			name := []string{"clock", "map"}[random.IntN(2)]
			switch random.IntN(4) {
			case 0: // ids of both
				said, results = append(said, callsWithID(id, name, `{ "x":1.0 }`)), append(results, answers(id, name))
			default:
				said, results = append(said, calls(name, fmt.Sprintf(`{"n":%d.%d}`, i, j))), append(results, result("", name, "output", fmt.Sprint(i, j)))
			}
		}
		turns = append(turns, past{role: "model", parts: said})
		if len(results) > 0 || random.IntN(2) > 0 {
			turns = append(turns, past{role: "user", parts: append(results, []string{speaks, picture}[random.IntN(3):]...)})
		}
	}
	return turns
}

// disturb drops, repeats, moves or splits contents and parts.
func disturb(random *rand.Rand, turns []past) []past {
	if len(turns) == 0 {
		return nil
	}
	i, j := random.IntN(len(turns)), random.IntN(len(turns))
	c := &turns[i]
	at := random.IntN(len(c.parts) + 1)
	switch random.IntN(8) {
	case 0:
		return slices.Delete(turns, i, i+1)
	case 1:
		return slices.Insert(turns, j, past{role: c.role, parts: slices.Clone(c.parts)})
	case 2:
		turns[i], turns[j] = turns[j], turns[i]
	case 3:
		return turns[:i]
	case 4:
		rest := past{role: c.role, parts: slices.Clone(c.parts[at:])}
		c.parts = c.parts[:at]
		return slices.Insert(turns, i+1, rest)
	case 5:
		random.Shuffle(len(c.parts), func(a, b int) { c.parts[a], c.parts[b] = c.parts[b], c.parts[a] })
	default:
		if at < len(c.parts) {
			moved := c.parts[at]
			c.parts = slices.Delete(c.parts, at, at+1)
			turns[j].parts = append(turns[j].parts, []string{moved, moved}[random.IntN(3):]...)
		}
	}
	return turns
}

func BenchmarkNormalize(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var contents []json.RawMessage
	size := 0
	for len(contents) < 200 {
		for _, c := range render(randomTurns(random)) {
			c = strings.ReplaceAll(c, `"output":"`, `"output":"`+strings.Repeat("lorem ipsum\\n", 500))
			contents = append(contents, json.RawMessage(c))
			size += len(c)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		new(gemini.Codec).Normalize(contents)
	}
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

// outputOf returns the output schema that the API is told of a tool, or "".
func outputOf(t *testing.T, tool pegboard.Tool, config gemini.Config) string {
	t.Helper()
	var all []struct {
		FunctionDeclarations []struct{ ResponseJSONSchema json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(gemini.New(poolOf(t, tool), config).Tools(), &all))
	return string(all[0].FunctionDeclarations[0].ResponseJSONSchema)
}

// TestOutputSchemasAreSentOnRequest, of tools whose output the model reads.
func TestOutputSchemasAreSentOnRequest(t *testing.T) {
	t.Parallel()
	type weather struct {
		Degrees float64 `json:"degrees"`
		Note    *string `json:"note"`
	}
	d := pegboard.Definition[struct{}, weather]{
		Info: pegboard.Info{Name: "weather"}, Description: "Tells the weather.",
		Call: func(context.Context, struct{}, *pegboard.Call) (weather, error) { return weather{}, nil },
	}
	shown := pegboard.Build(d)
	d.Result = func(weather) *pegboard.Result { return pegboard.TextResult("warm") }
	on := gemini.Config{OutputSchemas: true}
	want := outputOf(t, shown, on)
	require.JSONEq(t, `{"type":"object","properties":{"degrees":{"type":"number"},"note":{"type":["string","null"]}},"required":["degrees","note"],"additionalProperties":false}`, want)
	for range 2 { // the forms are remembered apart
		require.Empty(t, outputOf(t, shown, gemini.Config{}))
		require.Equal(t, want, outputOf(t, shown, on))
	}
	require.Empty(t, outputOf(t, pegboard.Build(d), on), "the model reads other words")
	require.Empty(t, outputOf(t, tool(t, "clock", "Tells the time.", anyObject), on))
	dashes, err := pegboard.BuildRaw(json.RawMessage(anyObject), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "dashes"}, Description: "Its output has names that the API would not take.",
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"-A":{"type":"integer"}}}`),
		Call:         func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.NoError(t, err)
	require.Empty(t, outputOf(t, dashes, on))
}

// TestParametersHaveOtherNames in requests and replies if the API does not take theirs. A
// call comes back with the names that the tool declares, however it arrives.
func TestParametersHaveOtherNames(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, "find", "", `{"type":"object","properties":{"-i":{"type":"boolean"},"pattern":{"type":"string"}},"required":["pattern","-i"],"additionalProperties":false}`)))
	conversation := session(t)
	pool := r.AssemblePool(conversation, pegboard.PoolConfig{})
	for _, config := range []gemini.Config{{}, {JSONSchema: true}} {
		c := gemini.New(pool, config)
		require.Empty(t, c.Omitted())
		require.Contains(t, string(c.Tools()), `"_i"`)
		require.NotContains(t, string(c.Tools()), `"-i":`)
		streamed := stream(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find","partialArgs":[{"jsonPath":"$.pattern","stringValue":"x"},{"jsonPath":"$._i","boolValue":true}],"willContinue":true}}]}}],"responseId":"r"}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}],"responseId":"r"}`)
		for _, body := range []string{ends("STOP", calls("find", `{"pattern":"x","_i":true}`)), streamed} {
			m, err := c.Read(strings.NewReader(body)).Message()
			require.NoError(t, err)
			require.Len(t, m.Calls, 1)
			require.JSONEq(t, `{"pattern":"x","-i":true}`, string(m.Calls[0].Input))
			require.Contains(t, string(only(m.History)), "_i", "the history is as the model wrote it")
			e := pegboard.Executor{}
			conversation.NewTurn()
			o := e.Run(t.Context(), pool, m.Calls...)[0]
			require.NoError(t, o.Err)
			next := c.Results(m, []pegboard.Outcome{o})
			sent, repairs := c.Normalize(append(append([]json.RawMessage{}, m.History...), next...))
			require.Empty(t, repairs)
			require.Len(t, sent, 2)
		}
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	old := toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}, Loading: pegboard.LoadOnSearch})
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"), old, tool(t, "clock", "", anyObject))
	w := gemini.New(pool(), gemini.Config{})
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
			require.Equal(t, stringsOf(got), stringsOf(gemini.New(pool(), gemini.Config{}).Recall(tt.want)), "other bytes")
			roles := []string{}
			for _, content := range got {
				role, _ := readContent(t, content)
				roles = append(roles, role)
			}
			require.Equal(t, []string{"model", "user"}, roles)
			for _, next := range []string{hello, model(speaks)} {
				around := append(append(messagesOf([]string{hello}), got...), messagesOf([]string{next})...)
				_, repairs := new(gemini.Codec).Normalize(around)
				require.Empty(t, repairs)
				requireNormal(t, around)
			}
		})
	}
	var zero gemini.Codec
	require.Nil(t, zero.Recall([]string{"weather"}))
}

// TestRecallIsWhatAModelWouldHaveDone compares it with a reply that calls ToolSearch.
func TestRecallIsWhatAModelWouldHaveDone(t *testing.T) {
	t.Parallel()
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := gemini.New(pool(), gemini.Config{})
	reply := ends("STOP", `{"functionCall":{"name":"ToolSearch","args":{"query":"select:weather,notes.add"}},"thoughtSignature":"skip_thought_signature_validator"}`)
	m, err := w.Read(strings.NewReader(reply)).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	want := append(m.History, w.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	require.Equal(t, stringsOf(want), stringsOf(w.Recall([]string{"weather", "notes.add"})))
}

// TestRecallSurvivesCompaction takes a conversation through a search, a compaction and
// a new process: the request that follows offers the same tools in the same bytes.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{tool(t, "clock", "", anyObject), late(t, "weather"), late(t, "alarm"), late(t, "notes.add")}
	s, pool := searchable(t, tools...)
	conversation := messagesOf([]string{hello})
	for _, query := range []string{`{"query":"select:weather"}`, `{"query":"select:notes.add,alarm"}`} {
		m, err := gemini.New(pool(), gemini.Config{}).Read(strings.NewReader(ends("STOP", calls("ToolSearch", query)))).Message()
		require.NoError(t, err)
		var e pegboard.Executor
		conversation = append(append(conversation, m.History...), gemini.New(pool(), gemini.Config{}).Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	}
	before := gemini.New(pool(), gemini.Config{})
	require.Len(t, declarations(t, before), 5)

	compacted := append(messagesOf([]string{user(`{"text":"We talked of the weather."}`)}), before.Recall(before.Loaded(conversation))...)
	compacted = append(compacted, messagesOf([]string{model(speaks), hello})...)
	sent, repairs := before.Normalize(compacted)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(compacted), stringsOf(sent))

	other, otherPool := searchable(t, tools...)
	other.SetLoaded(gemini.New(otherPool(), gemini.Config{}).Loaded(compacted)...)
	after := gemini.New(otherPool(), gemini.Config{})
	require.Equal(t, string(before.Tools()), string(after.Tools()))
	require.Equal(t, s.Loaded(), after.Loaded(compacted))
	require.Equal(t, stringsOf(before.Recall(before.Loaded(conversation))), stringsOf(after.Recall(after.Loaded(compacted))), "a second compaction")
}
