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
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent
// before.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				info := pegboard.Info{Name: fmt.Sprintf("tool%04d", i), Loading: loading(i%2 == 0)}
				tools = append(tools, tool(b, info, "Does something.", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`))
			}
			p := poolOf(b, tools...)
			responses.New(p, responses.Config{HostedSearch: true})
			b.ReportAllocs()
			for b.Loop() {
				responses.New(p, responses.Config{HostedSearch: true})
			}
		})
	}
}

// BenchmarkRead reads text in 200 pieces, and four calls.
func BenchmarkRead(b *testing.B) {
	events := []string{created, added(0, says)}
	for range 200 {
		events = append(events, delta(0, "output_text", "piece "))
	}
	events = append(events, done(0, says))
	for i := range 4 {
		id := fmt.Sprintf("call_%d", i)
		events = append(events, added(i+1, useAs("in_progress", id, "clock", "")), delta(i+1, "function_call_arguments", `{"x":1}`), done(i+1, use(id, "clock", `{"x":1}`)))
	}
	body := stream(append(events, ending("completed", ""))...)
	var w responses.Codec
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNormalize(b *testing.B) {
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
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		new(responses.Codec).Normalize(items)
	}
}

// TestToolsThatWait are not sent before they were loaded, and then after all others.
func TestToolsThatWait(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	names := func(w *responses.Codec) (list []string) {
		for _, d := range definitions(t, w) {
			require.False(t, d.Deferred)
			list = append(list, d.Name)
		}
		return list
	}
	w := resumed(t, r, responses.Config{})
	require.Equal(t, []string{"ToolSearch", "clock", "mcp__maps__tile"}, names(w))
	require.Empty(t, w.Omitted(), "a tool that waits is no problem")
	prefix := strings.TrimSuffix(string(w.Tools()), "]")
	for _, loaded := range [][]string{{route}, {route, zoom}, {zoom, "ToolSearch", "clock", route}} {
		w := resumed(t, r, responses.Config{}, loaded...)
		require.True(t, strings.HasPrefix(string(w.Tools()), prefix+","), "%s", w.Tools())
		want := []string{"ToolSearch", "clock", "mcp__maps__tile"}
		for _, name := range loaded {
			if name == route || name == zoom {
				want = append(want, w.Name(name))
			}
		}
		require.Equal(t, want, names(w))
	}
	first := strings.TrimSuffix(string(resumed(t, r, responses.Config{}, route).Tools()), "]")
	require.True(t, strings.HasPrefix(string(resumed(t, r, responses.Config{}, route, zoom).Tools()), first+","))

	// A strict tool that was loaded is called like any other.
	w = resumed(t, r, responses.Config{}, zoom)
	_, m, err := readWith(w, strings.NewReader(whole("completed", "", use("1", w.Name(zoom), `{"a": null}`))))
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Calls[0].Input), "null stands for a property that is left out")

	w = resumed(t, r, responses.Config{}, "odd")
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "odd", w.Omitted()[0].Tool)
}

// TestToolsThatWaitForTheAPI are all sent, where they always were.
func TestToolsThatWaitForTheAPI(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	for name, config := range modes() {
		if name == "a function" {
			continue
		}
		w := resumed(t, r, config)
		require.Equal(t, string(w.Tools()), string(resumed(t, r, config, route, zoom).Tools()), name)
		deferred := 0
		for _, d := range definitions(t, w) {
			if d.Deferred {
				deferred++
			}
		}
		require.Equal(t, 2, deferred, name)
	}
}

// TestChoiceOfWhatWaits does not make the model call what it has not seen.
func TestChoiceOfWhatWaits(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	hosted := responses.New(poolOf(t, waiting(t, zoom, anyObject)), responses.Config{HostedSearch: true})
	function := func(api string) string { return `{"type":"function","name":"` + api + `"}` }
	one := func(tool string) wire.Choice { return wire.Choice{Mode: wire.One, Tool: tool} }
	some := wire.Choice{Tools: []string{zoom, "clock", route}}
	tests := []struct {
		name   string
		wire   *responses.Codec
		choice wire.Choice
		want   string
	}{
		{name: "it waits", wire: resumed(t, r, responses.Config{}), choice: one(zoom), want: `{}`},
		{name: "it waits for the client's search", wire: resumed(t, r, modes()[byClient]), choice: one(zoom), want: `{}`},
		{name: "loaded", wire: resumed(t, r, responses.Config{}, zoom), choice: one(zoom), want: `{"tool_choice":` + function(hosted.Name(zoom)) + `}`},
		{name: "some of several", wire: resumed(t, r, responses.Config{}, route), choice: some, want: `{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[` + function("clock") + `,` + function(route) + `]}}`},
		{name: "none of several", wire: resumed(t, r, responses.Config{}), choice: wire.Choice{Tools: []string{zoom}}, want: `{"tool_choice":"none"}`},
		{name: "the API searches", wire: hosted, choice: one(zoom), want: `{"tool_choice":` + function(hosted.Name(zoom)) + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(tt.wire.Choice(tt.choice)))
		})
	}
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	block := `<functions>\n{\"name\":\"b\"}\n</functions>`
	var w responses.Codec
	got := w.Loaded(itemsOf([]string{
		hello, `null`, `{"role":"user","content":"` + block + `"}`, use("1", "ToolSearch", "{}"), use("2", "ToolSearch", "{}"), use("3", "a", "{}"), output("1", `"`+block+`"`), output("2", `[{"type":"input_text","text":"`+strings.Replace(block, "b", "c", 1)+`"}]`), output("3", `7`),
		`{"type":"tool_search_output","tools":[{"type":"function","name":"d"},{"type":"namespace","name":"n","tools":[{"type":"function","name":"e"},{"type":"function","name":"a"}]}]}`,
		`{"type":"tool_search_output","tools":7}`, use("4", "a", "{}"), use("5", "f", "{}"),
	}))
	require.Equal(t, []string{"ToolSearch", "a", "b", "c", "d", "e", "f"}, got)
	require.Nil(t, w.Loaded(nil))
	known := responses.New(poolOf(t, tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject)), responses.Config{})
	require.Equal(t, []string{"Agent"}, known.Loaded(itemsOf([]string{use("1", "Task", "{}"), use("2", "Agent", "{}")})))
}

// TestShown tells outputs of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := tool(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, "", anyObject)
	searching := responses.New(poolOf(t, search, tool(t, named("fetch.page"), "", anyObject)), responses.Config{})
	renamed := responses.New(poolOf(t, tool(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}}, "", anyObject)), responses.Config{})
	const block = "<functions>\n{\"name\":\"zoom\"}\n</functions>"
	const quoted = `"<functions>\n{\"name\":\"zoom\"}\n</functions>"`
	shows, inParts := output("a", quoted), output("a", `[`+inputText("Found:")+`,`+inputText(block)+`]`)
	found := []string{"ToolSearch", "zoom"}
	const sent = `{"type":"tool_search_output","call_id":"a","execution":"client","status":"completed","tools":[{"type":"function","name":"zoom"}]}`
	tests := []struct {
		name   string
		wire   *responses.Codec
		call   string
		output string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: use("a", searching.Name("fetch.page"), "{}"), output: shows, loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: use("a", "Read", "{}"), output: inParts, loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: use("a", "mcp__maps__route", "{}"), output: shows, loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: use("a", "ToolSearch", "{}"), output: shows, loaded: []string{"grep"}},
		{name: "an unknown call", wire: searching, call: use("b", "ToolSearch", "{}"), output: shows, loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, output: shows},
		{name: "no id", wire: searching, call: use("", "ToolSearch", "{}"), output: output("", quoted), loaded: []string{"ToolSearch"}},
		{name: "a call of another kind", wire: searching, call: `{"type":"custom_tool_call","call_id":"a","name":"ToolSearch","input":"x"}`,
			output: `{"type":"custom_tool_call_output","call_id":"a","output":` + quoted + `}`},
		{name: "a search that failed", wire: searching, call: use("a", "ToolSearch", "{}"), output: output("a", `"Error: no such tool:\n<functions>\n{\"name\":\"zoom\"}\n</functions>"`), loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: use("a", "ToolSearch", "{}"), output: output("a", `"No tool matches."`), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: use("a", "ToolSearch", "{}"), output: shows, loaded: found, fixed: true},
		{name: "a search, in parts", wire: searching, call: use("a", "ToolSearch", "{}"), output: inParts, loaded: found, fixed: true},
		{name: "an alias", wire: searching, call: use("a", "FindTools", "{}"), output: shows, loaded: found, fixed: true},
		{name: "without a pool", wire: &responses.Codec{}, call: use("a", "ToolSearch", "{}"), output: shows, loaded: found, fixed: true},
		{name: "an item of a search", wire: searching, call: hello, output: sent, loaded: []string{"zoom"}, fixed: true},
		{name: "the text of such an item", wire: searching, call: use("a", "Read", "{}"), loaded: []string{"Read"},
			output: output("a", `"{\"type\":\"tool_search_output\",\"tools\":[{\"type\":\"function\",\"name\":\"zoom\"}]}"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items := itemsOf([]string{tt.call, tt.output})
			require.Equal(t, tt.loaded, tt.wire.Loaded(items))
			var s trimmer
			tt.wire.Trim(t.Context(), items, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}

// The items of a conversation, in bytes that no encoder would choose.
const (
	hello     = `{"role":"user","content":"Hello <you>"}`
	goOn      = `{ "type":"message", "role":"user","content":[{"type":"input_text","text":"st\u006fp \ud800"}]}`
	system    = `{"role":"developer","content":"Be kind."}`
	answered  = `{"role":"assistant","content":"\u003cok\u003e"}`
	imageOfA  = `{"type":"function_call_output", "call_id":"a", "output":[{"type":"input_image","image_url":"data:image/png;base64,cG5n"}]}`
	textOfB   = `{"type":"function_call_output","call_id":"b","output":"<12>"}`
	found     = `{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[ {"type":"function","name":"map"} ]}`
	foundByIt = `{"type":"tool_search_output","call_id":null,"execution":"server","status":"completed","tools":[]}`
	thinksOn  = `{"id":"rs_2","type":"reasoning","summary":[]}`
	custom    = `{"type":"custom_tool_call","call_id":"a","name":"grep","input":"x"}`
	ofCustom  = `{"type":"custom_tool_call_output","call_id":"a","output":"y"}`
	shot      = `{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot"}}`
)

const lost = `There is no result of %s: the turn was interrupted. It may have run in part, or not at all. ` +
	`Look at what it did before you repeat it, and repeat it only if it is still wanted.`

func unanswered(id, name string) string {
	return fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"`+lost+`"}`, id, name)
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	a, b := use("a", "clock", "{}"), use("b", "map", "{")
	missing := func(id string, at int) wire.Repair {
		return wire.Repair{Kind: wire.MissingResult, CallID: id, Message: at}
	}
	tests := []struct {
		name    string
		in      []string
		want    []string // nil: the same
		repairs []wire.Repair
	}{
		{name: "nothing"},
		{name: "in order", in: []string{system, hello, thinks, ` ` + a + ` `, b, imageOfA, textOfB, goOn, says, answered, hello}},
		{name: "one after the other", in: []string{hello, thinks, a, imageOfA, thinksOn, b, textOfB, says}},
		{name: "text after the calls", in: []string{a, b, says, imageOfA, textOfB}},
		{name: "nothing to do with calls", in: []string{hello, hello, hosted, `{"type":"of next year","call_id":"z"}`, thinks, goOn, system, system}},
		{name: "calls of others", in: []string{`{"type":"computer_call","call_id":"a"}`, shot, `{"type":"shell_call","call_id":"b"}`, hello, `{"type":"tool_search_call","execution":"server","call_id":null}`, foundByIt}},
		{name: "searches", in: []string{hello, sought, found, use("a", "map", "{}"), imageOfA}},
		{name: "ids of several kinds", in: []string{custom, a, patch, ofCustom, imageOfA, `{"type":"apply_patch_call_output","call_id":"p","status":"completed"}`}},

		{name: "at the end", in: []string{hello, thinks, a, b}, want: []string{hello, thinks, a, b, unanswered("a", "clock"), unanswered("b", "map")}, repairs: []wire.Repair{missing("a", 2), missing("b", 3)}},
		{name: "before text", in: []string{a, b, textOfB, goOn}, want: []string{a, b, unanswered("a", "clock"), textOfB, goOn}, repairs: []wire.Repair{missing("a", 0)}},
		{name: "before a system message", in: []string{a, system, hello}, want: []string{a, unanswered("a", "clock"), system, hello}, repairs: []wire.Repair{missing("a", 0)}},
		{name: "of all kinds", in: []string{custom, patch, sought},
			want: []string{custom, patch, sought,
				`{"type":"custom_tool_call_output","call_id":"a","output":"` + fmt.Sprintf(lost, "grep") + `"}`,
				`{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"` + fmt.Sprintf(lost, "this call") + `"}`,
				`{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[]}`},
			repairs: []wire.Repair{missing("a", 0), missing("p", 1), missing("s", 2)}},
		{name: "a search that does not say whose it is", in: []string{`{"type":"tool_search_call","call_id":"s","arguments":{}}`}, want: []string{`{"type":"tool_search_call","call_id":"s","arguments":{}}`,
			`{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[]}`}, repairs: []wire.Repair{missing("s", 0)}},
		{name: "id in another spelling", in: []string{`{"type":"function\u005fcall","call_id":"\u0061<","name":"\u0063lock<"}`},
			want:    []string{`{"type":"function\u005fcall","call_id":"\u0061<","name":"\u0063lock<"}`, `{"type":"function_call_output","call_id":"\u0061<","output":"` + fmt.Sprintf(lost, "clock<") + `"}`},
			repairs: []wire.Repair{missing("a<", 0)}},

		{name: "out of order", in: []string{a, b, textOfB, goOn, imageOfA}, want: []string{a, b, imageOfA, textOfB, goOn},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "b", Message: 2}, {Kind: wire.MisplacedResult, CallID: "a", Message: 4}}},
		{name: "in a later turn", in: []string{a, hello, says, imageOfA}, want: []string{a, imageOfA, hello, says},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 3}}},
		{name: "no call", in: []string{hello, imageOfA, found, says}, want: []string{hello, says},
			repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Message: 1}, {Kind: wire.StrayResult, CallID: "s", Message: 2}}},
		{name: "no call, twice", in: []string{imageOfA, imageOfA}, want: []string{},
			repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a"}, {Kind: wire.StrayResult, CallID: "a", Message: 1}}},
		{name: "of another kind", in: []string{custom, imageOfA}, want: []string{custom, `{"type":"custom_tool_call_output","call_id":"a","output":"` + fmt.Sprintf(lost, "grep") + `"}`},
			repairs: []wire.Repair{missing("a", 0), {Kind: wire.StrayResult, CallID: "a", Message: 1}}},
		{name: "two outputs", in: []string{a, imageOfA, goOn, imageOfA}, want: []string{a, imageOfA, goOn},
			repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 3}}},
		{name: "two calls", in: []string{a, imageOfA, thinks, use("a", "other", "{}"), imageOfA, goOn}, want: []string{a, imageOfA, goOn},
			repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 3}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{name: "items twice", in: []string{thinks, a, imageOfA, hello, hello, thinks, a, imageOfA, says, answered, answered, says}, want: []string{thinks, a, imageOfA, hello, hello, says, answered, answered},
			repairs: []wire.Repair{{Kind: wire.DuplicateMessage, Message: 5}, {Kind: wire.DuplicateCall, CallID: "a", Message: 6}, {Kind: wire.DuplicateResult, CallID: "a", Message: 7}, {Kind: wire.DuplicateMessage, Message: 11}}},
		{name: "no ids", in: []string{says, `{"type":"function_call","name":"clock"}`, `{"type":"function_call","call_id":7}`, `{"type":"function_call_output","output":""}`}, want: []string{says},
			repairs: []wire.Repair{{Kind: wire.StrayCall, Message: 1}, {Kind: wire.StrayCall, Message: 2}, {Kind: wire.StrayResult, Message: 3}}},
		{name: "calls that the API keeps", in: []string{`{"type":"item_reference","id":"fc_1"}`, imageOfA, `{"id":"fc_2"}`, b, textOfB, textOfB}, want: []string{`{"type":"item_reference","id":"fc_1"}`, imageOfA, `{"id":"fc_2"}`, b, textOfB},
			repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "b", Message: 5}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.repairs == nil {
				tt.want = tt.in
			}
			in := itemsOf(tt.in)
			got, repairs := new(responses.Codec).Normalize(in)
			require.Equal(t, tt.repairs, repairs)
			require.ElementsMatch(t, tt.want, stringsOf(got))
			require.Equal(t, strings.Join(tt.want, "\n"), strings.Join(stringsOf(got), "\n"))
			require.Equal(t, tt.in, stringsOf(in), "the history was changed")
			requireNormal(t, in)
		})
	}
}

// TestNormalizeLeavesWhatItCannotRead reports such items, and repairs the others.
func TestNormalizeLeavesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	a := use("a", "clock", "{}")
	for _, odd := range []string{
		``, `null`, `[]`, `"user"`, `{`, hello + hello, `{}`, `{"type":""}`, `{"type":"message"}`, `{"role":"tool"}`, `{"role":7}`, `{"ROLE":"user"}`,
		`{"role":"user","role":"assistant"}`, `{"type":7}`,
	} {
		in := itemsOf([]string{hello, odd, a, odd})
		got, repairs := new(responses.Codec).Normalize(in)
		require.Equal(t, []string{hello, odd, a, unanswered("a", "clock"), odd}, stringsOf(got))
		require.Equal(t, []wire.Repair{{Kind: wire.UnreadableMessage, Message: 1}, {Kind: wire.MissingResult, CallID: "a", Message: 2}, {Kind: wire.UnreadableMessage, Message: 3}}, repairs)
		require.Equal(t, "unreadable message", repairs[0].Kind.String())
		require.Equal(t, "duplicate message", wire.DuplicateMessage.String())
	}
}

func itemsOf(texts []string) (items []json.RawMessage) {
	for _, s := range texts {
		items = append(items, json.RawMessage(s))
	}
	return items
}

func stringsOf(items []json.RawMessage) (texts []string) {
	for _, i := range items {
		texts = append(texts, string(i))
	}
	return texts
}

// TestInvariant2OfNormalize takes conversations apart at random.
func TestInvariant2OfNormalize(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(500)) {
		random := rand.New(rand.NewPCG(22, seed))
		items := randomItems(random)
		got, repairs := new(responses.Codec).Normalize(itemsOf(items))
		require.Empty(t, repairs, "seed %d", seed)
		require.Equal(t, items, stringsOf(got), "seed %d", seed)
		for range 1 + random.IntN(5) {
			items = disturb(random, items)
		}
		requireNormal(t, itemsOf(items))
	}
}

// FuzzNormalize takes an item from each line.
func FuzzNormalize(f *testing.F) {
	a, b := use("a", "clock", "{}"), use("b", "map", "{}")
	f.Add(strings.Join([]string{hello, thinks, a, b, textOfB, says, imageOfA, goOn, a, imageOfA}, "\n"))
	f.Add(strings.Join([]string{custom, a, sought, hosted, imageOfA, found, patch, system, "null", foundByIt}, "\n"))
	f.Fuzz(func(t *testing.T, s string) { requireNormal(t, itemsOf(strings.Split(s, "\n"))) })
}

// requireNormal checks all that Normalize promises of any history.
func requireNormal(t *testing.T, in []json.RawMessage) {
	t.Helper()
	out, repairs := new(responses.Codec).Normalize(in)
	odd := slices.ContainsFunc(in, refers)
	for _, r := range repairs {
		odd = odd || r.Kind == wire.UnreadableMessage
		require.Less(t, r.Message, len(in))
		if r.CallID != "" {
			var item struct {
				CallID string `json:"call_id"`
			}
			require.NoError(t, json.Unmarshal(in[r.Message], &item))
			require.Equal(t, item.CallID, r.CallID, "%v of %s", r, in)
		}
	}
	if !odd {
		require.Empty(t, faults(t, out), "%s\nbecame\n%s", in, out)
		require.Equal(t, stringsOf(in), stringsOf(outIfSound(in, out, repairs)))
		made := 0
		for _, r := range repairs {
			if r.Kind == wire.MissingResult {
				made++
			}
		}
		requireSomeOf(t, in, out, made)
	}
	if len(repairs) == 0 {
		require.Equal(t, stringsOf(in), stringsOf(out))
	}
	again, more := new(responses.Codec).Normalize(out)
	require.Equal(t, stringsOf(out), stringsOf(again), "%s\nwas not normal", out)
	for _, r := range more {
		require.Equal(t, wire.UnreadableMessage, r.Kind)
	}
	repeated, same := new(responses.Codec).Normalize(in)
	require.Equal(t, out, repeated)
	require.Equal(t, repairs, same)
}

// refers reports whether an item stands for one that is not here.
func refers(item json.RawMessage) bool {
	var fields map[string]any
	_ = json.Unmarshal(item, &fields) // what is no object refers to nothing
	_, typed := fields["type"].(string)
	_, spoken := fields["role"].(string)
	_, named := fields["id"]
	return fields["type"] == "item_reference" || !typed && !spoken && named
}

// outIfSound returns out if nothing had to be repaired.
func outIfSound(in, out []json.RawMessage, repairs []wire.Repair) []json.RawMessage {
	if len(repairs) > 0 {
		return in
	}
	return out
}

// requireSomeOf checks that the items of out are of in, byte for byte and no more
// often, apart from those that were made.
func requireSomeOf(t *testing.T, in, out []json.RawMessage, made int) {
	t.Helper()
	left := map[string]int{}
	for _, item := range in {
		left[string(item)]++
	}
	for _, item := range out {
		if left[string(item)]--; left[string(item)] < 0 {
			made--
		}
	}
	require.Equal(t, 0, made, "%s\nbecame\n%s", in, out)
}

// answers says which item answers which.
var answers = map[string]string{
	"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output",
	"apply_patch_call": "apply_patch_call_output", "tool_search_call": "tool_search_output",
}

// faults lists why the API would refuse the items for their calls and outputs. It
// also wants the outputs before anything else that is not the model's, in the order
// of the calls, as some servers of this form do.
func faults(t *testing.T, items []json.RawMessage) (all []string) {
	t.Helper()
	used := map[string]bool{}
	seen := map[string]bool{}
	var due []string // outputs, in order
	model := true    // the item before is one of the model
	for i, raw := range items {
		var item map[string]any
		require.NoError(t, json.Unmarshal(raw, &item), "%s", raw)
		kind, _ := item["type"].(string)
		id, _ := item["call_id"].(string)
		if item["id"] != nil && item["id"] != "" && answers[kind] == "" && !strings.HasSuffix(kind, "_output") {
			if seen[string(raw)] {
				all = append(all, fmt.Sprintf("input[%d]: the item is there before", i))
			}
			seen[string(raw)] = true
		}
		execution, said := item["execution"].(string)
		search := strings.HasPrefix(kind, "tool_search_") && execution != "client" && (said || id == "")
		output, call := answers[kind], slices.Contains([]string{"function_call_output", "custom_tool_call_output", "apply_patch_call_output", "tool_search_output"}, kind)
		switch {
		case search:
			model = true
		case output != "":
			if len(due) > 0 && !model {
				all = append(all, fmt.Sprintf("input[%d]: a call while %v wait", i, due))
			}
			if id == "" || used[output+id] {
				all = append(all, fmt.Sprintf("input[%d]: a call with the id %q", i, id))
			}
			used[output+id] = true
			due, model = append(due, output+id), true
		case call:
			if len(due) == 0 || due[0] != kind+id {
				all = append(all, fmt.Sprintf("input[%d]: an output of %q where %v are due", i, id, due))
				return all
			}
			due, model = due[1:], false
		case (kind == "message" || item["type"] == nil) && slices.Contains([]any{"user", "system", "developer"}, item["role"]):
			if len(due) > 0 {
				all = append(all, fmt.Sprintf("input[%d]: no output for %v", i, due))
			}
			model = false
		default:
			if len(due) > 0 && !model {
				all = append(all, fmt.Sprintf("input[%d]: the model goes on without %v", i, due))
			}
			model = true
		}
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no output for %v", due))
	}
	return all
}

// randomItems returns a conversation in which nothing is wrong.
func randomItems(random *rand.Rand) []string {
	items := []string{system, hello}[random.IntN(2):]
	for i := range random.IntN(8) {
		own := strings.NewReplacer("rs_1", fmt.Sprintf("rs_%d", i), "msg_1", fmt.Sprintf("msg_%d", i), "ws_1", fmt.Sprintf("ws_%d", i))
		for _, item := range []string{thinks, says, hosted, foundByIt, answered}[random.IntN(5):] {
			items = append(items, own.Replace(item))
		}
		var outputs []string
		for j := range random.IntN(4) {
			id := fmt.Sprintf("call_%d_%d", i, j)
			call := []string{
				use(id, "clock", "{}"), use(id, "clock", "{"), strings.Replace(custom, `"a"`, `"`+id+`"`, 1),
				strings.Replace(patch, `"p"`, `"`+id+`"`, 1), strings.Replace(sought, `"s"`, `"`+id+`"`, 1),
			}
			output := []string{
				strings.Replace(textOfB, `"b"`, `"`+id+`"`, 1), strings.Replace(imageOfA, `"a"`, `"`+id+`"`, 1), strings.Replace(ofCustom, `"a"`, `"`+id+`"`, 1),
				`{ "type":"apply_patch_call_output","call_id":"` + id + `","status":"completed"}`, strings.Replace(found, `"s"`, `"`+id+`"`, 1),
			}
			kind := random.IntN(len(call))
			items, outputs = append(items, call[kind]), append(outputs, output[kind])
		}
		items = append(append(items, []string{thinksOn, answered}[max(random.IntN(3), min(i, 1)):]...), outputs...)
		items = append(items, []string{goOn, system, hello}[random.IntN(4)%3:]...)
	}
	return items
}

// disturb drops, repeats, moves or cuts off items.
func disturb(random *rand.Rand, items []string) []string {
	if len(items) == 0 {
		return nil
	}
	i, j := random.IntN(len(items)), random.IntN(len(items))
	switch random.IntN(6) {
	case 0:
		return slices.Delete(items, i, i+1)
	case 1:
		return slices.Insert(items, j, items[i])
	case 2:
		items[i], items[j] = items[j], items[i]
	case 3:
		return items[:i]
	case 4:
		random.Shuffle(len(items), func(a, b int) { items[a], items[b] = items[b], items[a] })
	default:
		moved := items[i]
		return slices.Insert(slices.Delete(items, i, i+1), min(j, len(items)-1), moved)
	}
	return items
}

// TestRecordingsNormalize leaves every recorded request as it is, and repairs it
// when it is cut off after any item, misses any, or ends with the recorded response.
func TestRecordingsNormalize(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		requests, items, outputs := 0, 0, 0
		for _, r := range recordedIn(t, folder) {
			var request struct{ Input []json.RawMessage }
			_ = json.Unmarshal(r.Request, &request) // what is no request has none
			sent := request.Input
			got, repairs := new(responses.Codec).Normalize(sent)
			require.Equal(t, stringsOf(sent), stringsOf(got), r.File)
			require.Empty(t, repairs, r.File)
			for i := range sent {
				requireNormal(t, sent[:i])
				requireNormal(t, slices.Delete(slices.Clone(sent), i, i+1))
				outputs += strings.Count(string(sent[i]), `_output"`)
			}
			_, m, _ := read(strings.NewReader(r.Body)) // some were cut
			requireNormal(t, append(slices.Clone(sent), m.History...))
			requests += min(1, len(sent))
			items += len(sent)
		}
		corpus.Report(t, folder, "%d requests of %d items with %d outputs unchanged", requests, items, outputs)
	}
}

