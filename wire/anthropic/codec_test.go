package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

func BenchmarkCodec(b *testing.B) { wiretest.Benchmark(b, api) }

func BenchmarkRead(b *testing.B) {
	body := fixture(b, "parallel.sse")
	var w anthropic.Codec
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(strings.NewReader(body)).Message(); err != nil {
			b.Fatal(err)
		}
	}
}

func refer(tool string) string { return `{ "type":"tool_reference", "tool_name":"` + tool + `" }` }

func resultOf(id string, content ...string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":[` + strings.Join(content, ",") + `]}`
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	block := `"Found:\n<functions>\n{\"name\":\"x\",\"input_schema\":{}}\n{\"name\":\"y\"}\n</functions>"`
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "calls", in: []string{hello, assistant(thinks, use("a", "b"), says, use("c", "a")), assistant(use("d", "b"))}, want: []string{"b", "a"}},
		{name: "calls of others", in: []string{user(use("a", "b")), assistant(onServer, use("srvtoolu_2", "c"), `{"type":"mcp_tool_use","name":"d"}`, unknown)}},
		{name: "references", in: []string{user(resultOf("a", refer("x"), `{"type":"text","text":"y"}`, refer("y")))}, want: []string{"x", "y"}},
		{name: "references in a failure", in: []string{user(`{"type":"tool_result","is_error":true,"content":[` + refer("x") + `]}`)}, want: []string{"x"}},
		{name: "references elsewhere", in: []string{user(refer("x"), `{"type":"text","text":`+block+`}`), assistant(`{"type":"text","text":` + block + `}`)}},
		{name: "found by the server", in: []string{assistant(onServer,
			`{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[`+refer("x")+`,`+refer("y")+`]}}`)},
			want: []string{"x", "y"}},
		{name: "not found by the server", in: []string{assistant(
			`{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_result_error","error_code":"unavailable"}}`)}},
		{name: "names of the pool", in: []string{assistant(use("a", w.Name("notes.add")), use("b", "Task"), use("c", "Agent"))}, want: []string{"notes.add", "Agent"}},
		{name: "odd results", in: []string{user(`{"type":"tool_result"}`, `{"type":"tool_result","content":7}`, `{"type":"tool_result","content":[1,null,{},"x",{"type":"tool_reference"}]}`,
			`{"type":"tool_search_tool_result","content":[]}`, `{"type":"tool_search_tool_result","content":{"tool_references":{}}}`)}},
		{name: "unreadable", in: []string{`{`, `{"role":"user"}`, assistant(use("a", "b"))}, want: []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, w.Loaded(messagesOf(tt.in...)))
		})
	}
	var zero anthropic.Codec
	require.Equal(t, []string{"Task"}, zero.Loaded(messagesOf(assistant(use("a", "Task")))))
}

// aliased returns a tool with another name.
func aliased(t *testing.T, name, alias string) pegboard.Tool {
	t.Helper()
	return special(t, pegboard.Info{Name: name, Aliases: []string{alias}}, anyObject)
}

