package responses_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// recorded returns every recorded response below a folder of the corpus.
func recordedIn(t *testing.T, folder string) []recording {
	t.Helper()
	return recordings(t, filepath.Join(folder, "recordings", "openai-responses"))
}

// TestRecordings reads every recorded response, however its bytes arrive, and
// compares it with what encoding/json alone finds in its last event.
func TestRecordings(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		var n tally
		for _, r := range recordedIn(t, folder) {
			n.add(checkRecording(t, r))
			n.tools += checkRequest(t, r)
		}
		corpus.Report(t, folder, "%d responses (%d messages with %d calls and %d items, %d API errors, %d cut or of other APIs), %d tool definitions",
			n.responses, n.messages, n.calls, n.items, n.apiErrors, n.cut, n.tools)
	}
}

type tally struct{ responses, messages, calls, items, apiErrors, cut, tools int }

func (n *tally) add(m *wire.Message, err error) {
	var apiError *wire.APIError
	n.responses++
	n.calls += len(m.Calls)
	n.items += len(m.History)
	switch {
	case err == nil:
		n.messages++
	case errors.As(err, &apiError):
		n.apiErrors++
	default:
		n.cut++
	}
}

// checkRecording reads a response whole, in many pieces and in other spellings.
func checkRecording(t *testing.T, r recording) (*wire.Message, error) {
	t.Helper()
	want := oracle(r.Body)
	events, m, err := read(strings.NewReader(r.Body))
	requireTurn(t, m, new(responses.Codec).Results(m, nil))
	var apiError *wire.APIError
	switch {
	case want.apiError != "":
		require.ErrorAs(t, err, &apiError, r.File)
		require.Equal(t, want.apiError, apiError.Message)
	case want.foreign:
		require.True(t, errors.Is(err, wire.ErrTruncated) || errors.Is(err, wire.ErrMalformed), "%s: %v", r.File, err)
	case want.cut:
		require.ErrorIs(t, err, wire.ErrTruncated, r.File)
	default:
		require.NoError(t, err, r.File)
		require.Equal(t, want.calls, written(m.Calls), r.File)
		require.Equal(t, want.text, m.Text, r.File)
		require.True(t, strings.HasSuffix(want.reason, m.StopReason), r.File)
		requireItems(t, want.items, m.History, r.File)
	}
	for _, body := range pieces(r.Body) {
		again, n, errAgain := read(body)
		require.Equal(t, events, again, r.File)
		require.Equal(t, m, n, r.File)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(errAgain), r.File)
	}
	return m, err
}

func written(calls []pegboard.Call) []string {
	var all []string
	for _, c := range calls {
		all = append(all, c.ID+" "+c.Name+" "+string(c.Input))
	}
	return all
}

// requireItems compares what is sent back with what came. The items of a stream may
// be spelled otherwise than in its last event.
func requireItems(t *testing.T, want []string, got []json.RawMessage, file string) {
	t.Helper()
	require.Len(t, got, len(want), file)
	for i := range want {
		require.JSONEq(t, want[i], string(got[i]), file)
	}
}

// pieces returns the ways in which a body may arrive: a byte at a time, split
// in two at any place (or at some, if it is long), and with other line ends.
func pieces(body string) []io.Reader {
	all := []io.Reader{iotest.OneByteReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body))}
	if !strings.HasPrefix(body, "{") {
		crlf := strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\n", "\r\n")
		all = append(all, strings.NewReader(crlf), iotest.OneByteReader(strings.NewReader("\ufeff: comment\r\n"+crlf)))
	}
	split := func(at int) {
		all = append(all, io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:])))
	}
	const each = 1024
	random := rand.New(rand.NewPCG(11, uint64(len(body))))
	for i := range min(len(body), each) {
		if len(body) <= each {
			split(i)
		} else if i%32 == 0 {
			split(random.IntN(len(body)))
		}
	}
	return all
}

