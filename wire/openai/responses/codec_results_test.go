package responses_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

func outcome(id string, parts ...pegboard.Part) pegboard.Outcome {
	return pegboard.Outcome{Call: &pegboard.Call{ID: id}, Result: &pegboard.Result{Parts: parts}}
}

func failed(o pegboard.Outcome, err error) pegboard.Outcome {
	o.Result.IsError = true
	o.Err = err
	return o
}

func text(s string) pegboard.Part { return pegboard.Part{Text: s} }

func output(id, value string) string {
	return fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, id, value)
}

func userSays(parts ...string) string {
	return `{"type":"message","role":"user","content":[` + strings.Join(parts, ",") + `]}`
}

func inputText(s string) string { return fmt.Sprintf(`{"type":"input_text","text":%q}`, s) }

func TestResults(t *testing.T) {
	t.Parallel()
	png := pegboard.Part{MIME: "image/png", Data: []byte("png")}
	const picture = `{"type":"input_image","image_url":"data:image/png;base64,cG5n"}`
	calls := func(ids ...string) (m wire.Message) {
		for _, id := range ids {
			m.Calls = append(m.Calls, pegboard.Call{ID: id, Name: "clock"})
		}
		return m
	}
	tests := []struct {
		name     string
		message  wire.Message
		outcomes []pegboard.Outcome
		more     []pegboard.Part
		want     []string
	}{
		{name: "nothing"},
		{name: "text", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("<12>"), text(" "), text("o'clock"))}, want: []string{output("a", `"<12>\no'clock"`)}},
		{name: "error", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", text("no clock")), nil)}, want: []string{output("a", `"Error: no clock"`)}},
		{name: "error that says so", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", text("error 7")), nil)}, want: []string{output("a", `"error 7"`)}},
		{name: "error without words", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a"), nil)}, want: []string{output("a", `"Error: the call failed and said nothing about it."`)}},
		{name: "empty", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a")}, want: []string{output("a", `""`)}},
		{name: "order of the calls", message: calls("a", "b"), outcomes: []pegboard.Outcome{outcome("b"), outcome("a")}, want: []string{output("a", `""`), output("b", `""`)}},
		{name: "more comes last", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a")}, more: []pegboard.Part{text("go on"), text(""), png}, want: []string{output("a", `""`), userSays(inputText("go on"), picture)}},
		{name: "only more", more: []pegboard.Part{text("go on")}, want: []string{userSays(inputText("go on"))}},
		{name: "duplicates", message: calls("a", "a"), outcomes: []pegboard.Outcome{
			failed(outcome("a", text("second")), &pegboard.CallError{Err: pegboard.ErrDuplicate}), outcome("a", text("first")), outcome("a", text("third"))}, want: []string{output("a", `"first"`)}},
		{name: "of other calls", message: calls("a"), outcomes: []pegboard.Outcome{outcome("z"), outcome(""), {}, outcome("a")}, want: []string{output("a", `""`)}},
		{name: "missing", message: calls("a"), want: []string{output("a", `"Error: clock was not run: the turn was interrupted. Repeat the call if it is still wanted."`)}},
		{name: "calls without id have no answer", message: calls("")},
		{name: "images and files", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("see"), png, pegboard.Part{MIME: "Image/JPG; q=1", Data: []byte("jpg")},
			pegboard.Part{MIME: "application/pdf", Data: []byte("pdf")}, pegboard.Part{MIME: "application/pdf", Title: "The plan", Data: []byte("pdf")}, pegboard.Part{MIME: "application/pdf", Title: "a.pdf", Data: []byte("pdf")})},
			want: []string{output("a", `[`+inputText("see")+`,`+picture+`,{"type":"input_image","image_url":"data:image/jpeg;base64,anBn"},`+
				`{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,cGRm"},{"type":"input_file","filename":"The plan.pdf","file_data":"data:application/pdf;base64,cGRm"},`+
				`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,cGRm"}]`)}},
		{name: "image of a failure", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", png), nil)}, want: []string{output("a", `[`+inputText("Error: the call failed and said nothing about it.")+`,`+picture+`]`)}},
		{name: "text and image of a failure", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", text("no"), png), nil)}, want: []string{output("a", `[`+inputText("Error: no")+`,`+picture+`]`)}},
		{name: "other bytes", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{MIME: "audio/wav", Data: make([]byte, 1234)})},
			want: []string{output("a", `"(1234 bytes of type audio/wav were left out: only text, PNG, JPEG, GIF and WebP images and PDF files, each of no more than some MB, can be shown. Ask for the content in another form.)"`)}},
		{name: "documents and search results", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{MIME: "text/plain", Title: "T", Text: "x"}, pegboard.Part{MIME: "text/csv; charset=utf-8", Data: []byte("1,2")}, pegboard.Part{Title: "Page", Source: "https://a", Text: "words"})},
			want: []string{output("a", `"Title: T\n\nx\n1,2\nTitle: Page\nSource: https://a\n\nwords"`)}},
		{name: "not UTF-8", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("\xff"))}, want: []string{output("a", `"\ufffd"`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, stringsOf(new(responses.Codec).Results(&tt.message, tt.outcomes, tt.more...)))
		})
	}
}

