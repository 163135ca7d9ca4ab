package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// BenchmarkNew makes the tools of a request from a pool whose tools were sent
// before.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []pegboard.Tool
			for i := range n {
				tools = append(tools, tool(b, fmt.Sprintf("tool%04d", i), "Does something.", `{"properties":{"path":{"type":"string"}},"required":["path"]}`))
			}
			p := poolOf(b, tools...)
			anthropic.New(p, anthropic.Config{})
			b.ReportAllocs()
			for b.Loop() {
				anthropic.New(p, anthropic.Config{})
			}
		})
	}
}

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

func TestChoice(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject)), anthropic.Config{})
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{"type":"auto"}`},
		{name: "auto, one at a time", choice: wire.Choice{Sequential: true}, want: `{"type":"auto","disable_parallel_tool_use":true}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"type":"any"}`},
		{name: "required, one at a time", choice: wire.Choice{Mode: wire.Required, Sequential: true}, want: `{"type":"any","disable_parallel_tool_use":true}`},
		{name: "required of one", choice: wire.Choice{Mode: wire.Required, Tools: []string{"clock"}}, want: `{"type":"tool","name":"clock"}`},
		{name: "required of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"clock", "notes.add"}}, want: `{"type":"any"}`},
		{name: "auto of one", choice: wire.Choice{Tools: []string{"clock"}}, want: `{"type":"auto"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Sequential: true}, want: `{"type":"none"}`},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "clock"}, want: `{"type":"tool","name":"clock"}`},
		{name: "one by another name", choice: wire.Choice{Mode: wire.One, Tool: "notes.add", Sequential: true},
			want: `{"type":"tool","name":"` + w.Name("notes.add") + `","disable_parallel_tool_use":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"tool_choice":`+tt.want+`}`, string(w.Choice(tt.choice)))
			require.Equal(t, "{}", string(anthropic.New(poolOf(t), anthropic.Config{}).Choice(tt.choice)), "the API takes no choice without tools")
		})
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
		{name: "definitions", in: []string{assistant(use("a", "ToolSearch")), user(resultOf("a", `{"type":"text","text":`+block+`}`))}, want: []string{"ToolSearch", "x", "y"}},
		{name: "definitions in a string", in: []string{assistant(use("a", "ToolSearch")), user(`{"type":"tool_result","tool_use_id":"a","content":` + block + `}`)}, want: []string{"ToolSearch", "x", "y"}},
		{name: "names of the pool", in: []string{assistant(use("a", w.Name("notes.add")), use("b", "Task"), use("c", "Agent"))}, want: []string{"notes.add", "Agent"}},
		{name: "odd results", in: []string{user(`{"type":"tool_result"}`, `{"type":"tool_result","content":7}`, `{"type":"tool_result","content":[1,null,{},"x",{"type":"tool_reference"}]}`,
			`{"type":"tool_search_tool_result","content":[]}`, `{"type":"tool_search_tool_result","content":{"tool_references":{}}}`)}},
		{name: "unreadable", in: []string{`{`, `{"role":"user"}`, assistant(use("a", "b"))}, want: []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, w.Loaded(messagesOf(tt.in)))
		})
	}
	var zero anthropic.Codec
	require.Equal(t, []string{"Task"}, zero.Loaded(messagesOf([]string{assistant(use("a", "Task"))})))
}

// aliased returns a tool with another name.
func aliased(t *testing.T, name, alias string) pegboard.Tool {
	t.Helper()
	return special(t, pegboard.Info{Name: name, Aliases: []string{alias}}, anyObject)
}