// TestRecordingsCut ends every recorded stream after each of its lines. A call that
// was handed out before is whole and counts; no other does.
func TestRecordingsCut(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		cuts := 0
		for _, r := range recordedIn(t, folder) {
			want := oracle(r.Body)
			if want.apiError != "" || want.cut || want.foreign || strings.HasPrefix(r.Body, "{") {
				continue
			}
			upto := 0
			for line := range strings.Lines(r.Body) {
				upto += len(line)
				_, m, err := read(strings.NewReader(r.Body[:upto]))
				if err != nil {
					require.ErrorIs(t, err, wire.ErrTruncated, r.File)
				}
				require.ElementsMatch(t, want.calls[:len(m.Calls)], written(m.Calls), r.File)
				for i, c := range m.Incomplete {
					whole := want.calls[len(m.Calls)+i]
					require.True(t, c.Name == "tool_search" || strings.HasPrefix(whole, written([]pegboard.Call{c})[0]), r.File)
				}
				require.True(t, strings.HasPrefix(want.text, m.Text), r.File)
				requireTurn(t, m, new(responses.Codec).Results(m, nil))
				cuts++
			}
		}
		corpus.Report(t, folder, "%d cut streams", cuts)
	}
}

// TestRecordingsSearch finds the searches and hosted calls that were recorded.
func TestRecordingsSearch(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		var client, hosted, patches int
		for _, r := range recordedIn(t, folder) {
			_, m, _ := read(strings.NewReader(r.Body)) // some were cut
			for _, c := range m.Calls {
				if c.Name == "tool_search" {
					client++
					require.True(t, json.Valid(c.Input), r.File)
					answer := new(responses.Codec).Results(m, nil)
					require.Contains(t, string(answer[0]), `"tool_search_output"`)
					require.Contains(t, string(answer[0]), c.ID)
				}
			}
			for _, item := range m.History {
				if strings.Contains(string(item), `"type":"tool_search_output"`) {
					hosted++
					require.Equal(t, loadedFrom(t, item), new(responses.Codec).Loaded([]json.RawMessage{item}), r.File)
				}
				if strings.Contains(string(item), `"type":"apply_patch_call"`) {
					patches++
				}
			}
		}
		corpus.Report(t, folder, "%d searches by the client, %d by the API, %d patches", client, hosted, patches)
	}
}

func loadedFrom(t *testing.T, item json.RawMessage) (names []string) {
	t.Helper()
	var output struct{ Tools []struct{ Name string } }
	require.NoError(t, json.Unmarshal(item, &output))
	for _, tool := range output.Tools {
		names = append(names, tool.Name)
	}
	return names
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t *testing.T, r recording) (checked int) {
	t.Helper()
	var request struct {
		Tools []struct {
			Type        string
			Name        string
			Description string
			Parameters  json.RawMessage
			Strict      bool
			Deferred    bool `json:"defer_loading"`
		}
	}
	if json.Unmarshal(r.Request, &request) != nil {
		return 0
	}
	for _, sent := range request.Tools {
		if sent.Type != "function" || !apiName.MatchString(sent.Name) {
			continue
		}
		built, err := pegboard.BuildRaw(sent.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: sent.Name, Strict: sent.Strict, Loading: loading(sent.Deferred)},
			Description: sent.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		if err != nil {
			continue // quarantined
		}
		want := map[string]any{"type": "function", "name": sent.Name, "description": sent.Description, "parameters": sent.Parameters, "strict": sent.Strict}
		if sent.Deferred {
			want["defer_loading"] = true
		}
		raw, err := json.Marshal(want)
		require.NoError(t, err)
		got := responses.New(poolOf(t, built), responses.Config{HostedSearch: true}).Tools()
		require.JSONEq(t, `[{"type":"tool_search"},`+string(raw)+"]", string(got), r.File)
		checked++
	}
	return checked
}

type recording = corpus.Recording

// recordings returns every response below a folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	return corpus.Recordings(t, folder, map[string]func(testing.TB, string) []recording{".chunks.txt": chunks})
}

// chunks reads a file of one payload a line. It may hold several responses.
func chunks(t testing.TB, path string) []recording {
	t.Helper()
	var all []recording
	var body strings.Builder
	flush := func() {
		if body.Len() > 0 {
			all = append(all, recording{File: path, Body: body.String()})
		}
		body.Reset()
	}
	for _, line := range corpus.Lines(t, path) {
		body.WriteString("data: " + string(line) + "\n\n")
		var event struct{ Type string }
		if json.Unmarshal(line, &event) == nil && ended(event.Type) {
			flush()
		}
	}
	flush()
	return all
}

// ended reports whether an event is the last of a response.
func ended(event string) bool {
	switch event {
	case "response.completed", "response.incomplete", "response.failed":
		return true
	}
	return false
}

// expectation is what encoding/json alone finds in a response.
type expectation struct {
	calls    []string
	text     string
	items    []string // as they are sent back, byte for byte
	reason   string
	apiError string
	cut      bool
	foreign  bool // holds no response of this API
}

