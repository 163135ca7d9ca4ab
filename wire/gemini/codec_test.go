package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

func BenchmarkCodec(b *testing.B) { wiretest.Benchmark(b, api) }

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

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t, tool(t, "ToolSearch", "", anyObject), tool(t, "notes.add", "Adds.", onePath), tool(t, "maps", "", anyObject)), gemini.Config{})
	m, err := w.Read(strings.NewReader(ends("STOP", calls("ToolSearch", "{}")))).Message()
	require.NoError(t, err)
	answer := only(w.Results(m, []pegboard.Outcome{outcome("r-1", text("Two:"), pegboard.Part{Tool: "notes.add"}, pegboard.Part{Tool: "maps"}, pegboard.Part{Tool: "gone"}, text("So."))}))
	want := fmt.Sprintf("Two:\n<functions>\n%s\n{\"name\":\"maps\"}\n</functions>\n(Not available any more: gone. Search again.)\nSo.",
		`{"name":"`+w.Name("notes.add")+`","description":"Adds.","parameters":`+string(declarations(t, w.Tools())[2].Parameters)+`}`)
	require.Equal(t, `{"role":"user","parts":[`+result("", "ToolSearch", "output", want)+`]}`, string(answer))

	conversation := messagesOf(hello, "null", string(only(m.History)), string(answer), model(maps),
		user(`{"text":"<functions>\n{\"name\":\"said\"}\n</functions>"}`), model(`{"functionResponse":{"name":"x","response":{"output":"<functions>\n{\"name\":\"y\"}\n</functions>"}}}`))
	require.Equal(t, []string{"ToolSearch", "notes.add", "maps", "map"}, w.Loaded(conversation))
	require.Equal(t, []string{"ToolSearch"}, w.Loaded(conversation[:3]))
}