// TestShown tells results of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := special(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, anyObject)
	searching := anthropic.New(poolOf(t, search, tool(t, "fetch.page", "", anyObject)), anthropic.Config{})
	renamed := anthropic.New(poolOf(t, aliased(t, "grep", "ToolSearch")), anthropic.Config{})
	const block = `"<functions>\n{\"name\":\"zoom\"}\n</functions>"`
	shows := `{"type":"tool_result","tool_use_id":"a","content":` + block + `}`
	inParts := resultOf("a", `{"type":"text","text":"Found:"}`, `{"type":"text","text":`+block+`}`)
	found := []string{"ToolSearch", "zoom"}
	tests := []struct {
		name   string
		wire   *anthropic.Codec
		call   string
		result string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: assistant(use("a", searching.Name("fetch.page"))), result: shows, loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: assistant(use("a", "Read")), result: inParts, loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: assistant(use("a", "mcp__maps__route")), result: shows, loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: assistant(use("a", "ToolSearch")), result: shows, loaded: []string{"grep"}},
		{name: "an unknown call", wire: searching, call: assistant(use("b", "ToolSearch")), result: shows, loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, result: shows},
		{name: "no id", wire: searching, call: assistant(`{"type":"tool_use","name":"ToolSearch"}`), result: `{"type":"tool_result","content":` + block + `}`, loaded: []string{"ToolSearch"}},
		{name: "a call of the user", wire: searching, call: user(use("a", "ToolSearch")), result: shows},
		{name: "the second call of an id", wire: searching, call: assistant(use("a", "Read"), use("a", "ToolSearch")), result: shows, loaded: []string{"Read", "ToolSearch"}},
		{name: "a search that failed", wire: searching, call: assistant(use("a", "ToolSearch")), result: `{"type":"tool_result","tool_use_id":"a","is_error":true,"content":` + block + `}`, loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: assistant(use("a", "ToolSearch")), result: resultOf("a", says), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: assistant(use("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
		{name: "a search, in parts", wire: searching, call: assistant(use("a", "ToolSearch")), result: inParts, loaded: found, fixed: true},
		{name: "an alias", wire: searching, call: assistant(use("a", "FindTools")), result: shows, loaded: found, fixed: true},
		{name: "without a pool", wire: &anthropic.Codec{}, call: assistant(use("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
		{name: "a reference", wire: searching, call: hello, result: resultOf("a", refer("zoom")), loaded: []string{"zoom"}, fixed: true},
		{name: "the text of a reference", wire: searching, call: assistant(use("a", "Read")),
			result: `{"type":"tool_result","tool_use_id":"a","content":"[{\"type\":\"tool_reference\",\"tool_name\":\"zoom\"}]"}`, loaded: []string{"Read"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			messages := messagesOf([]string{tt.call, user(tt.result)})
			require.Equal(t, tt.loaded, tt.wire.Loaded(messages))
			var s trimmer
			tt.wire.Trim(t.Context(), messages, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}

// TestNormalizeStaleReferences takes away a tool that a conversation refers to.
func TestNormalizeStaleReferences(t *testing.T) {
	t.Parallel()
	before := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	after := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", refusedSchema), aliased(t, "Agent", "Task")), anthropic.Config{})
	notes := before.Name("notes.add")
	in := messagesOf([]string{
		hello, assistant(use("a", "search"), use("b", "search")),
		`{"role": "user","content":[` + resultOf("a", refer("clock"), refer(notes), refer("Task")) + `, ` + resultOf("b", says) + `]}`,
		assistant(onServer, `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[`+refer(notes)+`]}}`),
		user(refer(notes)),
	})
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
	got, repairs := w.Normalize(messagesOf([]string{assistant(use("a", "search"), use("b", "clock")), hello, user(resultOf("a", refer("x")))}))
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
	t.Parallel()
	a, b := use("a", "clock"), use("b", "map")
	resultOfA := `{"type":"tool_result","tool_use_id":"a"}`
	tests := []struct {
		name    string
		in      []string
		want    []string // nil: the same
		repairs []wire.Repair
	}{
		{name: "nothing"},
		{name: "in order", in: []string{hello, ` { "content" : [` + thinks + ` , ` + a + `, ` + b + `], "role": "assistant"} `,
			user(imageOfA, toolsOfB, says), assistant(says), `{"role":"user","content":""}`}},
		{name: "nothing to do with calls", in: []string{hello, hello, assistant(unknown, `{"type":"tool_use_2","id":"x"}`), assistant(thinks), user(unknown), user()}},
		{name: "the server answers", in: []string{assistant(onServer, served, `{"type":"mcp_tool_use","id":"mcptoolu_1"}`, `{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1"}`, use("srvtoolu_2", "run")), hello}},
		{name: "system", in: []string{`{"role":"system","content":"Be kind."}`, hello}},

		{name: "text follows", in: []string{assistant(a, b), `{"name":"x","role":"user","content":"st\u006fp \ud800"}`},
			want:    []string{assistant(a, b), `{"name":"x","role":"user","content":[` + unanswered("a", "clock") + `,` + unanswered("b", "map") + `,{"type":"text","text":"st\u006fp \ud800"}]}`},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}, {Kind: wire.MissingResult, CallID: "b"}}},
		{name: "blank text follows", in: []string{assistant(a), `{"role":"user","content":" \n"}`}, want: []string{assistant(a), user(unanswered("a", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},
		{name: "at the end", in: []string{hello, assistant(a)}, want: []string{hello, assistant(a), user(unanswered("a", "clock"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Message: 1}}},
		{name: "id and name in other spellings", in: []string{assistant(`{"type":"tool\u005fuse","id":"\u0061<","name":"\u0063lock<"}`)},
			want:    []string{assistant(`{"type":"tool\u005fuse","id":"\u0061<","name":"\u0063lock<"}`), user(unanswered(`\u0061<`, "clock<"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a<"}}},
		{name: "without a name", in: []string{assistant(`{"type":"tool_use","id":"a"}`)}, want: []string{assistant(`{"type":"tool_use","id":"a"}`), user(unanswered("a", "this call"))},
			repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a"}}},

		{name: "kept one by one", in: []string{assistant(a, b), user(toolsOfB), user(imageOfA), hello}, want: []string{assistant(a, b), user(imageOfA, toolsOfB), hello},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}}},
		{name: "after other content", in: []string{assistant(a), user(says, unknown, imageOfA)}, want: []string{assistant(a), user(imageOfA, says, unknown)},
			repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 1}}},
		{name: "no call", in: []string{hello, user(imageOfA), assistant(onServer), user(`{"type":"tool_result","tool_use_id":"srvtoolu_1"}`, says)},
			want: []string{hello, assistant(onServer), user(says)},
			repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Message: 1}, {Kind: wire.EmptyMessage, Message: 1},
				{Kind: wire.StrayResult, CallID: "srvtoolu_1", Message: 3}}},
		{name: "two results", in: []string{assistant(a), user(resultOfA, imageOfA)}, want: []string{assistant(a), user(resultOfA)},
			repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 1}}},
		{name: "two calls", in: []string{assistant(a), user(resultOfA), assistant(thinks, `{"type":"redacted_thinking","data":"d"}`, use("a", "other")), user(imageOfA, says)}, want: []string{assistant(a), user(resultOfA), user(says)},
			repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}, {Kind: wire.DuplicateResult, CallID: "a", Message: 3}}},
		{name: "calls that nobody made", in: []string{user(a, says), assistant(says, `{"type":"tool_use","id":7,"name":"clock"}`)}, want: []string{user(says), assistant(says)},
			repairs: []wire.Repair{{Kind: wire.StrayCall, CallID: "a"}, {Kind: wire.StrayCall, Message: 1}}},
		{name: "a message for each block", in: []string{assistant(thinks, a), assistant(b), `{"role":"assistant","content":"So."}`, user(imageOfA, toolsOfB)},
			want:    []string{assistant(thinks, a, b, `{"type":"text","text":"So."}`), user(imageOfA, toolsOfB)},
			repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}, {Kind: wire.SplitMessage, Message: 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.repairs == nil {
				tt.want = tt.in
			}
			in := messagesOf(tt.in)
			got, repairs := new(anthropic.Codec).Normalize(in)
			require.Equal(t, tt.want, stringsOf(got))
			require.Equal(t, tt.repairs, repairs)
			require.Equal(t, tt.in, stringsOf(in), "the history was changed")
			requireNormal(t, in)
		})
	}
}

// TestNormalizeLeavesWhatItCannotRead reports such messages, and repairs the others.
func TestNormalizeLeavesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{
		``, `null`, `[]`, `"user"`, `{`, hello + hello, `{}`, `{"content":"x"}`, `{"role":"user"}`, `{"role":"user","content":null}`, `{"role":"user","content":{}}`,
		`{"role":7,"content":"x"}`, `{"role":"tool","content":"x"}`, `{"ROLE":"user","content":"x"}`, `{"role":"user","role":"assistant","content":"x"}`,
		user(`"x"`), user(`null`), user(`[]`), user(`{"type":"text","type":"tool_result"}`),
	} {
		in := messagesOf([]string{hello, odd, assistant(use("a", "clock")), odd})
		got, repairs := new(anthropic.Codec).Normalize(in)
		require.Equal(t, []string{hello, odd, assistant(use("a", "clock")), user(unanswered("a", "clock")), odd}, stringsOf(got))
		require.Equal(t, []wire.Repair{{Kind: wire.UnreadableMessage, Message: 1}, {Kind: wire.MissingResult, CallID: "a", Message: 2}, {Kind: wire.UnreadableMessage, Message: 3}}, repairs)
		require.Equal(t, "unreadable message", repairs[0].Kind.String())
	}
}

func messagesOf(texts []string) (messages []json.RawMessage) {
	for _, s := range texts {
		messages = append(messages, json.RawMessage(s))
	}
	return messages
}

func stringsOf(messages []json.RawMessage) (texts []string) {
	for _, m := range messages {
		texts = append(texts, string(m))
	}
	return texts
}

// TestInvariant2OfNormalize takes conversations apart at random.
func TestInvariant2OfNormalize(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(22, seed))
		turns := randomTurns(random)
		sound := messagesOf(render(turns))
		got, repairs := new(anthropic.Codec).Normalize(sound)
		require.Empty(t, repairs, "seed %d", seed)
		require.Equal(t, stringsOf(sound), stringsOf(got), "seed %d", seed)
		for range 1 + random.IntN(5) {
			turns = disturb(random, turns)
		}
		requireNormal(t, messagesOf(render(turns)))
	}
}

// FuzzNormalize takes a message from each line.
func FuzzNormalize(f *testing.F) {
	a, b := use("a", "clock"), use("b", "map")
	f.Add(strings.Join([]string{hello, assistant(thinks, a, b), user(toolsOfB), user(says, imageOfA), assistant(a), user(imageOfA)}, "\n"))
	f.Add(strings.Join([]string{assistant(a), assistant(b, onServer), user(imageOfA, toolsOfB), `{"role":"system","content":[]}`, "null"}, "\n"))
	f.Fuzz(func(t *testing.T, s string) { requireNormal(t, messagesOf(strings.Split(s, "\n"))) })
}

// requireNormal checks all that Normalize promises of any history.
func requireNormal(t *testing.T, in []json.RawMessage) {
	t.Helper()
	out, repairs := new(anthropic.Codec).Normalize(in)
	unreadable := slices.ContainsFunc(repairs, func(r wire.Repair) bool { return r.Kind == wire.UnreadableMessage })
	if !unreadable {
		require.Empty(t, faults(t, out), "%s\nbecame\n%s", in, out)
		require.Equal(t, len(faults(t, in)) == 0, len(repairs) == 0, "%s: %v", in, repairs)
		requireBlocksOf(t, in, out)
	}
	if len(repairs) == 0 {
		require.Equal(t, stringsOf(in), stringsOf(out))
	}
	again, more := new(anthropic.Codec).Normalize(out)
	require.Equal(t, out, again, "%s\nwas not normal", out)
	for _, r := range more {
		require.Equal(t, wire.UnreadableMessage, r.Kind)
	}
	repeated, same := new(anthropic.Codec).Normalize(in)
	require.Equal(t, out, repeated)
	require.Equal(t, repairs, same)
}

// faults lists why the API would refuse a request for its calls and results.
func faults(t *testing.T, messages []json.RawMessage) (all []string) {
	t.Helper()
	used := map[string]bool{}
	var due []string // the calls of the message before
	for i, raw := range messages {
		fault := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("messages.%d: ", i)+fmt.Sprintf(format, args...))
		}
		var m map[string]any
		require.NoError(t, json.Unmarshal(raw, &m))
		blocks, _ := m["content"].([]any)
		if m["role"] == "system" {
			blocks = nil
		}
		var calls, results []string
		for j, content := range blocks {
			b, ok := content.(map[string]any)
			require.True(t, ok)
			id, _ := b["id"].(string)
			switch {
			case b["type"] == "tool_result":
				if m["role"] != "user" || len(results) < j {
					fault("tool_result after other content, or of the assistant")
				}
				of, _ := b["tool_use_id"].(string)
				results = append(results, of)
			case b["type"] == "tool_use" && !strings.HasPrefix(id, "srvtoolu_"):
				if m["role"] != "assistant" || id == "" || used[id] {
					fault("tool_use ids must be unique, and be the assistant's")
				}
				used[id] = true
				calls = append(calls, id)
			}
		}
		if !slices.Equal(due, results) {
			fault("tool_result blocks of %v for the tool_use ids %v", results, due)
		}
		due = calls
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no tool_result blocks for %v", due))
	}
	return all
}

