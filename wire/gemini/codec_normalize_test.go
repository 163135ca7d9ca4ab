package gemini_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

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