// TestResultsLimits cuts what is longer than the API takes.
func TestResultsLimits(t *testing.T) {
	t.Parallel()
	const most = 10_485_760
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a"}}}
	long := outcome("a", text(strings.Repeat("x", most+1)))
	var item struct{ Output string }
	require.NoError(t, json.Unmarshal(new(responses.Codec).Results(m, []pegboard.Outcome{long})[0], &item))
	require.Len(t, item.Output, most)
	require.True(t, strings.HasSuffix(item.Output, "Ask for less, or in pieces.)"))
	got := string(new(responses.Codec).Results(m, []pegboard.Outcome{outcome("a", pegboard.Part{MIME: "image/png", Data: make([]byte, 15<<20)}, pegboard.Part{MIME: "application/pdf", Data: make([]byte, 53<<20)})})[0])
	require.Contains(t, got, "(15728640 bytes of type image/png were left out")
	require.NotContains(t, got, "input_file")
}

// TestResultsOfASearch gives the model the definitions of what was found.
func TestResultsOfASearch(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, named("find"), "Finds.", anyObject), tool(t, pegboard.Info{Name: "a.b", Loading: pegboard.LoadOnSearch}, "late", anyObject))
	part := func(name string) pegboard.Part { return pegboard.Part{Tool: name} }

	w := responses.New(p, responses.Config{ClientSearch: "find"})
	_, m, err := readWith(w, strings.NewReader(whole("completed", "", sought, use("a", "x", "{}"))))
	require.NoError(t, err)
	require.Equal(t, `find`, m.Calls[0].Name)
	require.Equal(t, `{"goal": "a <map>"}`, string(m.Calls[0].Input))
	late := `{"type":"function","name":"` + w.Name("a.b") + `","description":"late","parameters":{"type":"object"},"strict":false,"defer_loading":true}`
	require.Contains(t, string(w.Tools()), late, "as in the request")
	answer := w.Results(m, []pegboard.Outcome{outcome("s", part("a.b"), part("unknown"), part("find"), part("a.b")), outcome("a")}, text("go on"))
	require.Equal(t, []string{`{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[` + late + `]}`, output("a", `""`), userSays(inputText("go on"))}, stringsOf(answer))
	require.Equal(t, []string{"a.b"}, w.Loaded(answer))

	answer = w.Results(m, []pegboard.Outcome{failed(outcome("s", text("down")), nil), outcome("a")}, text("go on"))
	require.Equal(t, []string{`{"type":"tool_search_output","call_id":"s","execution":"client","status":"completed","tools":[]}`, output("a", `""`), userSays(inputText("(This is what find said beside the tools it found.)"), inputText("Error: down"), inputText("go on"))}, stringsOf(answer))

	// The search is a function as any other.
	w = responses.New(poolOf(t, tool(t, named("ToolSearch"), "Finds.", anyObject), tool(t, pegboard.Info{Name: "a.b", Loading: pegboard.LoadOnSearch}, "late", anyObject)), responses.Config{})
	_, m, err = readWith(w, strings.NewReader(whole("completed", "", use("a", "ToolSearch", "{}"))))
	require.NoError(t, err)
	answer = w.Results(m, []pegboard.Outcome{outcome("a", text("Found:"), part("a.b"))})
	plain := strings.Replace(late, `,"defer_loading":true`, "", 1)
	var item struct{ Output string }
	require.NoError(t, json.Unmarshal(answer[0], &item))
	require.Equal(t, "Found:\n<functions>\n"+plain+"\n</functions>", item.Output)
	require.Equal(t, []string{"ToolSearch", "a.b"}, w.Loaded(append(m.History, answer...)))
}