func TestShown(t *testing.T) {
	block, err := json.Marshal(wiretest.Shown)
	require.NoError(t, err)
	shows := `{"type":"tool_result","tool_use_id":"a","content":` + string(block) + `}`
	wiretest.RunShown(t, api, []wiretest.ShownCase{
		{Name: "a text alone", In: []string{assistant(use("a", "Read")), user(shows)}, Loaded: []string{"Read"}},
		{Name: "a search, a text alone", In: []string{assistant(use("a", "ToolSearch")), user(shows)}, Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
		{Name: "no id", In: []string{assistant(`{"type":"tool_use","name":"ToolSearch"}`), user(`{"type":"tool_result","content":` + string(block) + `}`)}, Loaded: []string{"ToolSearch"}},
		{Name: "a call of the user", In: []string{user(use("a", "ToolSearch")), user(shows)}},
		{Name: "the second call of an id", In: []string{assistant(use("a", "Read"), use("a", "ToolSearch")), user(shows)}, Loaded: []string{"Read", "ToolSearch"}},
		{Name: "a reference", In: []string{hello, user(resultOf("a", refer("zoom")))}, Loaded: []string{"zoom"}, Fixed: true},
		{Name: "the text of a reference", In: []string{assistant(use("a", "Read")), user(`{"type":"tool_result","tool_use_id":"a","content":"[{\"type\":\"tool_reference\",\"tool_name\":\"zoom\"}]"}`)}, Loaded: []string{"Read"}},
	})
}

// TestNormalizeStaleReferences takes away a tool that a conversation refers to.
func TestNormalizeStaleReferences(t *testing.T) {
	t.Parallel()
	before := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	after := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", refusedSchema), aliased(t, "Agent", "Task")), anthropic.Config{})
	notes := before.Name("notes.add")
	in := messagesOf(
		hello, assistant(use("a", "search"), use("b", "search")),
		`{"role": "user","content":[`+resultOf("a", refer("clock"), refer(notes), refer("Task"))+`, `+resultOf("b", says)+`]}`,
		assistant(onServer, `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[`+refer(notes)+`]}}`),
		user(refer(notes)),
	)
	got, repairs := before.Normalize(in)
	renamed := wire.Repair{Kind: wire.StaleReference, CallID: "a", Message: 2}
	agent := `{"type":"tool_reference","tool_name":"Agent"}` // the request holds no tool Task
	require.Equal(t, []wire.Repair{renamed}, repairs)
	require.Equal(t, user(resultOf("a", refer("clock"), refer(notes), agent), resultOf("b", says)), string(got[2]))

	got, repairs = after.Normalize(in)
	require.Equal(t, []wire.Repair{renamed, renamed}, repairs)
	require.Equal(t, "stale reference", repairs[0].Kind.String())
	require.Equal(t, user(resultOf("a", refer("clock"), `{"type":"text","text":"`+gone(notes)+`"}`, agent), resultOf("b", says)), string(got[2]))
	require.Equal(t, append(in[:2:2], in[3:]...), append(got[:2:2], got[3:]...), "more was changed")

	again, repairs := after.Normalize(got)
	require.Equal(t, got, again)
	require.Empty(t, repairs)

	var zero anthropic.Codec
	got, _ = zero.Normalize(in)
	require.Equal(t, in, got)
}

// TestNormalizeStaleReferencesAndMore makes both kinds of repair at once.
func TestNormalizeStaleReferencesAndMore(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject)), anthropic.Config{})
	got, repairs := w.Normalize(messagesOf(assistant(use("a", "search"), use("b", "clock")), hello, user(resultOf("a", refer("x")))))
	require.Equal(t, []wire.Repair{
		{Kind: wire.MissingResult, CallID: "b"},
		{Kind: wire.MisplacedResult, CallID: "a", Message: 2},
		{Kind: wire.EmptyMessage, Message: 2},
		{Kind: wire.StaleReference, CallID: "a", Message: 2},
	}, repairs)
	require.Equal(t, []json.RawMessage{json.RawMessage(assistant(use("a", "search"), use("b", "clock"))), json.RawMessage(
		user(resultOf("a", `{"type":"text","text":"`+gone("x")+`"}`), unanswered("b", "clock"), `{"type":"text","text":"Hello <you>"}`))}, got)
}

// The parts of a conversation, in bytes that no encoder would choose.
const (
	hello    = `{"role":"user","content":"Hello <you>"}`
	thinks   = `{"type":"thinking","thinking":"t","signature":"s=="}`
	says     = `{ "text":"\u003cok\u003e", "type":"text" }`
	imageOfA = `{"type":"tool_result", "tool_use_id":"a", "content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}], "cache_control":{"type":"ephemeral"}}`
	toolsOfB = `{"type":"tool_result","tool_use_id":"b","content":[{"type":"tool_reference","tool_name":"clock"}]}`
	unknown  = `{"type":"vendor","id":"a","tool_use_id":"zzz","n":1.0}`
	onServer = `{"type":"server_tool_use","id":"srvtoolu_1","name":"search","input":{"q":1}}`
	served   = `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[]}}`
)

