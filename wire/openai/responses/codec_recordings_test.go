package responses_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
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
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// TestRecordings compares a response with what encoding/json alone finds in its last event.
func TestRecordings(t *testing.T) {
	wiretest.RunRecordings(t, api, checkRecording, checkRequest)
}

func TestRecordingsNormalize(t *testing.T) { wiretest.RunRecordingsNormalize(t, api, "input") }

func checkRecording(t testing.TB, r corpus.Recording, m *wire.Message, err error) {
	t.Helper()
	want := oracle(r.Body)
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
}

// recordings returns every response below a folder of the corpus.
func recordings(t testing.TB, folder string) []corpus.Recording {
	t.Helper()
	return corpus.Recordings(t, filepath.Join(folder, "recordings", "openai-responses"),
		map[string]func(testing.TB, string) []corpus.Recording{".chunks.txt": wiretest.Chunks("response.completed", "response.incomplete", "response.failed")})
}

// requireItems compares what is sent back with what came. The items of a stream may
// be spelled otherwise than in its last event.
func requireItems(t testing.TB, want []string, got []json.RawMessage, file string) {
	t.Helper()
	require.Len(t, got, len(want), file)
	for i := range want {
		require.JSONEq(t, want[i], string(got[i]), file)
	}
}

// TestRecordingsSearch finds the searches and hosted calls that were recorded.
func TestRecordingsSearch(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		var client, hosted, patches int
		for _, r := range recordings(t, folder) {
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

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t testing.TB, r corpus.Recording) (checked int) {
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
			Info:        pegboard.Info{Name: sent.Name, Strict: sent.Strict, Loading: wiretest.Loading(sent.Deferred)},
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

func TestResults(t *testing.T) {
	const (
		png  = `{"type":"input_image","image_url":"data:image/png;base64,cG5n"}`
		jpeg = `{"type":"input_image","image_url":"data:image/jpeg;base64,anBn"}`
	)
	leftOut := func(size int, kind string) string {
		return fmt.Sprintf("(%d bytes of type %s were left out: only text, PNG, JPEG, GIF and WebP images and PDF files, each of no more than some MB, can be shown. Ask for the content in another form.)", size, kind)
	}
	one := func(value string) []string { return []string{output("a", value)} }
	wiretest.RunResults(t, api, map[string][]string{
		"text":                    one(`"<12> & more\no'clock"`),
		"nothing":                 one(`""`),
		"not UTF-8":               one(`"\ufffd"`),
		"failure":                 one(`"Error: no"`),
		"failure without words":   one(`"Error: the call failed and said nothing about it."`),
		"failure with an image":   one(`[` + inputText("Error: no") + `,` + png + `]`),
		"images":                  one(`[` + inputText("see") + `,` + png + `,` + jpeg + `]`),
		"file":                    one(`[{"type":"input_file","filename":"The plan.pdf","file_data":"data:application/pdf;base64,cGRm"}]`),
		"other bytes":             one(`"` + leftOut(1234, "application/zip") + `\n` + leftOut(0, "image/png") + `\n` + leftOut(1, "a b") + `"`),
		"documents":               one(`"Title: T\n\nx\n1,2"`),
		"search result":           one(`"Title: Page\nSource: https://a\n\nwords"`),
		"tool that is gone":       one(`""`),
		"order of the calls":      {output("a", `"1"`), output("b", `"2"`)},
		"duplicates":              one(`"first"`),
		"outcomes of other calls": one(`"1"`),
		"no outcome":              one(`"Error: clock was not run: the turn was interrupted. Repeat the call if it is still wanted."`),
		"more":                    {output("a", `"1"`), userSays(inputText("go"), inputText("on"), png)},
		"only more":               {userSays(inputText("go on"))},
	})
}

// TestResultsOfFilesAndFailures has what only this API says in its own way.
func TestResultsOfFilesAndFailures(t *testing.T) {
	t.Parallel()
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "clock"}}}
	png := pegboard.Part{MIME: "image/png", Data: []byte("png")}
	pdf := func(title string) pegboard.Part {
		return pegboard.Part{MIME: "application/pdf", Title: title, Data: []byte("pdf")}
	}
	file := func(name string) string {
		return `{"type":"input_file","filename":"` + name + `","file_data":"data:application/pdf;base64,cGRm"}`
	}
	for want, o := range map[string]pegboard.Outcome{
		`"error 7"`: failed(outcome("a", text("error 7")), nil),
		`[` + inputText("Error: the call failed and said nothing about it.") + `,{"type":"input_image","image_url":"data:image/png;base64,cG5n"}]`: failed(outcome("a", png), nil),
		`[` + file("document.pdf") + `,` + file("The plan.pdf") + `,` + file("a.pdf") + `]`:                                                        outcome("a", pdf(""), pdf("The plan"), pdf("a.pdf")),
	} {
		require.Equal(t, []string{output("a", want)}, stringsOf(new(responses.Codec).Results(m, []pegboard.Outcome{o})))
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
	p := poolOf(t, named(t, "find", "Finds.", anyObject), tool(t, pegboard.Info{Name: "a.b", Loading: pegboard.LoadOnSearch}, "late", anyObject))
	part := func(name string) pegboard.Part { return pegboard.Part{Tool: name} }

	w := responses.New(p, responses.Config{ClientSearch: "find"})
	_, m, err := wiretest.Read(w, strings.NewReader(whole("completed", "", sought, use("a", "x", "{}"))))
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
	w = responses.New(poolOf(t, named(t, "ToolSearch", "Finds.", anyObject), tool(t, pegboard.Info{Name: "a.b", Loading: pegboard.LoadOnSearch}, "late", anyObject)), responses.Config{})
	_, m, err = wiretest.Read(w, strings.NewReader(whole("completed", "", use("a", "ToolSearch", "{}"))))
	require.NoError(t, err)
	answer = w.Results(m, []pegboard.Outcome{outcome("a", text("Found:"), part("a.b"))})
	plain := strings.Replace(late, `,"defer_loading":true`, "", 1)
	var item struct{ Output string }
	require.NoError(t, json.Unmarshal(answer[0], &item))
	require.Equal(t, "Found:\n<functions>\n"+plain+"\n</functions>", item.Output)
	require.Equal(t, []string{"ToolSearch", "a.b"}, w.Loaded(append(m.History, answer...)))
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

func definitions(t testing.TB, tools json.RawMessage) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(tools, &all))
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		named(t, "clock", "", `{"type":"object","properties":{}}`),
		tool(t, pegboard.Info{Name: "weather", Strict: true}, "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}},
			"required": ["city"], "additionalProperties": false
		}`),
		named(t, "notes.add", "A name that the API refuses.", anyObject),
		named(t, "find", "Finds tools.", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	))
	_, err := r.Attach("maps", tool(t, pegboard.Info{Name: "route", Loading: pegboard.LoadOnSearch}, "Finds a way.", anyObject))
	require.NoError(t, err)

	wiretest.RequireGolden(t, responses.New(wiretest.Hosted(t, &r, session(t)), responses.Config{ClientSearch: "find"}))
}

func TestTools(t *testing.T) { wiretest.RunTools(t, api) }

// TestInvariant7 attaches and detaches sources.
func TestInvariant7(t *testing.T) {
	var builtins []pegboard.Tool
	for i := range 5 {
		builtins = append(builtins, tool(t, pegboard.Info{Name: fmt.Sprintf("tool.%d", i), Strict: i%2 == 0}, "d", anyObject))
	}
	wiretest.RunBuiltinPrefix(t, api, effort.Of(t, uint64(50)), builtins, map[string]func(*pegboard.Pool) wire.Codec{"a function": api.New, "the API": searchedByAPI.New}, nil)
}

func TestChoice(t *testing.T) {
	function := func(name string) string { return `{"type":"function","name":"` + name + `"}` }
	wiretest.RunChoice(t, api, wiretest.OpenAIChoices(function, func(mode string, tools ...string) string {
		return `{"type":"allowed_tools","mode":"` + mode + `","tools":[` + strings.Join(tools, ",") + `]}`
	}))
	_, _, codec := searchedByClient.Searchable(t, wiretest.Late(t, "zoom", anyObject))
	require.Equal(t, `{"tool_choice":{"type":"tool_search"}}`, string(codec().Choice(wire.Choice{Mode: wire.One, Tool: "ToolSearch"})))
	require.Equal(t, `{}`, string(codec().Choice(wire.Choice{Mode: wire.One, Tool: "zoom"})), "it waits")
	shown := searchedByAPI.New(poolOf(t, wiretest.Late(t, "zoom", anyObject)))
	require.Equal(t, `{"tool_choice":`+function("zoom")+`}`, string(shown.Choice(wire.Choice{Mode: wire.One, Tool: "zoom"})))
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
	for _, d := range definitions(t, w.Tools()) {
		strict = append(strict, *d.Strict)
	}
	require.Equal(t, []bool{true, false, false}, strict)

	_, m, err := wiretest.Read(w, strings.NewReader(whole("completed", "", use("1", "a", `{"a": null}`), use("2", "b", `{"a": null}`), use("3", "a", `{"a":`))))
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Calls[0].Input), "null stands for a property that is left out")
	require.Equal(t, `{"a": null}`, string(m.Calls[1].Input))
	require.Equal(t, `{"a":`, string(m.Calls[2].Input))
	require.Equal(t, use("1", "a", `{"a": null}`), string(m.History[0]), "what is sent back is what came")
}

func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	p := poolOf(t, named(t, "find", "Finds.", anyObject), tool(t, pegboard.Info{Name: "late", Loading: pegboard.LoadOnSearch}, "", anyObject))
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
			got := definitions(t, responses.New(p, tt.config).Tools())
			for i := range got {
				require.Equal(t, got[i].Type == "function", got[i].Strict != nil)
				got[i].Strict, got[i].Parameters, got[i].Description = nil, nil, ""
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestRecordingsOfTools sends every real definition, or says why not, as Lint does.
func TestRecordingsOfTools(t *testing.T) {
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
		p := wiretest.Hosted(t, &r, session(t))
		w := responses.New(p, responses.Config{})
		strict := 0
		seen := map[string]bool{}
		for _, d := range definitions(t, w.Tools()) {
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