// requireBlocksOf checks that the blocks of out are those of in, byte for byte,
// apart from results that were missing and text that was no block before.
func requireBlocksOf(t *testing.T, in, out []json.RawMessage) {
	t.Helper()
	before := map[string]bool{}
	for _, m := range in {
		for _, b := range blocksOf(m) {
			before[string(b)] = true
		}
	}
	for _, m := range out {
		for _, b := range blocksOf(m) {
			made := strings.HasSuffix(string(b), `"is_error":true}`) || strings.HasPrefix(string(b), `{"type":"text"`)
			require.True(t, before[string(b)] || made, "%s", b)
		}
	}
}

func blocksOf(message json.RawMessage) []json.RawMessage {
	var m struct{ Content json.RawMessage }
	var blocks []json.RawMessage
	if json.Unmarshal(message, &m) != nil || json.Unmarshal(m.Content, &blocks) != nil {
		return nil // a string
	}
	return blocks
}

// past is a message of a random conversation.
type past struct {
	role   string
	blocks []string
}

func render(turns []past) (texts []string) {
	for _, m := range turns {
		texts = append(texts, `{"content": [`+strings.Join(m.blocks, ", ")+`], "role": "`+m.role+`"}`)
	}
	return texts
}

// randomTurns returns a conversation in which nothing is wrong.
func randomTurns(random *rand.Rand) []past {
	turns := []past{{role: "user", blocks: []string{says}}}
	for i := range random.IntN(8) {
		said := []string{thinks, says, onServer, served, unknown}[random.IntN(5):]
		var results []string
		for j := range random.IntN(4) {
			id := fmt.Sprintf("toolu_%d_%d", i, j)
			said = append(said, fmt.Sprintf(`{"id":%q, "name":"clock", "type":"tool_use", "input":{ "x":1.0 }}`, id))
			results = append(results, fmt.Sprintf(`{"tool_use_id":%q,"type":"tool_result" ,"content":"<12>"}`, id))
		}
		turns = append(turns, past{role: "assistant", blocks: said})
		if len(results) > 0 || random.IntN(2) > 0 {
			turns = append(turns, past{role: "user", blocks: append(results, []string{says, unknown}[random.IntN(3):]...)})
		}
	}
	return turns
}

