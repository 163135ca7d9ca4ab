package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestRecordings compares all of a response with what encoding/json alone finds in it.
func TestRecordings(t *testing.T) {
	wiretest.RunRecordings(t, api, checkRecording, checkRequest)
}

func TestRecordingsNormalize(t *testing.T) { wiretest.RunRecordingsNormalize(t, api, "messages") }

func checkRecording(t testing.TB, r corpus.Recording, m *wire.Message, err error) {
	t.Helper()
	want := oracle(r.Body)
	require.True(t, want.sound, "%s is not as documented", r.File)
	require.NoError(t, err, r.File)
	require.Equal(t, want.calls, written(m.Calls), r.File)
	require.Equal(t, want.incomplete, written(m.Incomplete), r.File)
	require.Equal(t, want.text, m.Text, r.File)
	events, _, err := read(strings.NewReader(r.Body))
	require.NoError(t, err, r.File)
	require.Equal(t, want.thinking, joined(events, "thinking "), r.File)
	require.Equal(t, want.reason, m.StopReason, r.File)
	require.EqualValues(t, want.usage["prompt_tokens"], m.Usage.Input+m.Usage.CacheRead, r.File)
	require.EqualValues(t, want.usage["completion_tokens"], m.Usage.Output, r.File)
	requireHistory(t, want, m, r.File)
	for _, c := range m.Calls {
		requireAnySplit(t, c)
	}
}

func joined(events []string, prefix string) string {
	var b strings.Builder
	for _, e := range events {
		if text, ok := strings.CutPrefix(e, prefix); ok {
			b.WriteString(text)
		}
	}
	return b.String()
}

// requireHistory compares what is sent back with what came.
func requireHistory(t testing.TB, want expectation, m *wire.Message, file string) {
	t.Helper()
	sent := map[string]any{"role": "assistant", "content": nil}
	if want.text != "" {
		sent["content"] = want.text
	}
	if want.thinking != "" {
		sent["reasoning_content"] = want.thinking
	}
	var calls []any
	for _, c := range want.calls {
		f := strings.SplitN(c, " ", 3)
		calls = append(calls, map[string]any{"id": f[0], "type": "function", "function": map[string]any{"name": f[1], "arguments": f[2]}})
	}
	if calls != nil {
		sent["tool_calls"] = calls
	}
	raw, err := json.Marshal(sent)
	require.NoError(t, err)
	require.JSONEq(t, string(raw), string(only(m.History)), file)
}

// requireAnySplit sends the arguments of a call in two deltas, split anywhere, and
// in one for each character.
func requireAnySplit(t testing.TB, c pegboard.Call) {
	t.Helper()
	splits := [][]string{strings.Split(string(c.Input), "")}
	for at := range string(c.Input) {
		splits = append(splits, []string{string(c.Input[:at]), string(c.Input[at:])})
	}
	for _, split := range splits {
		chunks := []string{calling(piece(0, c.ID, c.Name, ""))}
		for _, arguments := range split {
			chunks = append(chunks, calling(piece(0, "", "", arguments)))
		}
		_, m, err := read(strings.NewReader(stream(append(chunks, because("tool_calls"))...)))
		require.NoError(t, err)
		require.Equal(t, []string{c.ID + " " + c.Name + " " + string(c.Input)}, written(m.Calls))
	}
}

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t testing.TB, r corpus.Recording) (checked int) {
	t.Helper()
	var request struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(r.Request, &request))
	for _, sent := range request.Tools {
		f := sent.Function
		want := fmt.Sprintf(`[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s,"strict":false}}]`, f.Name, f.Description, f.Parameters)
		require.JSONEq(t, want, string(chat.New(poolOf(t, tool(t, f.Name, f.Description, string(f.Parameters))), chat.Config{}).Tools()), r.File)
		checked++
	}
	return checked
}

// recordings returns every response in the cassettes below a corpus folder.
func recordings(t testing.TB, folder string) []corpus.Recording {
	t.Helper()
	all := corpus.Recordings(t, filepath.Join(folder, "recordings", "openai-chat"), nil)
	for _, r := range all {
		require.True(t, json.Valid(r.Request), r.File)
	}
	return all
}

// expectation is what encoding/json alone finds in a recorded stream, of which
// every chunk is as OpenAI documents it.
type expectation struct {
	calls      []string
	incomplete []string
	text       string
	thinking   string
	reason     string
	usage      map[string]any
	sound      bool // all chunks were as documented, and the stream was whole
}

