package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

func BenchmarkCodec(b *testing.B) { wiretest.Benchmark(b, api) }

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
			tools := []pegboard.Tool{wiretest.Late(t, "weather", city), wiretest.Late(t, "alarm", city), echo(t)}
			s, pool, codec := api.Searchable(t, tools...)
			conversation := []string{system, hello}
			for _, turn := range tt.turns {
				conversation = append(conversation, taken(t, pool(), turn...)...)
			}
			other, _, otherCodec := api.Searchable(t, tools...)
			other.SetLoaded(codec().Loaded(messagesOf(conversation...))...)
			require.Equal(t, api.Names(t, codec().Tools()), api.Names(t, otherCodec().Tools()), "%v", s.Loaded())
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
	_, err := r.Attach("maps", wiretest.Tool(t, pegboard.Info{Name: "route"}, "Finds a route.", city))
	require.NoError(t, err)
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__maps"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	conversation := append([]string{system, hello}, taken(t, r.AssemblePool(s, pegboard.PoolConfig{Deferral: deferral}), piece(0, "1", "mcp__maps__route", `{"city":"Rome"}`))...)
	_, err = r.Attach("many", wiretest.Tool(t, pegboard.Info{Name: "big"}, strings.Repeat("word ", 2000), city))
	require.NoError(t, err)
	live := chat.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: deferral}), chat.Config{})
	other := session(t)
	other.SetLoaded(live.Loaded(messagesOf(conversation...))...)
	resumed := chat.New(r.AssemblePool(other, pegboard.PoolConfig{Deferral: deferral}), chat.Config{})
	require.Equal(t, api.Names(t, resumed.Tools()), api.Names(t, live.Tools()), "%s", conversation[3])
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "time.zone", "", anyObject), tool(t, "ToolSearch", "", anyObject)), chat.Config{})
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "ToolSearch"}}}
	found := w.Results(m, []pegboard.Outcome{outcome("a", pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, pegboard.Part{Tool: "gone"})})
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "calls", in: []string{model(call("a", "clock"), call("b", w.Name("time.zone"))), model(call("c", "clock"), call("d", "elsewhere"))}, want: []string{"clock", "time.zone", "elsewhere"}},
		{name: "references", in: append([]string{model(call("a", "ToolSearch"))}, stringsOf(found)...), want: []string{"ToolSearch", "time.zone", "clock"}},
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

