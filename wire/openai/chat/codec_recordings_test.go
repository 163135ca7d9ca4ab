package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestRecordings reads every recorded response, however its bytes arrive, and
// compares all of it with what encoding/json alone finds in it.
func TestRecordings(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		responses, calls, incomplete, tools := 0, 0, 0, 0
		for _, r := range recordings(t, folder) {
			m := checkRecording(t, r)
			responses++
			calls += len(m.Calls)
			incomplete += len(m.Incomplete)
			tools += checkRequest(t, r)
		}
		corpus.Report(t, folder, "%d responses with %d calls and %d incomplete ones, %d tool definitions", responses, calls, incomplete, tools)
	}
}

func checkRecording(t *testing.T, r recording) *wire.Message {
	t.Helper()
	want := oracle(r.Body)
	require.True(t, want.sound, "%s is not as documented", r.File)
	events, m, err := read(strings.NewReader(r.Body))
	require.NoError(t, err, r.File)
	require.Equal(t, want.calls, written(m.Calls), r.File)
	require.Equal(t, want.incomplete, written(m.Incomplete), r.File)
	require.Equal(t, want.text, m.Text, r.File)
	require.Equal(t, want.thinking, joined(events, "thinking "), r.File)
	require.Equal(t, want.reason, m.StopReason, r.File)
	require.EqualValues(t, want.usage["prompt_tokens"], m.Usage.Input+m.Usage.CacheRead, r.File)
	require.EqualValues(t, want.usage["completion_tokens"], m.Usage.Output, r.File)
	requireHistory(t, want, m, r.File)
	requireTurn(t, m, new(chat.Codec).Results(m, nil))
	for _, body := range pieces(r.Body) {
		again, n, err := read(body)
		require.NoError(t, err, r.File)
		require.Equal(t, events, again, r.File)
		requireSame(t, m, n, r.File)
	}
	for _, c := range m.Calls {
		requireAnySplit(t, c)
	}
	requireCutSafe(t, r, want)
	return m
}

func written(calls []pegboard.Call) (all []string) {
	for _, c := range calls {
		all = append(all, c.ID+" "+c.Name+" "+string(c.Input))
	}
	return all
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

// requireSame compares two messages that different Wires read.
func requireSame(t *testing.T, want, got *wire.Message, file string) {
	t.Helper()
	require.Equal(t, written(want.Calls), written(got.Calls), file)
	require.Equal(t, written(want.Incomplete), written(got.Incomplete), file)
	require.Equal(t, want.Text, got.Text, file)
	require.Equal(t, want.Refusal, got.Refusal, file)
	require.Equal(t, want.StopReason, got.StopReason, file)
	require.Equal(t, want.Usage, got.Usage, file)
	require.Equal(t, string(only(want.History)), string(only(got.History)), file)
}

// requireHistory compares what is sent back with what came.
func requireHistory(t *testing.T, want expectation, m *wire.Message, file string) {
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

// pieces returns the ways in which a body may arrive: a byte at a time, split
// in two at some places, and with other line ends.
func pieces(body string) []io.Reader {
	crlf := strings.ReplaceAll(body, "\n", "\r\n")
	all := []io.Reader{
		iotest.OneByteReader(strings.NewReader(body)), iotest.HalfReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body)),
		strings.NewReader(crlf), iotest.OneByteReader(strings.NewReader("\ufeff: comment\r\n" + crlf)),
	}
	random := rand.New(rand.NewPCG(11, uint64(len(body))))
	for range 32 {
		at := random.IntN(len(body))
		all = append(all, io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:])))
	}
	return all
}