// outputItem is an item as far as the oracle looks at it.
type outputItem struct {
	Type      string
	CallID    string `json:"call_id"`
	Name      string
	Status    string
	Execution string
	Arguments any
	Sealed    string `json:"encrypted_content"`
	Content   []struct{ Text, Refusal string }
}

// finalResponse is a response that is over.
type finalResponse struct {
	Object  string
	Status  string
	Store   *bool
	Output  []json.RawMessage
	Error   struct{ Message string }
	Details struct{ Reason string } `json:"incomplete_details"`
}

// oracle looks at nothing but the response in the last event, or at all of a whole
// one. The reader under test looks at everything that comes before it.
func oracle(body string) (want expectation) {
	var last struct {
		Type     string
		Response json.RawMessage
		Message  string
		Error    struct{ Message string }
	}
	var raw json.RawMessage
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		raw = json.RawMessage(body)
	} else {
		for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
			data, ok := strings.CutPrefix(line, "data:")
			if !ok || raw != nil || json.Unmarshal([]byte(data), &last) != nil {
				continue
			}
			if last.Type == "error" {
				want.apiError = last.Message + last.Error.Message
				return want
			}
			if ended(last.Type) {
				raw = last.Response
			}
		}
		want.foreign = !strings.Contains(body, "response.created")
		if want.cut = raw == nil; want.cut {
			return want
		}
	}
	var final finalResponse
	if json.Unmarshal(raw, &final) != nil || final.Object != "response" {
		want.apiError, want.foreign = final.Error.Message, final.Error.Message == ""
		return want
	}
	if final.Status == "failed" {
		want.apiError = final.Error.Message
	}
	want.reason = final.Status + final.Details.Reason
	want.takeOutput(final.Output, final.Store != nil && !*final.Store)
	return want
}

func (e *expectation) takeOutput(output []json.RawMessage, unstored bool) {
	var leads []string // reasoning that nothing follows yet
	for _, raw := range output {
		var item outputItem
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		for _, c := range item.Content {
			if item.Type == "message" {
				e.text += c.Text + c.Refusal
			}
		}
		call := item.Type == "function_call" || item.Type == "tool_search_call" && item.Execution == "client"
		switch {
		case item.Type == "reasoning" && unstored && item.Sealed == "":
			continue
		case item.Type == "reasoning":
			leads = append(leads, string(raw))
			continue
		case call && item.Status == "incomplete":
			continue
		case call:
			e.calls = append(e.calls, item.written())
		}
		e.items = append(append(e.items, leads...), string(raw))
		leads = nil
	}
}

func (i *outputItem) written() string {
	if i.Type == "tool_search_call" {
		raw, _ := json.Marshal(i.Arguments)
		return i.CallID + " tool_search " + string(raw)
	}
	arguments, _ := i.Arguments.(string)
	return i.CallID + " " + i.Name + " " + arguments
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

const anyObject = `{"type":"object"}`

// tool returns a tool that does nothing.
func tool(t testing.TB, info pegboard.Info, description, schema string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: info, Description: description,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

func named(name string) pegboard.Info { return pegboard.Info{Name: name} }

func session(t testing.TB) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// loading keeps a definition from waiting, or makes it wait, whatever tool it is of.
func loading(deferred bool) pegboard.Loading {
	if deferred {
		return pegboard.LoadOnSearch
	}
	return pegboard.LoadAlways
}

// poolOf returns the pool of built-in tools for a provider that searches.
func poolOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
}

// definition is a tool as the API reads it.
type definition struct {
	Type        string
	Name        string
	Execution   string
	Description string
	Parameters  json.RawMessage
	Strict      *bool
	Deferred    bool `json:"defer_loading"`
}

func definitions(t testing.TB, w *responses.Codec) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, named("clock"), "", `{"type":"object","properties":{}}`),
		tool(t, pegboard.Info{Name: "weather", Strict: true}, "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}},
			"required": ["city"], "additionalProperties": false
		}`),
		tool(t, named("notes.add"), "A name that the API refuses.", anyObject),
		tool(t, named("find"), "Finds tools.", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	))
	_, err := r.Attach("maps", tool(t, pegboard.Info{Name: "route", Loading: pegboard.LoadOnSearch}, "Finds a way.", anyObject))
	require.NoError(t, err)

	got := responses.New(r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), responses.Config{ClientSearch: "find"}).Tools()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(got))
}

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(responses.New(poolOf(t), responses.Config{}).Tools()))
	var zero responses.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
	require.Empty(t, zero.Omitted())
	require.Equal(t, "{}", string(zero.Choice(wire.Choice{Mode: wire.Required})))
}

// TestToolsStrict sends strict with every function, and true only where it was
// asked for and can be.
func TestToolsStrict(t *testing.T) {
	t.Parallel()
	optional := `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	w := responses.New(poolOf(t,
		tool(t, pegboard.Info{Name: "a", Strict: true}, "", optional),
		tool(t, pegboard.Info{Name: "b"}, "", optional),
		tool(t, pegboard.Info{Name: "c", Strict: true}, "", `{"type":"object","properties":{"a":{"not":{"type":"string"}}},"additionalProperties":{"type":"string"}}`),
	), responses.Config{})
	var strict []bool
	for _, d := range definitions(t, w) {
		strict = append(strict, *d.Strict)
	}
	require.Equal(t, []bool{true, false, false}, strict)

	_, m, err := readWith(w, strings.NewReader(whole("completed", "", use("1", "a", `{"a": null}`), use("2", "b", `{"a": null}`), use("3", "a", `{"a":`))))
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Calls[0].Input), "null stands for a property that is left out")
	require.Equal(t, `{"a": null}`, string(m.Calls[1].Input))
	require.Equal(t, `{"a":`, string(m.Calls[2].Input))
	require.Equal(t, use("1", "a", `{"a": null}`), string(m.History[0]), "what is sent back is what came")
}