func assistant(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func user(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func unanswered(id, name string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":[{"type":"text","text":"There is no result of ` + name +
		`: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, ` +
		`and repeat it only if it is still wanted."}],"is_error":true}`
}

func TestNormalize(t *testing.T) {
	a, b := use("a", "clock"), use("b", "map")
	resultOfA := `{"type":"tool_result","tool_use_id":"a"}`
	wiretest.RunNormalize(t, api, []wiretest.NormalizeCase{
		{Name: "nothing"},
		{Name: "in order", In: []string{hello, ` { "content" : [` + thinks + ` , ` + a + `, ` + b + `], "role": "assistant"} `,
			user(imageOfA, toolsOfB, says), assistant(says), `{"role":"user","content":""}`}},
		{Name: "nothing to do with calls", In: []string{hello, hello, assistant(unknown, `{"type":"tool_use_2","id":"x"}`), assistant(thinks), user(unknown), user()}},
		{Name: "the server answers", In: []string{assistant(onServer, served, `{"type":"mcp_tool_use","id":"mcptoolu_1"}`, `{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1"}`, use("srvtoolu_2", "run")), hello}},
		{Name: "system", In: []string{`{"role":"system","content":"Be kind."}`, hello}},

		{Name: "text follows", In: []string{assistant(a, b), `{"name":"x","role":"user","content":"st\u006fp \ud800"}`},
			Want:    []string{assistant(a, b), `{"name":"x","role":"user","content":[` + unanswered("a", "clock") + `,` + unanswered("b", "map") + `,{"type":"text","text":"st\u006fp \ud800"}]}`},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}, {Kind: wire.MissingResult, CallID: "b"}}},
		{Name: "blank text follows", In: []string{assistant(a), `{"role":"user","content":" \n"}`}, Want: []string{assistant(a), user(unanswered("a", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},
		{Name: "at the end", In: []string{hello, assistant(a)}, Want: []string{hello, assistant(a), user(unanswered("a", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Message: 1}}},
		{Name: "id and name in other spellings", In: []string{assistant(`{"type":"tool\u005fuse","id":"\u0061<","name":"\u0063lock<"}`)},
			Want:    []string{assistant(`{"type":"tool\u005fuse","id":"\u0061<","name":"\u0063lock<"}`), user(unanswered(`\u0061<`, "clock<"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a<"}}},
		{Name: "without a name", In: []string{assistant(`{"type":"tool_use","id":"a"}`)}, Want: []string{assistant(`{"type":"tool_use","id":"a"}`), user(unanswered("a", "this call"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},

		{Name: "kept one by one", In: []string{assistant(a, b), user(toolsOfB), user(imageOfA), hello}, Want: []string{assistant(a, b), user(imageOfA, toolsOfB), hello},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}}},
		{Name: "after other content", In: []string{assistant(a), user(says, unknown, imageOfA)}, Want: []string{assistant(a), user(imageOfA, says, unknown)},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 1}}},
		{Name: "no call", In: []string{hello, user(imageOfA), assistant(onServer), user(`{"type":"tool_result","tool_use_id":"srvtoolu_1"}`, says)},
			Want: []string{hello, assistant(onServer), user(says)},
			Repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Message: 1}, {Kind: wire.EmptyMessage, Message: 1},
				{Kind: wire.StrayResult, CallID: "srvtoolu_1", Message: 3}}},
		{Name: "two results", In: []string{assistant(a), user(resultOfA, imageOfA)}, Want: []string{assistant(a), user(resultOfA)},
			Repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 1}}},
		{Name: "two calls", In: []string{assistant(a), user(resultOfA), assistant(thinks, `{"type":"redacted_thinking","data":"d"}`, use("a", "other")), user(imageOfA, says)}, Want: []string{assistant(a), user(resultOfA), user(says)},
			Repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}, {Kind: wire.DuplicateResult, CallID: "a", Message: 3}}},
		{Name: "calls that nobody made", In: []string{user(a, says), assistant(says, `{"type":"tool_use","id":7,"name":"clock"}`)}, Want: []string{user(says), assistant(says)},
			Repairs: []wire.Repair{{Kind: wire.StrayCall, CallID: "a"}, {Kind: wire.StrayCall, Message: 1}}},
		{Name: "a message for each block", In: []string{assistant(thinks, a), assistant(b), `{"role":"assistant","content":"So."}`, user(imageOfA, toolsOfB)},
			Want:    []string{assistant(thinks, a, b, `{"type":"text","text":"So."}`), user(imageOfA, toolsOfB)},
			Repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}, {Kind: wire.SplitMessage, Message: 2}}},
	})
}