func oracle(body string) (want expectation) {
	type pieces struct{ id, name, arguments string }
	calls := map[int]*pieces{}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			want.sound = want.reason != ""
			break
		}
		var chunk struct {
			Choices []struct {
				Index int
				Delta struct {
					Content          string
					ReasoningContent string `json:"reasoning_content"`
					ToolCalls        []struct {
						Index    *int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
			Usage map[string]any
		}
		if json.Unmarshal([]byte(data), &chunk) != nil {
			return expectation{}
		}
		if chunk.Usage != nil {
			want.usage = chunk.Usage
		}
		for _, choice := range chunk.Choices {
			want.text += choice.Delta.Content
			want.thinking += choice.Delta.ReasoningContent
			want.reason += choice.FinishReason
			for _, c := range choice.Delta.ToolCalls {
				if c.Index == nil {
					return expectation{}
				}
				if calls[*c.Index] == nil {
					calls[*c.Index] = &pieces{}
				}
				p := calls[*c.Index]
				p.id, p.name, p.arguments = p.id+c.ID, p.name+c.Function.Name, p.arguments+c.Function.Arguments
			}
		}
	}
	var indices []int
	for i := range calls {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	for _, i := range indices {
		c := calls[i]
		if want.reason == "length" && !json.Valid([]byte(c.arguments)) {
			want.incomplete = append(want.incomplete, c.id+" "+c.name+" "+c.arguments)
		} else {
			want.calls = append(want.calls, c.id+" "+c.name+" "+c.arguments)
		}
	}
	return want
}

func TestResults(t *testing.T) {
	const (
		png  = `{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}`
		jpeg = `{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,anBn"}}`
	)
	said := func(text string) string { return `{"type":"text","text":"` + text + `"}` }
	label := func(n string) string { return said("Image " + n + ", from the result of clock:") }
	one := func(text string, more ...string) []string { return append([]string{result("a", text)}, more...) }
	wiretest.RunResults(t, api, map[string][]string{
		"text":                    one("<12> & more\no'clock"),
		"nothing":                 one("(no output)"),
		"not UTF-8":               {`{"role":"tool","tool_call_id":"a","content":"\ufffd"}`},
		"failure":                 one("Error: no"),
		"failure without words":   one("Error: the call failed and said nothing about it."),
		"failure with an image":   one("Error: no\n(Image 1 follows in a message of its own.)", user("["+label("1")+","+png+"]")),
		"images":                  one("see\n(Image 1 follows in a message of its own.)\n(Image 2 follows in a message of its own.)", user("["+label("1")+","+png+","+label("2")+","+jpeg+"]")),
		"file":                    one(leftOut(3, "application/pdf")),
		"other bytes":             one(leftOut(1234, "application/zip") + "\n" + leftOut(0, "image/png") + "\n" + leftOut(1, "a b")),
		"documents":               one("Title: T\n\nx\n1,2"),
		"search result":           one("Title: Page\nSource: https://a\n\nwords"),
		"tool that is gone":       one("(Not available any more: x. Search again.)"),
		"order of the calls":      {result("a", "1"), result("b", "2")},
		"duplicates":              one("first"),
		"outcomes of other calls": one("1"),
		"no outcome":              one("Error: clock was not run: the turn was interrupted. Repeat the call if it is still wanted."),
		"more":                    one("1", user("["+said("go")+","+said("on")+","+png+"]")),
		"only more":               {user(`"go on"`)},
	})
}

func leftOut(size int, kind string) string {
	return fmt.Sprintf("(%d bytes of type %s were left out: only text and PNG, JPEG, GIF and WebP images can be shown. Ask for the content in another form.)", size, kind)
}

// TestResultsReferences shows the definitions as the request's list has them.
func TestResultsReferences(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "Tells <the> time.", anyObject), tool(t, "time.zone", "", city), tool(t, "search", "", anyObject)), chat.Config{})
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "search"}}}
	answers := w.Results(m, []pegboard.Outcome{outcome("a", text("Two:"), pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, pegboard.Part{Tool: "gone"}, pegboard.Part{Tool: "lost"}, text("More?"))})
	var sent []json.RawMessage
	require.NoError(t, json.Unmarshal(w.Tools(), &sent))
	require.Equal(t, []string{result("a", "Two:\n<functions>\n"+string(sent[2])+"\n"+string(sent[0])+"\n</functions>\n(Not available any more: gone, lost. Search again.)\nMore?")}, stringsOf(answers))
}