// A process died between a call and its output. The conversation goes on.
func ExampleCodec_Normalize() {
	items, repairs := new(responses.Codec).Normalize([]json.RawMessage{
		json.RawMessage(`{"role":"user","content":"Clean up."}`),
		json.RawMessage(`{"type":"function_call","call_id":"call_1","name":"rm","arguments":"{\"path\":\"old\"}"}`),
		json.RawMessage(`{"role":"user","content":"Are you done?"}`),
	})
	for _, r := range repairs {
		fmt.Println(r.Kind, r.CallID, "in item", r.Message)
	}
	fmt.Println(string(items[2]))

	// Output:
	// missing result call_1 in item 1
	// {"type":"function_call_output","call_id":"call_1","output":"There is no result of rm: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, and repeat it only if it is still wanted."}
}

// outputOf returns the output schema that the API is told of a tool, or "".
func outputOf(t *testing.T, tool pegboard.Tool, config responses.Config) string {
	t.Helper()
	var all []struct {
		OutputSchema json.RawMessage `json:"output_schema"`
	}
	require.NoError(t, json.Unmarshal(responses.New(poolOf(t, tool), config).Tools(), &all))
	return string(all[0].OutputSchema)
}

// TestOutputSchemasAreSentOnRequest, of tools whose output the model reads.
func TestOutputSchemasAreSentOnRequest(t *testing.T) {
	t.Parallel()
	type weather struct {
		Degrees float64 `json:"degrees"`
	}
	d := pegboard.Definition[struct{}, weather]{
		Info: pegboard.Info{Name: "weather"}, Description: "Tells the weather.",
		Call: func(context.Context, struct{}, *pegboard.Call) (weather, error) { return weather{}, nil },
	}
	shown := pegboard.Build(d)
	d.Result = func(weather) *pegboard.Result { return pegboard.TextResult("warm") }
	on := responses.Config{OutputSchemas: true}
	const want = `{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"],"additionalProperties":false}`
	for range 2 { // the forms are remembered apart
		require.Empty(t, outputOf(t, shown, responses.Config{}))
		require.Equal(t, want, outputOf(t, shown, on))
	}
	require.Empty(t, outputOf(t, pegboard.Build(d), on), "the model reads other words")
	require.Empty(t, outputOf(t, tool(t, named("clock"), "Tells the time.", anyObject), on))
}

