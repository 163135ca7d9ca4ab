package responses_test

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
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

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