// disturb drops, repeats, moves or splits messages and blocks.
func disturb(random *rand.Rand, turns []past) []past {
	if len(turns) == 0 {
		return nil
	}
	i, j := random.IntN(len(turns)), random.IntN(len(turns))
	m := &turns[i]
	at := random.IntN(len(m.blocks) + 1)
	switch random.IntN(8) {
	case 0:
		return slices.Delete(turns, i, i+1)
	case 1:
		return slices.Insert(turns, j, past{role: m.role, blocks: slices.Clone(m.blocks)})
	case 2:
		turns[i], turns[j] = turns[j], turns[i]
	case 3:
		return turns[:i]
	case 4:
		rest := past{role: m.role, blocks: slices.Clone(m.blocks[at:])}
		m.blocks = m.blocks[:at]
		return slices.Insert(turns, i+1, rest)
	case 5:
		random.Shuffle(len(m.blocks), func(a, b int) { m.blocks[a], m.blocks[b] = m.blocks[b], m.blocks[a] })
	default:
		if at < len(m.blocks) {
			block := m.blocks[at]
			m.blocks = slices.Delete(m.blocks, at, at+1)
			turns[j].blocks = append(turns[j].blocks, []string{block, block}[random.IntN(3):]...)
		}
	}
	return turns
}