// Two tools of the catalogue. The API has another name for one of them.
const (
	route = "mcp__maps__route_find"
	zoom  = "zoom.in"
)

// waiting returns a tool that waits for a search.
func waiting(t testing.TB, name, schema string) pegboard.Tool {
	t.Helper()
	return tool(t, pegboard.Info{Name: name, Strict: true, Loading: pegboard.LoadOnSearch}, "late", schema)
}

// catalogue returns tools that are searched, and the tool that does so.
func catalogue(t testing.TB) *pegboard.Registry {
	t.Helper()
	var r pegboard.Registry
	optional := `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, named("clock"), "", anyObject), waiting(t, zoom, optional),
		declared{waiting(t, "odd", anyObject), `{"type":"array"}`}))
	_, err := r.Attach("maps", waiting(t, "route.find", anyObject), tool(t, pegboard.Info{Name: "tile", Loading: pegboard.LoadAlways}, "", anyObject))
	require.NoError(t, err)
	return &r
}

// resumed returns the Codec of a conversation that made tools known before.
func resumed(t testing.TB, r *pegboard.Registry, config responses.Config, loaded ...string) *responses.Codec {
	t.Helper()
	s := session(t)
	s.SetLoaded(loaded...)
	return responses.New(r.AssemblePool(s, pegboard.PoolConfig{}), config)
}

const byClient = "by the client"

// modes are the ways in which a tool of the pool can search.
func modes() map[string]responses.Config {
	return map[string]responses.Config{
		"a function":       {},
		byClient:           {ClientSearch: "ToolSearch"},
		"beside the API's": {HostedSearch: true},
	}
}

// TestRecall pretends what the model and ToolSearch would have said.
func TestRecall(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	for name, config := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session(t)
			p := r.AssemblePool(s, pegboard.PoolConfig{})
			w := responses.New(p, config)
			got := w.Recall([]string{"clock", route, "ToolSearch", "odd", "gone", zoom, route})
			require.Len(t, got, 2)
			require.Equal(t, got, resumed(t, r, config, zoom).Recall([]string{route, zoom}), "not the same bytes")
			require.NotEqual(t, got, w.Recall([]string{zoom, route}))

			// The real tool answers the call so.
			_, m, err := readWith(w, strings.NewReader(whole("completed", "", string(got[0]))))
			require.NoError(t, err)
			require.Regexp(t, `^call_[0-9a-f]{24}$`, m.Calls[0].ID)
			require.Equal(t, `{"query":"select:`+route+`,`+zoom+`"}`, string(m.Calls[0].Input))
			var executor pegboard.Executor
			outcomes := executor.Run(context.Background(), p, m.Calls...)
			require.Equal(t, stringsOf(got), stringsOf(append(m.History, w.Results(m, outcomes)...)))
			require.Equal(t, []string{"ToolSearch", route, zoom}, s.Loaded())

			requireSound(t, w, append(itemsOf([]string{hello}), append(got, json.RawMessage(hello))...))
			requireSound(t, w, append(itemsOf([]string{hello}), append(got, json.RawMessage(says))...))
			require.Nil(t, w.Recall(nil))
			require.Nil(t, w.Recall([]string{"clock", "gone", "odd"}))
		})
	}
	require.Nil(t, responses.New(poolOf(t, waiting(t, zoom, anyObject)), responses.Config{HostedSearch: true}).Recall([]string{zoom}), "the API searches")
	require.Nil(t, new(responses.Codec).Recall([]string{zoom}))
}

// requireSound checks that Normalize finds nothing to repair.
func requireSound(t *testing.T, w *responses.Codec, items []json.RawMessage) {
	t.Helper()
	got, repairs := w.Normalize(items)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(items), stringsOf(got))
	require.Empty(t, faults(t, got))
}

// TestRecallSurvivesCompaction drops the items in which tools were loaded, and takes
// up the conversation in another process.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	for name, config := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := use("s", "ToolSearch", "{}")
			if name == byClient {
				call = sought
			}
			s := session(t)
			w := responses.New(r.AssemblePool(s, pegboard.PoolConfig{}), config)
			conversation := itemsOf([]string{hello})
			for _, found := range []string{zoom, route} {
				_, m, err := readWith(w, strings.NewReader(whole("completed", "", strings.Replace(call, `"s"`, `"s_`+found+`"`, 1))))
				require.NoError(t, err)
				require.Equal(t, "ToolSearch", m.Calls[0].Name)
				conversation = append(append(conversation, m.History...), w.Results(m, []pegboard.Outcome{outcome("s_"+found, pegboard.Part{Tool: found})})...)
				s.SetLoaded(w.Loaded(conversation)...)
				before := strings.TrimSuffix(string(w.Tools()), "]")
				w = responses.New(r.AssemblePool(s, pegboard.PoolConfig{}), config)
				require.True(t, strings.HasPrefix(string(w.Tools()), before), "a search changed the tools before")
			}

			compacted := append(itemsOf([]string{hello}), w.Recall(w.Loaded(conversation))...)
			requireSound(t, w, compacted)
			require.Equal(t, known(w.Loaded(conversation)), known(w.Loaded(compacted)))
			require.Equal(t, []string{zoom, route}, known(w.Loaded(compacted)))
			after := resumed(t, r, config, w.Loaded(compacted)...)
			require.Equal(t, string(w.Tools()), string(after.Tools()))
			again := append(itemsOf([]string{hello}), after.Recall(after.Loaded(compacted))...)
			require.Equal(t, stringsOf(compacted), stringsOf(again), "compacted twice")
			for _, d := range definitions(t, after) {
				if d.Description == "late" {
					require.Contains(t, string(compacted[2]), d.Name, "its definition is in the conversation")
				}
			}
		})
	}
}

// known returns names without that of the search, which some forms of call do not hold.
func known(tools []string) (list []string) {
	for _, name := range tools {
		if name != "ToolSearch" {
			list = append(list, name)
		}
	}
	return list
}