// requireAnySplit sends the arguments of a call in two deltas, split anywhere, and
// in one for each character.
func requireAnySplit(t *testing.T, c pegboard.Call) {
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

// requireCutSafe cuts a stream off after each chunk. What was begun and not
// finished is never handed out.
func requireCutSafe(t *testing.T, r recording, want expectation) {
	t.Helper()
	chunks := strings.SplitAfter(r.Body, "\n\n")
	for i := range chunks {
		body := strings.Join(chunks[:i], "")
		_, m, err := read(strings.NewReader(body))
		if !strings.Contains(body, `"finish_reason":"`) {
			require.ErrorIs(t, err, wire.ErrTruncated, r.File)
		} else {
			require.NoError(t, err, r.File)
		}
		for _, c := range written(m.Calls) {
			require.True(t, slices.Contains(want.calls, c), "%s: %q is not a whole call", r.File, c)
		}
		requireTurn(t, m, new(chat.Codec).Results(m, nil))
	}
}

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t *testing.T, r recording) (checked int) {
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
		built, err := pegboard.BuildRaw(f.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: f.Name},
			Description: f.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		require.NoError(t, err, r.File)
		want := fmt.Sprintf(`[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s,"strict":false}}]`, f.Name, f.Description, f.Parameters)
		require.JSONEq(t, want, string(chat.New(poolOf(t, built), chat.Config{}).Tools()), r.File)
		checked++
	}
	return checked
}

type recording = corpus.Recording