// TestRecordingsNormalize leaves every recorded request as it is, and repairs it
// when it is cut off after any message, misses any, or ends with the recorded
// response.
func TestRecordingsNormalize(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		requests, messages, results := 0, 0, 0
		for _, r := range recordings(t, filepath.Join(folder, "recordings", "anthropic")) {
			var request struct{ Messages []json.RawMessage }
			_ = json.Unmarshal(r.Request, &request) // what is no request has none
			sent := request.Messages
			got, repairs := new(anthropic.Codec).Normalize(sent)
			require.Equal(t, stringsOf(sent), stringsOf(got), r.File)
			require.Empty(t, repairs, r.File)
			for i := range sent {
				requireNormal(t, sent[:i])
				requireNormal(t, slices.Delete(slices.Clone(sent), i, i+1))
				results += strings.Count(string(sent[i]), `"tool_result"`)
			}
			_, m, _ := read(strings.NewReader(r.Body)) // some were cut
			if history := only(m.History); history != nil {
				requireNormal(t, append(slices.Clone(sent), history))
			}
			requests += min(1, len(sent))
			messages += len(sent)
		}
		corpus.Report(t, folder, "%d requests of %d messages with %d results unchanged", requests, messages, results)
	}
}

func BenchmarkNormalize(b *testing.B) {
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
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		new(anthropic.Codec).Normalize(messages)
	}
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