func TestShown(t *testing.T) {
	shows := func(name string) string { return result("", name, "output", wiretest.Shown) }
	wiretest.RunShown(t, api, []wiretest.ShownCase{
		{Name: "a page, without an id", In: []string{model(calls("fetch", "{}")), user(shows("fetch"))}, Loaded: []string{"fetch"}},
		{Name: "beside a search", In: []string{model(calls("ToolSearch", "{}"), calls("Read", "{}")), user(shows("Read"))}, Loaded: []string{"ToolSearch", "Read"}},
		{Name: "no call of the name", In: []string{hello, user(shows("ToolSearch"))}},
		{Name: "a call of the user", In: []string{user(calls("ToolSearch", "{}")), user(shows("ToolSearch"))}},
		{Name: "the second call of an id", In: []string{model(callsWithID("1", "Read", "{}"), callsWithID("1", "ToolSearch", "{}")), user(result("1", "Read", "output", wiretest.Shown))}, Loaded: []string{"Read", "ToolSearch"}},
		{Name: "a response of another form", In: []string{model(calls("ToolSearch", "{}")), user(result("", "ToolSearch", "said", wiretest.Shown))}, Loaded: []string{"ToolSearch"}},
		{Name: "a search that failed, without an id", In: []string{model(calls("ToolSearch", "{}")), user(result("", "ToolSearch", "error", wiretest.Shown))}, Loaded: []string{"ToolSearch"}},
		{Name: "a search without an id", In: []string{model(calls("ToolSearch", "{}")), user(shows("ToolSearch"))}, Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
		{Name: "an alias without an id", In: []string{model(calls("FindTools", "{}")), user(shows("FindTools"))}, Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
	})
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
	a, b := callsWithID("a", "clock", "{}"), callsWithID("b", "clock", "{}")
	wiretest.RunNormalize(t, api, []wiretest.NormalizeCase{
		{Name: "nothing"},
		{Name: "in order", In: []string{hello, ` { "parts" : [` + thinks + ` , ` + clock + `, ` + maps + `,` + clock + `], "role": "model"} `,
			user(twelve, route, one, speaks), model(speaks), hello}},
		{Name: "no role, other roles", In: []string{`{"parts":[]}`, model(clock), `{"role":"function","parts":[` + twelve + `]}`, model(clock), `{"parts":[` + twelve + `]}`}},
		{Name: "nothing to do with calls", In: []string{hello, hello, model(unknown), model(thinks), user(unknown), user(), `{"role":"user"}`}},
		{Name: "responses of each kind for calls of each kind", In: []string{model(a, clock, b), user(answers("a", "clock"), twelve, answers("b", "clock"))}},
		{Name: "ids begin anew in each turn", In: []string{model(a), user(answers("a", "clock")), model(a, b), user(answers("a", "clock"), answers("b", "clock"))}},
		{Name: "responses without the ids of the calls", In: []string{model(a, b), user(one, twelve)}},
		{Name: "responses with ids that the calls do not have", In: []string{model(clock, clock), user(answers("x", "clock"), answers("y", "clock"))}},

		{Name: "text follows", In: []string{model(clock, maps), `{"x":1,"parts":[` + speaks + `]}`},
			Want:    []string{model(clock, maps), `{"x":1,"parts":[` + unanswered("", "clock") + `,` + unanswered("", "map") + `,` + speaks + `]}`},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}, {Kind: wire.MissingResult, Name: "map"}}},
		{Name: "at the end", In: []string{hello, model(a)}, Want: []string{hello, model(a), user(unanswered("a", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Name: "clock", Message: 1}}},
		{Name: "second of two without ids", In: []string{model(clock, clock), user(one, speaks)}, Want: []string{model(clock, clock), user(one, unanswered("", "clock"), speaks)},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}}},
		{Name: "interrupted, then the same call again", In: []string{model(clock), hello, model(clock), user(one)},
			Want:    []string{model(clock), `{"role":"user","parts":[` + unanswered("", "clock") + `,{"text":"Hello <you>"}]}`, model(clock), user(one)},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}}},
		{Name: "kept one by one", In: []string{model(clock, maps), user(route), user(twelve), hello}, Want: []string{model(clock, maps), user(twelve, route), hello},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}}},
		{Name: "kept one by one, of one name", In: []string{model(clock, clock), user(twelve), user(one)}, Want: []string{model(clock, clock), user(twelve, one)},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock", Message: 2}, {Kind: wire.EmptyMessage, Message: 2}}},
		{Name: "in another order", In: []string{model(a, b), user(answers("b", "clock"), answers("a", "clock"))}, Want: []string{model(a, b), user(answers("a", "clock"), answers("b", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, CallID: "a", Name: "clock", Message: 1}, {Kind: wire.MisplacedResult, CallID: "b", Name: "clock", Message: 1}}},
		{Name: "after other content", In: []string{model(clock), user(speaks, picture, one)}, Want: []string{model(clock), user(one, speaks, picture)},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock", Message: 1}}},
		{Name: "too early", In: []string{user(one), model(clock), hello}, Want: []string{model(clock), `{"role":"user","parts":[` + one + `,{"text":"Hello <you>"}]}`},
			Repairs: []wire.Repair{{Kind: wire.MisplacedResult, Name: "clock"}, {Kind: wire.EmptyMessage}}},
		{Name: "left from before the cut", In: []string{user(one, speaks), model(clock), user(twelve)}, Want: []string{user(speaks), model(clock), user(twelve)},
			Repairs: []wire.Repair{{Kind: wire.StrayResult, Name: "clock"}}},
		{Name: "left from before the cut, with the same id", In: []string{user(answers("a", "clock"), speaks), model(a), user(result("a", "clock", "output", "x"))},
			Want:    []string{user(speaks), model(a), user(result("a", "clock", "output", "x"))},
			Repairs: []wire.Repair{{Kind: wire.StrayResult, CallID: "a", Name: "clock"}}},
		{Name: "of another function", In: []string{model(clock), user(route)}, Want: []string{model(clock), user(unanswered("", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, Name: "clock"}, {Kind: wire.StrayResult, Name: "map", Message: 1}}},
		{Name: "of another function with the same id", In: []string{model(a), user(answers("a", "map"))}, Want: []string{model(a), user(unanswered("a", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Name: "clock"}, {Kind: wire.StrayResult, CallID: "a", Name: "map", Message: 1}}},
		{Name: "of a call with another id", In: []string{model(a), user(answers("b", "clock"))}, Want: []string{model(a), user(unanswered("a", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.MissingResult, CallID: "a", Name: "clock"}, {Kind: wire.StrayResult, CallID: "b", Name: "clock", Message: 1}}},
		{Name: "two results", In: []string{model(clock), user(twelve, one), model(a), user(answers("a", "clock"), answers("a", "clock"), speaks)},
			Want: []string{model(clock), user(twelve), model(a), user(answers("a", "clock"), speaks)},
			Repairs: []wire.Repair{{Kind: wire.DuplicateResult, Name: "clock", Message: 1},
				{Kind: wire.DuplicateResult, CallID: "a", Name: "clock", Message: 3}}},
		{Name: "two calls of one id in a turn", In: []string{model(a, thinks, a), user(answers("a", "clock"))}, Want: []string{model(a), user(answers("a", "clock"))},
			Repairs: []wire.Repair{{Kind: wire.DuplicateCall, CallID: "a", Name: "clock"}}},
		{Name: "calls that nobody made", In: []string{user(clock, speaks), model(speaks, `{"functionCall":{"args":{}}}`)}, Want: []string{user(speaks), model(speaks)},
			Repairs: []wire.Repair{{Kind: wire.StrayCall, Name: "clock"}, {Kind: wire.StrayCall, Message: 1}}},
		{Name: "a content for each part", In: []string{model(thinks, clock), model(maps), model(speaks), user(twelve, route)},
			Want:    []string{model(thinks, clock, maps, speaks), user(twelve, route)},
			Repairs: []wire.Repair{{Kind: wire.SplitMessage, Message: 1}, {Kind: wire.SplitMessage, Message: 2}}},
	})
}

func FuzzNormalize(f *testing.F) {
	wiretest.FuzzNormalize(f, api,
		[]string{hello, model(thinks, clock, maps), user(route), user(speaks, twelve), model(clock), user(one)},
		[]string{model(callsWithID("a", "clock", "{}")), model(callsWithID("a", "clock", "{}"), clock), user(answers("a", "clock"), one), user(twelve), "null"})
}

func TestRecall(t *testing.T) { wiretest.RunRecall(t, api) }

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
			got, repairs := new(gemini.Codec).Normalize(messagesOf(in...))
			require.Empty(t, repairs)
			require.Equal(t, in, stringsOf(got))
		})
	}
	got, repairs := new(gemini.Codec).Normalize(messagesOf(`{"role":"model","parts":[{"function_call":{"name":"a"}}]}`))
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