// recordings returns every response in the cassettes below a corpus folder.
func recordings(t testing.TB, folder string) []recording {
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

func outcome(id string, parts ...pegboard.Part) pegboard.Outcome {
	return pegboard.Outcome{Call: &pegboard.Call{ID: id}, Result: &pegboard.Result{Parts: parts}}
}

func failed(o pegboard.Outcome, err error) pegboard.Outcome {
	o.Result.IsError = true
	o.Err = err
	return o
}

func text(s string) pegboard.Part { return pegboard.Part{Text: s} }

func image(kind, data string) pegboard.Part { return pegboard.Part{MIME: kind, Data: []byte(data)} }

// result is a message that answers a call.
func result(id, text string) string {
	return `{"role":"tool","tool_call_id":` + quote(id) + `,"content":` + quote(text) + `}`
}

func user(content string) string { return `{"role":"user","content":` + content + `}` }

// turnOf answers a turn of one call, of the tool search, with an outcome.
func turnOf(t *testing.T, w *chat.Codec, o pegboard.Outcome) (*wire.Message, []json.RawMessage, error) {
	t.Helper()
	m, err := w.Read(strings.NewReader(stream(calling(piece(0, o.Call.ID, "search", "{}")), because("tool_calls")))).Message()
	answers := w.Results(m, []pegboard.Outcome{o})
	requireTurn(t, m, answers)
	return m, answers, err
}

func TestResults(t *testing.T) {
	t.Parallel()
	calls := func(ids ...string) (m wire.Message) {
		for _, id := range ids {
			m.Calls = append(m.Calls, pegboard.Call{ID: id, Name: "clock"})
		}
		return m
	}
	const (
		png  = `{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}`
		jpeg = `{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,anBn"}}`
	)
	label := func(n, tool string) string {
		return `{"type":"text","text":"Image ` + n + `, from the result of ` + tool + `:"}`
	}
	tests := []struct {
		name     string
		message  wire.Message
		outcomes []pegboard.Outcome
		more     []pegboard.Part
		want     []string
	}{
		{name: "nothing"},
		{name: "text", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("12"), text(" "), text("o'clock"))}, want: []string{result("a", "12\no'clock")}},
		{name: "failure", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", text("no such file")), nil)}, want: []string{result("a", "Error: no such file")}},
		{name: "failure without words", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a"), nil)}, want: []string{result("a", "Error: the call failed and said nothing about it.")}},
		{name: "empty", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a")}, want: []string{result("a", "(no output)")}},
		{name: "order of the calls", message: calls("a", "b"), outcomes: []pegboard.Outcome{outcome("b", text("2")), outcome("a", text("1"))}, want: []string{result("a", "1"), result("b", "2")}},
		{name: "duplicates", message: calls("a", "a"), outcomes: []pegboard.Outcome{
			failed(outcome("a", text("second")), &pegboard.CallError{Err: pegboard.ErrDuplicate}), outcome("a", text("first")), outcome("a", text("third"))}, want: []string{result("a", "first")}},
		{name: "of other calls", message: calls("a"), outcomes: []pegboard.Outcome{outcome("z"), outcome(""), {}, outcome("a", text("1"))}, want: []string{result("a", "1")}},
		{name: "missing", message: calls("a"), want: []string{result("a", "Error: clock was not run: the turn was interrupted. Repeat the call if it is still wanted.")}},
		{name: "calls without id have no answer", message: calls("")},
		{name: "more", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("1"))}, more: []pegboard.Part{text("go"), text("on")}, want: []string{result("a", "1"), user(`"go\non"`)}},
		{name: "only more", more: []pegboard.Part{image("image/png", "png"), text("go on")}, want: []string{user(`[` + png + `,{"type":"text","text":"go on"}]`)}},
		{name: "images", message: calls("a", "b"), more: []pegboard.Part{text("go on")}, outcomes: []pegboard.Outcome{
			outcome("a", text("look"), image("image/png", "png"), image("Image/JPG; q=1", "jpg")), outcome("b", image("image/jpeg", "jpg"))},
			want: []string{result("a", "look\n(Image 1 follows in a message of its own.)\n(Image 2 follows in a message of its own.)"), result("b", "(Image 3 follows in a message of its own.)"),
				user(`[` + label("1", "clock") + `,` + png + `,` + label("2", "clock") + `,` + jpeg + `,` + label("3", "clock") + `,` + jpeg + `,{"type":"text","text":"go on"}]`)}},
		{name: "other bytes", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", image("application/pdf", "12345"))},
			want: []string{result("a", "(5 bytes of type application/pdf were left out: only text and PNG, JPEG, GIF and WebP images can be shown. Ask for the content in another form.)")}},
		{name: "document", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{MIME: "text/markdown", Text: "# One", Title: "Notes"})}, want: []string{result("a", "Title: Notes\n\n# One")}},
		{name: "search result", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{Text: "found", Title: "Notes", Source: "https://example.com/"})},
			want: []string{result("a", "Title: Notes\nSource: https://example.com/\n\nfound")}},
		{name: "reference to a tool that is gone", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{Tool: "x"}, pegboard.Part{Tool: "y"})},
			want: []string{result("a", "(Not available any more: x, y. Search again.)")}},
		{name: "not UTF-8", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("\xff"))}, want: []string{`{"role":"tool","tool_call_id":"a","content":"\ufffd"}`}},
		{name: "marks", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("<12> & more"))}, want: []string{`{"role":"tool","tool_call_id":"a","content":"<12> & more"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := new(chat.Codec).Results(&tt.message, tt.outcomes, tt.more...)
			require.Len(t, got, len(tt.want))
			for i, want := range tt.want {
				require.JSONEq(t, want, string(got[i]))
			}
		})
	}
}

// TestResultsReferences shows the definitions as the request's list has them.
func TestResultsReferences(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "Tells <the> time.", anyObject), tool(t, "time.zone", "", city), tool(t, "search", "", anyObject)), chat.Config{})
	_, answers, err := turnOf(t, w, outcome("a", text("Two:"), pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, text("More?")))
	require.NoError(t, err)
	require.Len(t, answers, 1)
	var m struct{ Content string }
	require.NoError(t, json.Unmarshal(answers[0], &m))
	var sent []json.RawMessage
	require.NoError(t, json.Unmarshal(w.Tools(), &sent))
	require.Equal(t, "Two:\n<functions>\n"+string(sent[2])+"\n"+string(sent[0])+"\n</functions>\nMore?", m.Content)
}

// TestResultsOfAnyTurn answers whatever was read, whatever became of the calls.
func TestResultsOfAnyTurn(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"tool_calls", "length", ""} {
		_, m, err := read(strings.NewReader(stream(saying("x"), calling(piece(0, "a", "add", "{}"), piece(1, "b", "add", "{"), piece(2, "b", "add", "{}")), because(reason))))
		require.Equal(t, reason == "", errors.Is(err, wire.ErrTruncated))
		for _, outcomes := range [][]pegboard.Outcome{nil, {outcome("b", text("2"))}, {failed(outcome("a"), pegboard.ErrTimeout), outcome("b", image("image/png", "png"))}} {
			requireTurn(t, m, new(chat.Codec).Results(m, outcomes, text("go on")))
		}
	}
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

func definitions(t testing.TB, w *chat.Codec) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
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
		toolOf(t, pegboard.Info{Name: "forecast", Strict: true}, "Strict.", city),
		toolOf(t, pegboard.Info{Name: "find", Strict: true, Loading: pegboard.LoadOnSearch}, "Cannot be strict.", free),
		tool(t, "notes.add", "A name that the API refuses.", anyObject),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", anyObject))
	require.NoError(t, err)

	w := chat.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), chat.Config{})
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(w.Tools()))
	require.Empty(t, w.Omitted())
	for _, d := range definitions(t, w) {
		require.Regexp(t, apiName, d.Function.Name)
	}
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(chat.New(poolOf(t), chat.Config{}).Tools()))
	var zero chat.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
	require.Equal(t, "{}", string(zero.Choice(wire.Choice{Mode: wire.Required})))
	require.Empty(t, zero.Omitted())
}

// declared shows the model another schema than the tool checks, as a wrapper may.
type declared struct {
	pegboard.Tool
	schema string
}

func (d declared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	decl, ok := d.Tool.Declare(s)
	return pegboard.Declaration{Name: decl.Name, InputSchema: json.RawMessage(d.schema)}, ok
}

func TestToolsOmitted(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "a", "", anyObject), declared{tool(t, "bad one", "", anyObject), `{"type":"string"}`}, tool(t, "c", "", anyObject)), chat.Config{})
	require.Len(t, definitions(t, w), 2)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "bad one", w.Omitted()[0].Tool)
	require.True(t, w.Omitted()[0].Omitted)
	require.NotEmpty(t, w.Omitted()[0].Reason)
}

// TestNames sends names that the API takes, and gets the tools' own back.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	w := chat.New(poolOf(t, tool(t, "notes.add", "", anyObject), tool(t, "notes_add", "", anyObject), tool(t, "Zürich", "", anyObject), tool(t, long, "", anyObject)), chat.Config{})
	sent := map[string]bool{}
	for i, d := range definitions(t, w) {
		name := []string{"Zürich", "notes.add", "notes_add", long}[i]
		require.Regexp(t, apiName, d.Function.Name)
		require.False(t, sent[d.Function.Name])
		sent[d.Function.Name] = true
		require.Equal(t, w.Name(name), d.Function.Name)
		m, err := w.Read(strings.NewReader(stream(calling(piece(0, "a", d.Function.Name, "{}")), because("tool_calls")))).Message()
		require.NoError(t, err)
		require.Equal(t, []string{"a " + name + " {}"}, written(m.Calls))
		require.Contains(t, string(only(m.History)), quote(d.Function.Name))
		require.Equal(t, []string{name}, w.Loaded([]json.RawMessage{only(m.History)}))
	}
}

// TestStrictNulls leaves out of the input what strict mode makes the model write,
// and sends it back.
func TestStrictNulls(t *testing.T) {
	t.Parallel()
	const wrote = `{"city": "Paris", "days":null}`
	body := stream(calling(piece(0, "a", "forecast", wrote), piece(1, "b", "plain", wrote)), because("tool_calls"))
	p := poolOf(t, toolOf(t, pegboard.Info{Name: "forecast", Strict: true}, "", city), tool(t, "plain", "", city))
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

func TestChoice(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "a", "", anyObject), tool(t, "b c", "", anyObject)), chat.Config{})
	function := func(name string) string { return `{"type":"function","function":{"name":` + quote(name) + `}}` }
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"tool_choice":"required"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"a"}}, want: `{"tool_choice":"none"}`},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "b c"}, want: `{"tool_choice":` + function(w.Name("b c")) + `}`},
		{name: "some", choice: wire.Choice{Tools: []string{"b c", "a"}},
			want: `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` + function(w.Name("b c")) + `,` + function("a") + `]}}}`},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"a"}, Sequential: true},
			want: `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[` + function("a") + `]}},"parallel_tool_calls":false}`},
		{name: "sequential", choice: wire.Choice{Sequential: true}, want: `{"parallel_tool_calls":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(w.Choice(tt.choice)))
		})
	}
}