// waiting returns a tool that waits for a search.
func waiting(t testing.TB, name, schema string) pegboard.Tool {
	t.Helper()
	return special(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, schema)
}

// catalogue returns tools that are searched, and the tool that does so.
func catalogue(t testing.TB) *pegboard.Registry {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, "clock", "", anyObject), waiting(t, zoom, anyObject)))
	_, err := r.Attach("maps", waiting(t, "route.find", anyObject), waiting(t, "odd", refusedSchema))
	require.NoError(t, err)
	return &r
}

// resumed returns the Wire of a conversation that made tools known before.
func resumed(t testing.TB, r *pegboard.Registry, loaded ...string) *anthropic.Codec {
	t.Helper()
	s := session(t)
	s.SetLoaded(loaded...)
	return anthropic.New(r.AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
}

// Two tools of the catalogue. The API has another name for one of them.
const (
	route = "mcp__maps__route_find"
	zoom  = "zoom.in"
)

// TestRecall pretends what the model and ToolSearch would have said.
func TestRecall(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	w := resumed(t, r)
	tools := []string{"clock", route, "ToolSearch", "mcp__maps__odd", "gone", zoom, route}
	got := w.Recall(tools)
	require.Len(t, got, 2)
	require.Equal(t, []string{"ToolSearch", route, zoom}, w.Loaded(got))
	require.Equal(t, got, resumed(t, r, zoom).Recall([]string{route, zoom}), "not the same bytes")
	require.NotEqual(t, got, w.Recall([]string{zoom, route}))

	// It is what would have been sent had the model made the call.
	var said struct {
		Content []struct {
			ID    string
			Input json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(got[0], &said))
	require.Regexp(t, `^toolu_[0-9a-f]{24}$`, said.Content[0].ID)
	require.Equal(t, `{"query":"select:`+route+`,`+zoom+`"}`, string(said.Content[0].Input))
	body := `{"type":"message","role":"assistant",` + strings.TrimPrefix(string(got[0]), `{"role":"assistant",`)
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	found := &pegboard.Result{Parts: []pegboard.Part{{Tool: route}, {Tool: zoom}}}
	require.Equal(t, got, append(m.History, w.Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: found}})...))

	summary, next := json.RawMessage(hello), json.RawMessage(user(says))
	requireSound(t, w, []json.RawMessage{summary, got[0], got[1], next})
	requireSound(t, w, []json.RawMessage{summary, got[0], got[1], json.RawMessage(assistant(says))})

	require.Nil(t, w.Recall(nil))
	require.Nil(t, w.Recall([]string{"clock", "gone", "mcp__maps__odd"}))
	require.Nil(t, anthropic.New(poolOf(t, waiting(t, zoom, anyObject)), anthropic.Config{}).Recall([]string{zoom}), "nobody searches")
	require.Nil(t, new(anthropic.Codec).Recall([]string{zoom}))
}