func FuzzNormalize(f *testing.F) {
	a, b := use("a", "clock"), use("b", "map")
	wiretest.FuzzNormalize(f, api,
		[]string{hello, assistant(thinks, a, b), user(toolsOfB), user(says, imageOfA), assistant(a), user(imageOfA)},
		[]string{assistant(a), assistant(b, onServer), user(imageOfA, toolsOfB), `{"role":"system","content":[]}`, "null"})
}

func FuzzTrim(f *testing.F) {
	wiretest.FuzzTrim(f, api,
		[]string{hello, assistant(use("a", "clock"), use("b", "map")), user(toolsOfB), user(says, imageOfA, resultOf("a", says, says))},
		[]string{user(`{"type":"tool_result","content":"old"}`)})
}

func TestRecall(t *testing.T) { wiretest.RunRecall(t, api) }

func TestChoice(t *testing.T) {
	auto, clock := `{"tool_choice":{"type":"auto"}}`, `{"tool_choice":{"type":"tool","name":"clock"}}`
	wiretest.RunChoice(t, api, map[string]string{
		"zero":                           auto,
		"one at a time":                  `{"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`,
		"required":                       `{"tool_choice":{"type":"any"}}`,
		"required, one at a time":        `{"tool_choice":{"type":"any","disable_parallel_tool_use":true}}`,
		"none":                           `{"tool_choice":{"type":"none"}}`,
		"one":                            strings.Replace(clock, "clock", "notes.add", 1),
		"some":                           auto,
		"required of one":                `{"tool_choice":{"type":"tool","name":"clock","disable_parallel_tool_use":true}}`,
		"required of some":               `{"tool_choice":{"type":"any"}}`,
		"one that waits":                 auto,
		"one that waits, one at a time":  `{"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`,
		"one that was loaded":            strings.Replace(clock, "clock", "weather", 1),
		"some that wait":                 auto,
		"required of some that wait":     `{"tool_choice":{"type":"any"}}`,
		"all that may be called wait":    auto,
		"required of those that wait":    auto,
		"none, and those that wait even": `{"tool_choice":{"type":"none"}}`,
	})
	hosted := anthropic.New(poolOf(t, wiretest.Late(t, "zoom", anyObject), tool(t, "clock", "", anyObject)), anthropic.Config{})
	require.Equal(t, strings.Replace(clock, "clock", "zoom", 1), string(hosted.Choice(wire.Choice{Mode: wire.One, Tool: "zoom"})), "the API searches")
}

// A process died between a call and its result. The conversation goes on.
func ExampleCodec_Normalize() {
	messages, repairs := new(anthropic.Codec).Normalize([]json.RawMessage{
		json.RawMessage(`{"role":"user","content":"Clean up."}`),
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"rm","input":{"path":"old"}}]}`),
		json.RawMessage(`{"role":"user","content":"Are you done?"}`),
	})
	for _, r := range repairs {
		fmt.Println(r.Kind, r.CallID, "in message", r.Message)
	}
	fmt.Println(string(messages[2]))

	// Output:
	// missing result toolu_1 in message 1
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"There is no result of rm: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, and repeat it only if it is still wanted."}],"is_error":true},{"type":"text","text":"Are you done?"}]}
}

// TestParametersHaveOtherNames in requests and replies if the API does not take theirs.
func TestParametersHaveOtherNames(t *testing.T) {
	t.Parallel()
	find := tool(t, "find", "", `{"type":"object","properties":{"$x":{"type":"boolean"}},"required":["$x"]}`)
	var r pegboard.Registry
	require.NoError(t, r.Add(find))
	pool := r.AssemblePool(session(t), pegboard.PoolConfig{})
	c := anthropic.New(pool, anthropic.Config{})
	require.Empty(t, c.Omitted())
	require.Contains(t, string(c.Tools()), `"_x":{`)
	require.Contains(t, string(c.Tools()), `"required":["_x"]`)
	m, err := c.Read(strings.NewReader(stream(start, begin(0, use("toolu_1", "find")), partial(0, `{"_x":`), partial(0, `true}`), end(0), because("tool_use"), stop))).Message()
	require.NoError(t, err)
	require.Equal(t, `{"$x":true}`, string(m.Calls[0].Input))
	require.Contains(t, string(only(m.History)), "_x", "the history is as the model wrote it")
}