// TestInvariant7 attaches and detaches at random: the bytes of the built-in tools
// never change, and the same tools are the same bytes.
func TestInvariant7(t *testing.T) {
	t.Parallel()
	var builtins []pegboard.Tool
	for _, name := range []string{"read", "write it", "Zürich"} {
		builtins = append(builtins, toolOf(t, pegboard.Info{Name: name, Strict: name == "read"}, "", city))
	}
	alone := string(chat.New(poolOf(t, builtins...), chat.Config{}).Tools())
	for seed := range effort.Of(t, uint64(100)) {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(builtins...))
		s := session(t)
		seen := map[string]string{}
		attached := map[string]bool{}
		for range 10 {
			source := fmt.Sprintf("s%d", random.IntN(3))
			if attached[source] {
				r.Detach(source)
			} else {
				r.Detach(source) // which need not be there
				_, err := r.Attach(source, tool(t, "write it", "", anyObject), tool(t, "x", "", city))
				require.NoError(t, err)
			}
			attached[source] = !attached[source]
			tools := string(chat.New(r.AssemblePool(s, pegboard.PoolConfig{}), chat.Config{}).Tools())
			require.True(t, strings.HasPrefix(tools, strings.TrimSuffix(alone, "]")), "seed %d", seed)
			if before, ok := seen[fmt.Sprint(attached)]; ok {
				require.Equal(t, before, tools)
			}
			seen[fmt.Sprint(attached)] = tools
		}
	}
}