// requireSound checks that Normalize finds nothing to repair.
func requireSound(t *testing.T, w *anthropic.Codec, messages []json.RawMessage) {
	t.Helper()
	got, repairs := w.Normalize(messages)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(messages), stringsOf(got))
	require.Empty(t, faults(t, got))
}

// TestRecallSurvivesCompaction drops the messages in which tools were loaded, and
// takes up the conversation in another process.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	s := session(t)
	w := anthropic.New(r.AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
	tools := string(w.Tools())
	conversation := []json.RawMessage{json.RawMessage(hello)}
	for _, found := range []string{zoom, route} {
		body := `{"type":"message","role":"assistant","content":[` + use("s_"+found[:4], "ToolSearch") + `]}`
		m, err := w.Read(strings.NewReader(body)).Message()
		require.NoError(t, err)
		result := &pegboard.Result{Parts: []pegboard.Part{{Tool: found}}}
		conversation = append(append(conversation, m.History...), w.Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: result}})...)
		s.SetLoaded(w.Loaded(conversation)...)
		w = anthropic.New(r.AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
		require.Equal(t, tools, string(w.Tools()), "a search changed the tools")
	}

	compacted := append([]json.RawMessage{json.RawMessage(hello)}, w.Recall(w.Loaded(conversation))...)
	requireSound(t, w, compacted)
	require.Equal(t, w.Loaded(conversation), w.Loaded(compacted))
	after := resumed(t, r, w.Loaded(compacted)...)
	require.Equal(t, tools, string(after.Tools()))
	for _, name := range []string{zoom, route} {
		require.Contains(t, string(compacted[2]), `{"type":"tool_reference","tool_name":"`+after.Name(name)+`"}`)
	}
	again := append([]json.RawMessage{json.RawMessage(hello)}, after.Recall(after.Loaded(compacted))...)
	require.Equal(t, stringsOf(compacted), stringsOf(again), "compacted twice")
}

// TestChoiceOfWhatWaits does not make the model call what it has not seen.
func TestChoiceOfWhatWaits(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	hosted := anthropic.New(poolOf(t, waiting(t, zoom, anyObject), tool(t, "clock", "", anyObject)), anthropic.Config{})
	one := func(tool string) wire.Choice { return wire.Choice{Mode: wire.One, Tool: tool} }
	auto, forced := `{"type":"auto"}`, func(api string) string { return `{"type":"tool","name":"` + api + `"}` }
	tests := []struct {
		name   string
		wire   *anthropic.Codec
		choice wire.Choice
		want   string
	}{
		{name: "it waits", wire: resumed(t, r), choice: one(zoom), want: auto},
		{name: "the only one that is required", wire: resumed(t, r), choice: wire.Choice{Mode: wire.Required, Tools: []string{zoom}}, want: auto},
		{name: "some that wait, which cannot be said", wire: resumed(t, r), choice: wire.Choice{Tools: []string{zoom, route}}, want: auto},
		{name: "loaded", wire: resumed(t, r, zoom), choice: one(zoom), want: forced(hosted.Name(zoom))},
		{name: "another was loaded", wire: resumed(t, r, zoom), choice: one(route), want: auto},
		{name: "it never waited", wire: resumed(t, r), choice: one("clock"), want: forced("clock")},
		{name: "the API searches", wire: hosted, choice: one(zoom), want: forced(hosted.Name(zoom))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"tool_choice":`+tt.want+`}`, string(tt.wire.Choice(tt.choice)))
		})
	}
}

// TestRecallRuns gives the call that was pretended to the real tool: what it finds is
// what was recalled.
func TestRecallRuns(t *testing.T) {
	t.Parallel()
	s := session(t)
	p := catalogue(t).AssemblePool(s, pegboard.PoolConfig{})
	w := anthropic.New(p, anthropic.Config{})
	got := w.Recall([]string{route, zoom})
	body := `{"type":"message","role":"assistant",` + strings.TrimPrefix(string(got[0]), `{"role":"assistant",`)
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	var executor pegboard.Executor
	require.Equal(t, got[1:], w.Results(m, executor.Run(context.Background(), p, m.Calls...)))
	require.Equal(t, []string{"ToolSearch", route, zoom}, s.Loaded())
}