// TestResultsOfAnExecutor takes a reply with all kinds of calls through a real
// executor.
func TestResultsOfAnExecutor(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, named("clock"), "", anyObject))
	w := responses.New(p, responses.Config{})
	_, m, err := readWith(w, strings.NewReader(whole("completed", "", thinks, use("a", "clock", "{}"), use("a", "clock", "{}"), use("b", "unknown", "{}"), use("c", "clock", `{"x`), sought)))
	require.NoError(t, err)
	var e pegboard.Executor
	outcomes := e.Run(t.Context(), p, m.Calls...)
	require.Len(t, outcomes, 5)
	require.ErrorIs(t, outcomes[1].Err, pegboard.ErrDuplicate)
	answer := w.Results(m, outcomes)
	requireTurn(t, m, answer)
	require.Len(t, answer, 5, "four outputs, and what the search said")
}

// TestInvariant2 builds replies and outcomes at random and checks every request
// that comes of them as the API does.
func TestInvariant2(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(2, seed))
		_, m, err := read(strings.NewReader(randomReply(random)))
		if err != nil {
			require.ErrorIs(t, err, wire.ErrTruncated)
		}
		requireTurn(t, m, new(responses.Codec).Results(m, randomOutcomes(random), randomParts(random)...))
	}
}

var ids = []string{"call_1", "call_2", "call_3", "call_4"}

func randomReply(random *rand.Rand) string {
	events := []string{created}
	status := []string{"completed", "incomplete"}[random.IntN(2)]
	for i := range random.IntN(6) {
		id := ids[random.IntN(len(ids))]
		item := []string{
			thinks, says, hosted, patch, strings.Replace(sought, `"s"`, `"`+id+`"`, 1),
			use(id, "clock", []string{"", "{}", `{"a":1}`, `{"a`, "[]"}[random.IntN(5)]), useAs("incomplete", id, "clock", `{"a`),
		}[random.IntN(7)]
		events = append(events, added(i, item))
		if strings.Contains(item, `"message"`) {
			events = append(events, delta(i, "output_text", "Hel"))
		}
		events = append(events, done(i, item))
	}
	events = append(events, ending(status, ""))
	return stream(events[:len(events)-random.IntN(8)%len(events)]...)
}

func randomOutcomes(random *rand.Rand) (outcomes []pegboard.Outcome) {
	for range random.IntN(8) {
		o := outcome(append(ids, "", "other")[random.IntN(len(ids)+2)], randomParts(random)...)
		switch random.IntN(4) {
		case 0:
			o = failed(o, &pegboard.CallError{Err: pegboard.ErrDuplicate})
		case 1:
			o = failed(o, errors.New("no"))
		}
		o.Result.Messages = randomParts(random)
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func randomParts(random *rand.Rand) (parts []pegboard.Part) {
	for range random.IntN(3) {
		parts = append(parts, []pegboard.Part{
			text("a"), text(" "), {MIME: "image/png", Data: []byte("png")}, {MIME: "application/pdf", Data: []byte("pdf")},
			{MIME: "x/y", Data: []byte("z")}, {Tool: "clock"}, {Source: "s", Text: "found"},
		}[random.IntN(7)])
	}
	return parts
}

// requireTurn checks the items that come of a reply as the API does, but for the
// patches, which are for the host to answer.
func requireTurn(t *testing.T, m *wire.Message, answer []json.RawMessage) {
	t.Helper()
	items := slices.Concat(m.History, answer)
	require.Empty(t, faults(t, slices.DeleteFunc(slices.Clone(items), func(item json.RawMessage) bool {
		return strings.Contains(string(item), "apply_patch_call")
	})), "%s", items)
	for i, raw := range items {
		require.True(t, json.Valid(raw), "%s", raw)
		var item struct {
			Type, Status string
			Output       json.RawMessage
			Content      json.RawMessage
		}
		require.NoError(t, json.Unmarshal(raw, &item))
		switch {
		case item.Type == "reasoning":
			require.Less(t, i+1, len(m.History), "reasoning without its following item")
		case i >= len(m.History) && item.Type == "function_call_output":
			if item.Output[0] != '"' {
				requireContent(t, item.Output)
			}
		case i >= len(m.History) && item.Type == "message":
			require.Equal(t, len(items)-1, i)
			requireContent(t, item.Content)
		}
	}
}

func requireContent(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var parts []map[string]string
	require.NoError(t, json.Unmarshal(raw, &parts))
	require.NotEmpty(t, parts)
	for _, p := range parts {
		switch p["type"] {
		case "input_text":
			require.NotEmpty(t, strings.TrimSpace(p["text"]))
		case "input_image":
			require.Regexp(t, "^data:image/(png|jpeg|gif|webp);base64,", p["image_url"])
		case "input_file":
			require.NotEmpty(t, p["filename"])
			require.Regexp(t, "^data:application/pdf;base64,", p["file_data"])
		default:
			t.Fatalf("a part of type %q", p["type"])
		}
	}
}