var _ wire.Trimmer = (*pegboard.Session)(nil)

// trimmer answers with texts, and keeps what it was shown.
type trimmer struct {
	answers []string
	shown   []pegboard.HistoryResult
}

func (s *trimmer) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	s.shown = results
	return s.answers
}

func TestTrim(t *testing.T) {
	t.Parallel()
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
	tests := []struct {
		name    string
		in      []string
		answers []string
		shown   []string // of each result the turn, tool and text
		want    []string // nil: the same
	}{
		{name: "nothing", answers: []string{"left over"}},
		{name: "no results", in: []string{system, hello, says, oldCall, oldReply}, answers: []string{"left over"}},
		{name: "untouched", in: []string{hello, model(call("a", "clock")), resultA, says}, shown: []string{"1 clock 1 <2>"}},
		{name: "text", in: []string{hello, model(call("a", "clock")), resultA, says}, answers: []string{"short <1>"}, shown: []string{"1 clock 1 <2>"},
			want: []string{hello, model(call("a", "clock")), `{"tool_call_id":"a","role":"tool","content":"short <1>"}`, says}},
		{name: "the second of two", in: []string{model(call("a", "clock"), call("b", "map")), resultA, resultB, hello}, answers: []string{"", "short"}, shown: []string{"1 clock 1 <2>", "1 map b"},
			want: []string{model(call("a", "clock"), call("b", "map")), resultA, `{"role":"tool","content":[{"type":"text","text":"short"}],"tool_call_id":"b","name":"clock"}`, hello}},
		{name: "fewer answers and more", in: []string{model(call("a", "clock")), result("a", "1"), model(call("b", "clock")), result("b", "2")}, answers: []string{"short"}, shown: []string{"1 clock 1", "2 clock 2"},
			want: []string{model(call("a", "clock")), result("a", "short"), model(call("b", "clock")), result("b", "2")}},
		{name: "parts", in: []string{parts(image, cached, image, two)}, answers: []string{"short"}, shown: []string{"0  one\ntwo"},
			want: []string{parts(image, `{"cache_control":{"type":"ephemeral"},"type":"text","text":"short"}`, image)}},
		{name: "no text", in: []string{onlyPNG, silent, `{"role":"tool","tool_call_id":"a"}`}, answers: []string{"x", "y", "z"}, shown: []string{"0  ", "0  ", "0  "}},
		{name: "empty text", in: []string{result("a", "")}, answers: []string{"short"}, shown: []string{"0  "}},
		{name: "blank answer", in: []string{result("a", "1")}, answers: []string{" \n"}, shown: []string{"0  1"}},
		{name: "before its call", in: []string{result("a", "1"), model(call("a", "clock"))}, shown: []string{"0 clock 1"}},
		{name: "no text of the API", in: []string{foreign}, answers: []string{"short"}, shown: []string{"0  7"}, want: []string{`{"role":"tool","tool_call_id":"a","content":"short"}`}},
		{name: "turns", in: []string{model(call("a", "clock"), call("b", "map")), result("b", "2"), hello, result("a", "1"), says, modelSaying(`"x"`, call("a", "map")), result("a", "3")},
			shown: []string{"1 map 2", "1 clock 1", "3 map 3"}},
		{name: "what cannot be read", in: []string{`null`, `{"role":"tool","role":"tool"}`, model(call("a", "clock")), resultA + "x", result("a", "1")}, answers: []string{"short"}, shown: []string{"1 clock 1"},
			want: []string{`null`, `{"role":"tool","role":"tool"}`, model(call("a", "clock")), resultA + "x", result("a", "short")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want == nil {
				tt.want = tt.in
			}
			var w chat.Codec
			s := trimmer{answers: tt.answers}
			in := messagesOf(tt.in...)
			got := w.Trim(t.Context(), in, &s)
			require.Equal(t, tt.want, stringsOf(got))
			require.Equal(t, tt.in, stringsOf(in), "the history was changed")
			var shown []string
			for _, r := range s.shown {
				require.False(t, r.Fixed)
				shown = append(shown, fmt.Sprint(r.Turn, " ", r.Tool, " ", r.Text))
			}
			require.Equal(t, tt.shown, shown)
			require.Equal(t, stringsOf(got), stringsOf(w.Trim(t.Context(), in, &s)), "twice")
		})
	}
}