const (
	city = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`
	free = `{"type":"object","properties":{"filter":{"type":"object","additionalProperties":true}}}` // has no strict form
)

// definition is a tool as the API reads it.
type definition struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description *string         `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

func definitions(t testing.TB, tools json.RawMessage) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(tools, &all))
	for _, d := range all {
		require.Equal(t, "function", d.Type)
		require.NotNil(t, d.Function.Strict)
	}
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, "clock", "", `{"type":"object","properties":{}}`),
		tool(t, "weather", "Tells <the> weather & more.", `{"type":"object","properties":{"city":{"type":"string","description":"e.g. \"Zürich\""}},"required":["city"]}`),
		wiretest.Tool(t, pegboard.Info{Name: "forecast", Strict: true}, "Strict.", city),
		wiretest.Tool(t, pegboard.Info{Name: "find", Strict: true, Loading: pegboard.LoadOnSearch}, "Cannot be strict.", free),
		tool(t, "notes.add", "A name that the API refuses.", anyObject),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", anyObject))
	require.NoError(t, err)

	w := chat.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), chat.Config{})
	wiretest.RequireGolden(t, w)
	require.Empty(t, w.Omitted())
	for _, d := range definitions(t, w.Tools()) {
		require.Regexp(t, apiName, d.Function.Name)
	}
}

func TestTools(t *testing.T) { wiretest.RunTools(t, api) }

func TestToolsThatWait(t *testing.T) { wiretest.RunDeferral(t, api) }

// TestInvariant7 attaches and detaches sources.
func TestInvariant7(t *testing.T) {
	var builtins []pegboard.Tool
	for _, name := range []string{"read", "write it", "Zürich"} {
		builtins = append(builtins, wiretest.Tool(t, pegboard.Info{Name: name, Strict: name == "read"}, "", city))
	}
	wiretest.RunBuiltinPrefix(t, api, effort.Of(t, uint64(100)), builtins, map[string]func(*pegboard.Pool) wire.Codec{"": api.New}, nil)
}

func TestChoice(t *testing.T) {
	wiretest.RunChoice(t, api, wiretest.OpenAIChoices(
		func(name string) string { return `{"type":"function","function":{"name":"` + name + `"}}` },
		func(mode string, tools ...string) string {
			return `{"type":"allowed_tools","allowed_tools":{"mode":"` + mode + `","tools":[` + strings.Join(tools, ",") + `]}}`
		}))
}

// TestStrictNulls leaves out of the input what strict mode makes the model write,
// and sends it back.
func TestStrictNulls(t *testing.T) {
	t.Parallel()
	const wrote = `{"city": "Paris", "days":null}`
	body := stream(calling(piece(0, "a", "forecast", wrote), piece(1, "b", "plain", wrote)), because("tool_calls"))
	p := poolOf(t, wiretest.Tool(t, pegboard.Info{Name: "forecast", Strict: true}, "", city), tool(t, "plain", "", city))
	m, err := chat.New(p, chat.Config{}).Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	require.JSONEq(t, `{"city":"Paris"}`, string(m.Calls[0].Input))
	require.Equal(t, wrote, string(m.Calls[1].Input), "a tool that is not strict")
	require.Equal(t, 2, strings.Count(string(only(m.History)), strings.ReplaceAll(wrote, `"`, `\"`)))
	executor := pegboard.Executor{Repair: pegboard.Repair{NoScalars: true}} // or null would be repaired
	outcomes := executor.Run(context.Background(), p, m.Calls...)
	require.NotErrorIs(t, outcomes[0].Err, pegboard.ErrInvalidInput)
	require.ErrorIs(t, outcomes[1].Err, pegboard.ErrInvalidInput)
}