func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, named("find"), "Finds.", anyObject), tool(t, pegboard.Info{Name: "late", Loading: pegboard.LoadOnSearch}, "", anyObject))
	tests := []struct {
		name   string
		config responses.Config
		want   []definition
	}{
		{name: "nobody searches", want: []definition{{Type: "function", Name: "find"}, {Type: "function", Name: "late"}}},
		{name: "the API searches", config: responses.Config{HostedSearch: true},
			want: []definition{{Type: "tool_search"}, {Type: "function", Name: "find"}, {Type: "function", Name: "late", Deferred: true}}},
		{name: "a tool searches", config: responses.Config{ClientSearch: "find"},
			want: []definition{{Type: "tool_search", Execution: "client"}, {Type: "function", Name: "late", Deferred: true}}},
		{name: "a tool that is not there", config: responses.Config{ClientSearch: "seek"}, want: []definition{{Type: "function", Name: "find"}, {Type: "function", Name: "late"}}},
		{name: "tools of the API", config: responses.Config{HostedSearch: true, ServerTools: []json.RawMessage{[]byte(`{"type":"apply_patch"}`), []byte(`{"type":"web_search"}`)}},
			want: []definition{{Type: "tool_search"}, {Type: "apply_patch"}, {Type: "web_search"}, {Type: "function", Name: "find"}, {Type: "function", Name: "late", Deferred: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := definitions(t, responses.New(p, tt.config))
			for i := range got {
				require.Equal(t, got[i].Type == "function", got[i].Strict != nil)
				got[i].Strict, got[i].Parameters, got[i].Description = nil, nil, ""
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestToolsNames maps names that the API refuses there and back.
func TestToolsNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	w := responses.New(poolOf(t, tool(t, named("notes.add"), "", anyObject), tool(t, named("notes_add"), "", anyObject), tool(t, named(long), "", anyObject)), responses.Config{})
	seen := map[string]bool{}
	for _, d := range definitions(t, w) {
		require.Regexp(t, apiName, d.Name)
		seen[d.Name] = true
	}
	require.Len(t, seen, 3)
	for _, name := range []string{"notes.add", "notes_add", long} {
		require.True(t, seen[w.Name(name)])
		_, m, err := readWith(w, strings.NewReader(whole("completed", "", use("a", w.Name(name), "{}"))))
		require.NoError(t, err)
		require.Equal(t, name, m.Calls[0].Name)
		require.Equal(t, []string{name}, w.Loaded(m.History))
	}
	require.Empty(t, w.Omitted())
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

// TestToolsOmitted leaves out what cannot be sent, and says so.
func TestToolsOmitted(t *testing.T) {
	t.Parallel()
	p := poolOf(t, declared{tool(t, named("odd"), "", anyObject), `{"type":"array"}`}, tool(t, named("clock"), "", anyObject))
	w := responses.New(p, responses.Config{})
	require.Len(t, definitions(t, w), 1)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "odd", w.Omitted()[0].Tool)
	require.Equal(t, wire.Lint(p, wire.OpenAIResponses), w.Omitted())
}

func TestChoice(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, named("clock"), "", anyObject), tool(t, named("a.b"), "", anyObject), tool(t, named("find"), "", anyObject))
	w := responses.New(p, responses.Config{ClientSearch: "find"})
	function := func(name string) string { return `{"type":"function","name":"` + w.Name(name) + `"}` }
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"clock"}}, want: `{"tool_choice":"none"}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"tool_choice":"required"}`},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "a.b"}, want: `{"tool_choice":` + function("a.b") + `}`},
		{name: "some", choice: wire.Choice{Tools: []string{"clock", "a.b"}}, want: `{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[` + function("clock") + `,` + function("a.b") + `]}}`},
		{name: "one of some, one by one", choice: wire.Choice{Mode: wire.Required, Tools: []string{"clock"}, Sequential: true},
			want: `{"tool_choice":{"type":"allowed_tools","mode":"required","tools":[` + function("clock") + `]},"parallel_tool_calls":false}`},
		{name: "one by one", choice: wire.Choice{Sequential: true}, want: `{"parallel_tool_calls":false}`},
		{name: "the search", choice: wire.Choice{Mode: wire.One, Tool: "find"}, want: `{"tool_choice":{"type":"tool_search"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(w.Choice(tt.choice)))
		})
	}
}

// TestCorpusTools sends every real definition, or says why not, as Lint does.
func TestCorpusTools(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		file := filepath.Join(folder, "mcp-schemas", "tools.jsonl")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		sources := map[string][]pegboard.Tool{}
		for _, line := range corpus.Lines(t, file) {
			var row struct {
				Name, Description, Server string
				Parameters                json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &row))
			built, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: row.Name, Strict: true}, Description: row.Description,
				Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
			})
			if err == nil {
				sources[row.Server] = append(sources[row.Server], built)
			}
		}
		var r pegboard.Registry
		for _, name := range slices.Sorted(maps.Keys(sources)) {
			_, err := r.Attach(name, sources[name]...)
			require.NoError(t, err)
		}
		p := r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
		w := responses.New(p, responses.Config{})
		strict := 0
		seen := map[string]bool{}
		for _, d := range definitions(t, w) {
			require.Regexp(t, apiName, d.Name)
			require.False(t, seen[d.Name])
			seen[d.Name] = true
			if *d.Strict {
				strict++
			}
		}
		require.Len(t, seen, p.Len()-len(w.Omitted()))
		omitted := slices.DeleteFunc(wire.Lint(p, wire.OpenAIResponses), func(p wire.Problem) bool { return !p.Omitted })
		require.ElementsMatch(t, omitted, w.Omitted())
		corpus.Report(t, folder, "%d of %d definitions sent, %d of them strict", len(seen), p.Len(), strict)
	}
}

// TestInvariant7 attaches and detaches sources at random: the built-in tools keep
// their bytes, and the same tools are the same bytes.
func TestInvariant7(t *testing.T) {
	t.Parallel()
	s := session(t)
	for seed := range effort.Of(t, uint64(50)) {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		for i := range 1 + random.IntN(5) {
			require.NoError(t, r.Add(tool(t, pegboard.Info{Name: fmt.Sprintf("tool.%d", i), Strict: i%2 == 0}, "d", anyObject)))
		}
		prefix := strings.TrimSuffix(string(responses.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), responses.Config{HostedSearch: true}).Tools()), "]")
		for range 5 {
			name := fmt.Sprintf("source%d", random.IntN(3))
			var tools []pegboard.Tool
			for i := range random.IntN(4) {
				tools = append(tools, tool(t, pegboard.Info{Name: fmt.Sprintf("t%d", i), Loading: loading(random.IntN(2) == 0)}, "d", anyObject))
			}
			if r.Detach(name); len(tools) > 0 {
				r.Detach(name) // which need not be there
				_, err := r.Attach(name, tools...)
				require.NoError(t, err)
			}
			p := r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
			got := string(responses.New(p, responses.Config{HostedSearch: true}).Tools())
			require.True(t, strings.HasPrefix(got, prefix), "%s\n%s", prefix, got)
			require.Equal(t, got, string(responses.New(p, responses.Config{HostedSearch: true}).Tools()))
		}
	}
}