// TestTrimFixes shows which results made tools known, and the pool's own names.
func TestTrimFixes(t *testing.T) {
	t.Parallel()
	_, pool := searchable(t, late(t, "notes.add"), toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject))
	w := chat.New(pool(), chat.Config{})
	messages := append(w.Recall([]string{"notes.add"}),
		messagesOf(model(call("a", w.Name("notes.add")), call("b", "Task"), call("c", "elsewhere")), resultA, resultB, result("c", "See <functions>"))...)
	s := trimmer{answers: []string{"short"}}
	require.Equal(t, stringsOf(messages), stringsOf(w.Trim(t.Context(), messages, &s)), "it is never replaced")
	var shown []string
	for _, r := range s.shown {
		shown = append(shown, fmt.Sprint(r.Tool, " ", r.Fixed))
	}
	require.Equal(t, []string{"ToolSearch true", "notes.add false", "Agent false", "elsewhere false"}, shown)
}

// TestTrimCallIDs keeps the ids of results apart, also where a service counts its own
// anew, and the same when messages come and go.
func TestTrimCallIDs(t *testing.T) {
	t.Parallel()
	ids := func(messages ...string) (all []string) {
		var w chat.Codec
		var s trimmer
		w.Trim(t.Context(), messagesOf(messages...), &s)
		for _, r := range s.shown {
			all = append(all, r.CallID)
		}
		return all
	}
	turn := func(text string) []string {
		return []string{hello, model(call("call_0", "clock")), result("call_0", text)}
	}
	conversation := append(append(turn("1"), turn("2")...), turn("3")...)
	all := ids(conversation...)
	require.Len(t, all, 3)
	require.Len(t, map[string]bool{all[0]: true, all[1]: true, all[2]: true}, 3)
	require.Regexp(t, `^call_0#[0-9a-f]{16}$`, all[0])
	require.Equal(t, all[:2], ids(conversation[:6]...), "more messages change nothing")
	require.Equal(t, all[1:], ids(conversation[3:]...), "nor do fewer")
}