func TestShown(t *testing.T) {
	block := "<functions>\n{\"function\":{\"name\":\"zoom\"}}\n</functions>"
	shows := result("a", block)
	inParts := `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"Found:"},{"type":"text","text":` + quote(block) + `}]}`
	wiretest.RunShown(t, api, []wiretest.ShownCase{
		{Name: "a file, in parts", In: []string{model(call("a", "Read")), inParts}, Loaded: []string{"Read"}},
		{Name: "no id", In: []string{model(call("", "ToolSearch")), result("", block)}, Loaded: []string{"ToolSearch"}},
		{Name: "the second call of an id", In: []string{model(call("a", "Read"), call("a", "ToolSearch")), shows}, Loaded: []string{"Read", "ToolSearch"}},
		{Name: "a definition as in the request", In: []string{model(call("a", "ToolSearch")), shows}, Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
		{Name: "a search, in parts", In: []string{model(call("a", "ToolSearch")), inParts}, Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
	})
}

// TestShownByCallsWithOneID takes a service that counts the ids of its calls anew in each
// turn: a page that comes after a search is none.
func TestShownByCallsWithOneID(t *testing.T) {
	t.Parallel()
	var w chat.Codec
	shows := func(name string) string { return result("0", "<functions>\n{\"name\":\""+name+"\"}\n</functions>") }
	messages := messagesOf(model(call("0", "ToolSearch")), shows("zoom"), model(call("0", "Read")), shows("rm"))
	require.Equal(t, []string{"ToolSearch", "zoom", "Read"}, w.Loaded(messages))
	var s wiretest.Trimmer
	w.Trim(t.Context(), messages, &s)
	require.Len(t, s.Shown, 2)
	require.True(t, s.Shown[0].Fixed)
	require.False(t, s.Shown[1].Fixed)
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
	a, b := call("a", "clock"), call("b", "map")
	wiretest.RunNormalize(t, api, []wiretest.NormalizeCase{
		{Name: "nothing"},
		{Name: "in order", In: []string{system, hello, ` { "content" : null, "tool_calls":[` + a + ` , ` + b + `], "role": "assistant"} `, resultA, resultB, says, hello, hello}},
		{Name: "nothing to do with calls", In: []string{hello, hello, says, says, oldCall, oldReply, `{"role":"developer","content":"x"}`, `{"role":"assistant","content":null,"tool_calls":[]}`, `{"role":"assistant","tool_calls":null}`}},
		{Name: "an id in every turn", In: []string{hello, model(a), resultA, model(a), resultA, hello, model(a), resultA}},

		{Name: "text follows", In: []string{model(a, b), hello}, Want: []string{model(a, b), unanswered(`"a"`, "clock"), unanswered(`"b"`, "map"), hello},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}, {Kind: wire.MissingResult, CallID: "b"}}},
		{Name: "at the end", In: []string{hello, model(a)}, Want: []string{hello, model(a), unanswered(`"a"`, "clock")}, Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Message: 1}}},
		{Name: "an id in every turn, the last cut", In: []string{model(a), resultA, model(a)}, Want: []string{model(a), resultA, model(a), unanswered(`"a"`, "clock")},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Message: 2}}},
		{Name: "id in another spelling", In: []string{model(`{"id":"\u0061<","function":{"name":"\u0063lock<"}}`)}, Want: []string{model(`{"id":"\u0061<","function":{"name":"\u0063lock<"}}`), unanswered(`"\u0061<"`, "clock<")},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a<"}}},
		{Name: "a call that is no function", In: []string{model(`{"id":"a","type":"custom","custom":{"name":"x","input":""}}`)}, Want: []string{model(`{"id":"a","type":"custom","custom":{"name":"x","input":""}}`), unanswered(`"a"`, "this call")},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},
		{Name: "one of two", In: []string{model(a, b), resultB, says}, Want: []string{model(a, b), unanswered(`"a"`, "clock"), resultB, says}, Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},

		{Name: "in the order of their ends", In: []string{model(a, b), resultB, resultA, hello}, Want: []string{model(a, b), resultA, resultB, hello},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "b", Message: 1}, {Kind: wire.MisplacedResult, CallID: "a", Message: 2}}},
		{Name: "after other messages", In: []string{model(a, b), resultA, hello, system, resultB, says}, Want: []string{model(a, b), resultA, resultB, hello, system, says},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "b", Message: 4}}},
		{Name: "no call", In: []string{hello, resultA, says, resultB, hello, `{"role":"tool","content":"x"}`}, Want: []string{hello, says, hello},
			Repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Message: 1}, {Kind: wire.StrayResult, CallID: "b", Message: 3}, {Kind: wire.StrayResult, Message: 5}}},
		{Name: "two results", In: []string{model(a), resultA, result("a", "2"), hello, result("a", "3")}, Want: []string{model(a), resultA, hello},
			Repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 2}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{Name: "another result later", In: []string{model(a), resultA, says, result("a", "2"), result("a", "3")}, Want: []string{model(a), resultA, says},
			Repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 3}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{Name: "two calls", In: []string{model(a), model(a), resultA, hello}, Want: []string{model(a), resultA, hello},
			Repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 1}, {Kind: wire.EmptyMessage, Message: 1}}},
		{Name: "another call with the id of one that was interrupted", In: []string{model(a), hello, model(call("a", "map")), resultA},
			Want:    []string{model(a), unanswered(`"a"`, "clock"), hello, model(call("a", "map")), resultA},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},
		{Name: "another call with the id, and nobody spoke between", In: []string{model(a), model(call("a", "map")), resultA}, Want: []string{model(a), resultA},
			Repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 1}, {Kind: wire.EmptyMessage, Message: 1}}},
		{Name: "another call with the id of one that is answered too late", In: []string{model(a, b), resultB, model(call("a", "map")), result("a", "1"), result("a", "2")},
			Want:    []string{model(a, b), unanswered(`"a"`, "clock"), resultB, model(call("a", "map")), result("a", "1")},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{Name: "two calls, with words", In: []string{model(a), resultB, modelSaying(`"Again"`, a, b), resultA}, Want: []string{model(a), resultA, modelSaying(`"Again"`, b), resultB},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "b", Message: 1}, {Kind: wire.DuplicateCall, CallID: "a", Message: 2}, {Kind: wire.MisplacedResult, CallID: "a", Message: 3}}},
		{Name: "no call is left", In: []string{`{"role":"assistant","tool_calls":[{"type":"function"}],"content":"So."}`, `{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":7}]}`}, Want: []string{`{"role":"assistant","content":"So."}`},
			Repairs: []wire.Repair{{Kind: wire.StrayCall}, {Kind: wire.StrayCall, Message: 1}, {Kind: wire.EmptyMessage, Message: 1}}},
		{Name: "a message for each call", In: []string{`{"role":"assistant","content":"One","reasoning_content":"r","tool_calls":[` + a + `]}`, `{"role":"assistant","content":"two","reasoning_content":"s","name":"x","tool_calls":[` + b + `]}`, resultA, resultB},
			Want:    []string{`{"role":"assistant","content":"One\ntwo","reasoning_content":"r\ns","tool_calls":[` + a + `,` + b + `],"name":"x"}`, resultA, resultB},
			Repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}}},
		{Name: "a message for each call, with parts", In: []string{model(a), modelSaying(`[{"type":"text","text":"x"}]`, b), `{"role":"assistant","content":"So."}`, resultA, resultB},
			Want:    []string{modelSaying(`[{"type":"text","text":"x"},{"type":"text","text":"So."}]`, a, b), resultA, resultB},
			Repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}, {Kind: wire.SplitMessage, Message: 2}}},
	})
}

func FuzzNormalize(f *testing.F) {
	a, b := call("a", "clock"), call("b", "map")
	wiretest.FuzzNormalize(f, api,
		[]string{hello, model(a, b), resultB, hello, resultA, model(a), resultA, says},
		[]string{model(a), modelSaying(`"x"`, b, a), resultA, resultB, system, oldCall, oldReply, "null"},
		[]string{resultA, model(a), model(a), resultA, resultA, hello})
}

func TestRecall(t *testing.T) { wiretest.RunRecall(t, api) }

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
