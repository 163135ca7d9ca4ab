package responses_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

func BenchmarkCodec(b *testing.B) { wiretest.Benchmark(b, api) }

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

// TestToolsThatWait are not sent before they were loaded. A strict one is called like any other.
func TestToolsThatWait(t *testing.T) {
	wiretest.RunDeferral(t, api)
	s, _, codec := api.Searchable(t, tool(t, pegboard.Info{Name: "zoom", Strict: true, Loading: pegboard.LoadOnSearch}, "", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`))
	s.SetLoaded("zoom")
	_, m, err := wiretest.Read(codec(), strings.NewReader(whole("completed", "", use("1", "zoom", `{"a": null}`))))
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Calls[0].Input), "null stands for a property that is left out")
}

// TestToolsThatWaitForTheAPI are all sent, where they always were.
func TestToolsThatWaitForTheAPI(t *testing.T) {
	t.Parallel()
	for _, w := range []wiretest.Wire{searchedByClient, searchedByAPI} {
		s, _, codec := w.Searchable(t, wiretest.Late(t, "route", anyObject), named(t, "clock", "", anyObject), wiretest.Late(t, "zoom.in", anyObject))
		before := codec().Tools()
		require.Equal(t, 2, strings.Count(string(before), `"defer_loading":true`))
		s.SetLoaded("zoom.in", "route")
		require.Equal(t, string(before), string(codec().Tools()))
	}
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	block := `<functions>\n{\"name\":\"b\"}\n</functions>`
	var w responses.Codec
	got := w.Loaded(messagesOf(
		hello, `null`, `{"role":"user","content":"`+block+`"}`, use("1", "ToolSearch", "{}"), use("2", "ToolSearch", "{}"), use("3", "a", "{}"), output("1", `"`+block+`"`), output("2", `[{"type":"input_text","text":"`+strings.Replace(block, "b", "c", 1)+`"}]`), output("3", `7`),
		`{"type":"tool_search_output","tools":[{"type":"function","name":"d"},{"type":"namespace","name":"n","tools":[{"type":"function","name":"e"},{"type":"function","name":"a"}]}]}`,
		`{"type":"tool_search_output","tools":7}`, use("4", "a", "{}"), use("5", "f", "{}"),
	))
	require.Equal(t, []string{"ToolSearch", "a", "b", "c", "d", "e", "f"}, got)
	require.Nil(t, w.Loaded(nil))
	known := responses.New(poolOf(t, tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject)), responses.Config{})
	require.Equal(t, []string{"Agent"}, known.Loaded(messagesOf(use("1", "Task", "{}"), use("2", "Agent", "{}"))))
}

func TestShown(t *testing.T) {
	const quoted = `"<functions>\n{\"name\":\"zoom\"}\n</functions>"`
	inParts := output("a", `[`+inputText("Found:")+`,{"type":"input_text","text":`+quoted+`}]`)
	const sent = `{"type":"tool_search_output","call_id":"a","execution":"client","status":"completed","tools":[{"type":"function","name":"zoom"}]}`
	wiretest.RunShown(t, api, []wiretest.ShownCase{
		{Name: "a file, in parts", In: []string{use("a", "Read", "{}"), inParts}, Loaded: []string{"Read"}},
		{Name: "no id", In: []string{use("", "ToolSearch", "{}"), output("", quoted)}, Loaded: []string{"ToolSearch"}},
		{Name: "a call of another kind", In: []string{`{"type":"custom_tool_call","call_id":"a","name":"ToolSearch","input":"x"}`, `{"type":"custom_tool_call_output","call_id":"a","output":` + quoted + `}`}},
		{Name: "a search, in parts", In: []string{use("a", "ToolSearch", "{}"), inParts}, Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
		{Name: "an item of a search", In: []string{hello, sent}, Loaded: []string{"zoom"}, Fixed: true},
		{Name: "the text of such an item", In: []string{use("a", "Read", "{}"), output("a", `"{\"type\":\"tool_search_output\",\"tools\":[{\"type\":\"function\",\"name\":\"zoom\"}]}"`)}, Loaded: []string{"Read"}},
	})
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
	a, b := use("a", "clock", "{}"), use("b", "map", "{")
	missing := func(id string, at int) wire.Repair {
		return wire.Repair{Kind: wire.MissingResult, CallID: id, Message: at}
	}
	wiretest.RunNormalize(t, api, []wiretest.NormalizeCase{
		{Name: "nothing"},
		{Name: "in order", In: []string{system, hello, thinks, ` ` + a + ` `, b, imageOfA, textOfB, goOn, says, answered, hello}},
		{Name: "one after the other", In: []string{hello, thinks, a, imageOfA, thinksOn, b, textOfB, says}},
		{Name: "text after the calls", In: []string{a, b, says, imageOfA, textOfB}},
		{Name: "nothing to do with calls", In: []string{hello, hello, hosted, `{"type":"of next year","call_id":"z"}`, thinks, goOn, system, system}},
		{Name: "calls of others", In: []string{`{"type":"computer_call","call_id":"a"}`, shot, `{"type":"shell_call","call_id":"b"}`, hello, `{"type":"tool_search_call","execution":"server","call_id":null}`, foundByIt}},
		{Name: "searches", In: []string{hello, sought, found, use("a", "map", "{}"), imageOfA}},
		{Name: "ids of several kinds", In: []string{custom, a, patch, ofCustom, imageOfA, `{"type":"apply_patch_call_output","call_id":"p","status":"completed"}`}},

		{Name: "at the end", In: []string{hello, thinks, a, b}, Want: []string{hello, thinks, a, b, unanswered("a", "clock"), unanswered("b", "map")}, Repairs: []wire.Repair{missing("a", 2), missing("b", 3)}},
		{Name: "before text", In: []string{a, b, textOfB, goOn}, Want: []string{a, b, unanswered("a", "clock"), textOfB, goOn}, Repairs: []wire.Repair{missing("a", 0)}},
		{Name: "before a system message", In: []string{a, system, hello}, Want: []string{a, unanswered("a", "clock"), system, hello}, Repairs: []wire.Repair{missing("a", 0)}},
		{Name: "of all kinds", In: []string{custom, patch, sought},
			Want: []string{custom, patch, sought,
				`{"type":"custom_tool_call_output","call_id":"a","output":"` + fmt.Sprintf(lost, "grep") + `"}`,
				`{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"` + fmt.Sprintf(lost, "this call") + `"}`,
				`{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[]}`},
			Repairs: []wire.Repair{missing("a", 0), missing("p", 1), missing("s", 2)}},
		{Name: "a search that does not say whose it is", In: []string{`{"type":"tool_search_call","call_id":"s","arguments":{}}`}, Want: []string{`{"type":"tool_search_call","call_id":"s","arguments":{}}`,
			`{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[]}`}, Repairs: []wire.Repair{missing("s", 0)}},
		{Name: "id in another spelling", In: []string{`{"type":"function\u005fcall","call_id":"\u0061<","name":"\u0063lock<"}`},
			Want:    []string{`{"type":"function\u005fcall","call_id":"\u0061<","name":"\u0063lock<"}`, `{"type":"function_call_output","call_id":"\u0061<","output":"` + fmt.Sprintf(lost, "clock<") + `"}`},
			Repairs: []wire.Repair{missing("a<", 0)}},

		{Name: "out of order", In: []string{a, b, textOfB, goOn, imageOfA}, Want: []string{a, b, imageOfA, textOfB, goOn},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "b", Message: 2}, {Kind: wire.MisplacedResult, CallID: "a", Message: 4}}},
		{Name: "in a later turn", In: []string{a, hello, says, imageOfA}, Want: []string{a, imageOfA, hello, says},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Message: 3}}},
		{Name: "no call", In: []string{hello, imageOfA, found, says}, Want: []string{hello, says},
			Repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Message: 1}, {Kind: wire.StrayResult, CallID: "s", Message: 2}}},
		{Name: "no call, twice", In: []string{imageOfA, imageOfA}, Want: []string{},
			Repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a"}, {Kind: wire.StrayResult, CallID: "a", Message: 1}}},
		{Name: "of another kind", In: []string{custom, imageOfA}, Want: []string{custom, `{"type":"custom_tool_call_output","call_id":"a","output":"` + fmt.Sprintf(lost, "grep") + `"}`},
			Repairs: []wire.Repair{missing("a", 0), {Kind: wire.StrayResult, CallID: "a", Message: 1}}},
		{Name: "two outputs", In: []string{a, imageOfA, goOn, imageOfA}, Want: []string{a, imageOfA, goOn},
			Repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "a", Message: 3}}},
		{Name: "two calls", In: []string{a, imageOfA, thinks, use("a", "other", "{}"), imageOfA, goOn}, Want: []string{a, imageOfA, goOn},
			Repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Message: 3}, {Kind: wire.DuplicateResult, CallID: "a", Message: 4}}},
		{Name: "items twice", In: []string{thinks, a, imageOfA, hello, hello, thinks, a, imageOfA, says, answered, answered, says}, Want: []string{thinks, a, imageOfA, hello, hello, says, answered, answered},
			Repairs: []wire.Repair{{Kind: wire.DuplicateMessage, Message: 5}, {Kind: wire.DuplicateCall, CallID: "a", Message: 6}, {Kind: wire.DuplicateResult, CallID: "a", Message: 7}, {Kind: wire.DuplicateMessage, Message: 11}}},
		{Name: "no ids", In: []string{says, `{"type":"function_call","name":"clock"}`, `{"type":"function_call","call_id":7}`, `{"type":"function_call_output","output":""}`}, Want: []string{says},
			Repairs: []wire.Repair{{Kind: wire.StrayCall, Message: 1}, {Kind: wire.StrayCall, Message: 2}, {Kind: wire.StrayResult, Message: 3}}},
		{Name: "calls that the API keeps", In: []string{`{"type":"item_reference","id":"fc_1"}`, imageOfA, `{"id":"fc_2"}`, b, textOfB, textOfB}, Want: []string{`{"type":"item_reference","id":"fc_1"}`, imageOfA, `{"id":"fc_2"}`, b, textOfB},
			Repairs: []wire.Repair{{Kind: wire.DuplicateResult, CallID: "b", Message: 5}}},
	})
}

func FuzzNormalize(f *testing.F) {
	a, b := use("a", "clock", "{}"), use("b", "map", "{}")
	wiretest.FuzzNormalize(f, api,
		[]string{hello, thinks, a, b, textOfB, says, imageOfA, goOn, a, imageOfA},
		[]string{custom, a, sought, hosted, imageOfA, found, patch, system, "null", foundByIt})
}

// TestRecall in each of the ways in which a tool of the pool can search.
func TestRecall(t *testing.T) {
	for name, w := range map[string]wiretest.Wire{"a function": api, "by the client": searchedByClient, "beside the API's": searchedByAPI} {
		t.Run(name, func(t *testing.T) { wiretest.RunRecall(t, w) })
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
	require.Empty(t, outputOf(t, named(t, "clock", "Tells the time.", anyObject), on))
}