// TestTrimAnything trims conversations at random, whole and taken apart: what was
// asked for is replaced, and all else is the same bytes.
func TestTrimAnything(t *testing.T) {
	t.Parallel()
	var w chat.Codec
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(18, seed))
		turns := randomTurns(random, seed%2 == 0)
		for range random.IntN(4) {
			turns = disturb(random, turns)
		}
		in := messagesOf(render(turns)...)
		_, repairs := new(chat.Codec).Normalize(in)
		s := trimmer{}
		for range len(in) {
			s.answers = append(s.answers, []string{"", fmt.Sprint("short ", random.IntN(3))}[random.IntN(2)])
		}
		out := w.Trim(t.Context(), in, &s)
		require.Len(t, out, len(in))
		n := 0
		for i := range in {
			p := parsePast(in[i])
			if p.role != "tool" || s.answers[n] == "" {
				require.Same(t, &in[i][0], &out[i][0], "seed %d", seed)
			} else {
				want, text := members(t, in[i]), s.answers[n]
				require.NotEqual(t, string(in[i]), string(out[i]))
				want["content"] = text
				require.Equal(t, want, members(t, out[i]), "seed %d", seed)
			}
			if p.role == "tool" {
				require.Equal(t, members(t, in[i])["content"], s.shown[n].Text)
				n++
			}
		}
		require.Len(t, s.shown, n)
		_, after := new(chat.Codec).Normalize(out)
		require.Equal(t, repairs, after, "seed %d", seed)
		require.Equal(t, stringsOf(out), stringsOf(w.Trim(t.Context(), in, &s)), "seed %d", seed)
		normal, _ := new(chat.Codec).Normalize(in)
		_, after = new(chat.Codec).Normalize(w.Trim(t.Context(), normal, &s))
		require.Empty(t, after, "seed %d", seed)
	}
}

func members(t *testing.T, raw json.RawMessage) (m map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}

// FuzzTrim takes a message from each line. Nothing that Normalize would repair comes
// of trimming.
func FuzzTrim(f *testing.F) {
	f.Add(strings.Join([]string{hello, model(call("a", "clock"), call("b", "map")), resultB, hello, resultA, says}, "\n"), "short")
	f.Add(strings.Join([]string{resultA, `{"role":"tool","content":[{"type":"text","text":"a"},7]}`, `{"role":"tool","content":[{"TYPE":"text"},{}]}`, "null"}, "\n"), "\xff")
	f.Fuzz(func(t *testing.T, s, text string) {
		in := messagesOf(strings.Split(s, "\n")...)
		_, repairs := new(chat.Codec).Normalize(in)
		answers := make([]string, len(in))
		for i := range answers {
			answers[i] = text
		}
		var w chat.Codec
		out := w.Trim(t.Context(), in, &trimmer{answers: answers})
		_, after := new(chat.Codec).Normalize(out)
		require.Equal(t, repairs, after, "%s\nbecame\n%s", in, out)
		require.Equal(t, s, strings.Join(stringsOf(in), "\n"))
	})
}

func BenchmarkTrim(b *testing.B) {
	var texts []string
	size := 0
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		texts = append(texts, model(call(id, "write")), result(id, strings.Repeat("lorem ipsum ", 500)))
	}
	for _, s := range texts {
		size += len(s)
	}
	messages := messagesOf(texts...)
	var w chat.Codec
	s := trimmer{answers: make([]string, 100)}
	s.answers[7] = "short"
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		w.Trim(b.Context(), messages, &s)
	}
}
