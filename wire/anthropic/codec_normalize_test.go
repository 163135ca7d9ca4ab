package anthropic_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

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
