package chat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

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