func TestTrim(t *testing.T) {
	const (
		image   = `{ "type":"image_url", "image_url":{"url":"data:image/png;base64,cG5n"} }`
		cached  = `{"cache_control":{"type":"ephemeral"},"type":"text","text":"one"}`
		two     = `{"type":"text", "text":"two"}`
		foreign = `{"role":"tool","tool_call_id":"a","content":7}`
		silent  = `{"role":"tool","tool_call_id":"a", "content":null}`
		onlyPNG = `{"role":"tool","tool_call_id":"a", "content":[ ` + image + ` ]}`
	)
	parts := func(parts ...string) string {
		return `{"tool_call_id":"a","role":"tool","x":1e2,"content":[` + strings.Join(parts, ",") + `]}`
	}
	wiretest.RunTrim(t, api, api.Zero, []wiretest.TrimCase{
		{Name: "nothing", Texts: []string{"left over"}},
		{Name: "no results", In: []string{system, hello, says, oldCall, oldReply}, Texts: []string{"left over"}},
		{Name: "untouched", In: []string{hello, model(call("a", "clock")), resultA, says}, Shown: []string{"1 clock(a): 1 <2>"}},
		{Name: "text", In: []string{hello, model(call("a", "clock")), resultA, says}, Texts: []string{"short <1>"}, Shown: []string{"1 clock(a): 1 <2>"},
			Want: []string{hello, model(call("a", "clock")), `{"tool_call_id":"a","role":"tool","content":"short <1>"}`, says}},
		{Name: "the second of two", In: []string{model(call("a", "clock"), call("b", "map")), resultA, resultB, hello}, Texts: []string{"", "short"}, Shown: []string{"1 clock(a): 1 <2>", "1 map(b): b"},
			Want: []string{model(call("a", "clock"), call("b", "map")), resultA, `{"role":"tool","content":[{"type":"text","text":"short"}],"tool_call_id":"b","name":"clock"}`, hello}},
		{Name: "fewer answers and more", In: []string{model(call("a", "clock")), result("a", "1"), model(call("b", "clock")), result("b", "2")}, Texts: []string{"short"}, Shown: []string{"1 clock(a): 1", "2 clock(b): 2"},
			Want: []string{model(call("a", "clock")), result("a", "short"), model(call("b", "clock")), result("b", "2")}},
		{Name: "parts", In: []string{parts(image, cached, image, two)}, Texts: []string{"short"}, Shown: []string{"0 (a): one\ntwo"},
			Want: []string{parts(image, `{"cache_control":{"type":"ephemeral"},"type":"text","text":"short"}`, image)}},
		{Name: "no text", In: []string{onlyPNG, silent, `{"role":"tool","tool_call_id":"a"}`}, Texts: []string{"x", "y", "z"}, Shown: []string{"0 (a): ", "0 (a): ", "0 (a): "}},
		{Name: "empty text", In: []string{result("a", "")}, Texts: []string{"short"}, Shown: []string{"0 (a): "}},
		{Name: "blank answer", In: []string{result("a", "1")}, Texts: []string{" \n"}, Shown: []string{"0 (a): 1"}},
		{Name: "before its call", In: []string{result("a", "1"), model(call("a", "clock"))}, Shown: []string{"0 clock(a): 1"}},
		{Name: "no text of the API", In: []string{foreign}, Texts: []string{"short"}, Shown: []string{"0 (a): 7"}, Want: []string{`{"role":"tool","tool_call_id":"a","content":"short"}`}},
		{Name: "turns", In: []string{model(call("a", "clock"), call("b", "map")), result("b", "2"), hello, result("a", "1"), says, modelSaying(`"x"`, call("a", "map")), result("a", "3")},
			Shown: []string{"1 map(b): 2", "1 clock(a): 1", "3 map(a): 3"}},
		{Name: "what cannot be read", In: []string{`null`, `{"role":"tool","role":"tool"}`, model(call("a", "clock")), resultA + "x", result("a", "1")}, Texts: []string{"short"}, Shown: []string{"1 clock(a): 1"},
			Want: []string{`null`, `{"role":"tool","role":"tool"}`, model(call("a", "clock")), resultA + "x", result("a", "short")}},
	})
}

// TestTrimCallIDs keeps the ids of results apart, also where a service counts its own anew.
func TestTrimCallIDs(t *testing.T) {
	t.Parallel()
	wiretest.RequireTrimIDs(t, api, "call_0", func(text string) []string {
		return []string{hello, model(call("call_0", "clock")), result("call_0", text)}
	})
}

func FuzzTrim(f *testing.F) {
	wiretest.FuzzTrim(f, api,
		[]string{hello, model(call("a", "clock"), call("b", "map")), resultB, hello, resultA, says},
		[]string{resultA, `{"role":"tool","content":[{"type":"text","text":"a"},7]}`, `{"role":"tool","content":[{"TYPE":"text"},{}]}`, "null"})
}
