package gemini_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

// TestRecordings compares the calls with what encoding/json alone finds in a response.
func TestRecordings(t *testing.T) {
	wiretest.RunRecordings(t, api, checkRecording, checkRequest)
}

func TestRecordingsNormalize(t *testing.T) { wiretest.RunRecordingsNormalize(t, api, "contents") }

// checkRecording reads a response in all forms: the calls are the same to the byte.
func checkRecording(t testing.TB, r corpus.Recording, _ *wire.Message, _ error) {
	t.Helper()
	want := oracle(t, r.Body)
	responses := stringsOf(responsesOf(t, r.Body))
	for _, body := range []string{r.Body, stream(responses...), array(responses...), stream(responses...) + "data: [DONE]\n\n"} {
		splits := len(body)
		if body != r.Body {
			splits /= 64
		}
		m, err := wiretest.RequireSameInPieces(t, api, body, splits)
		require.NoError(t, err, r.File)
		require.Equal(t, want.calls, written(m.Calls), r.File)
		if want.reason != "MAX_TOKENS" { // then the only call may be cut
			require.Empty(t, m.Incomplete)
		}
		require.Equal(t, want.text, m.Text, r.File)
		require.Equal(t, want.reason, m.StopReason, r.File)
		requireIDs(t, want.ids, m.Calls)
		requireHistory(t, want.parts, m, r.File)
		requireTurn(t, m, new(gemini.Codec).Results(m, nil))
	}
}

// written returns the names and inputs of calls.
func written(calls []pegboard.Call) (all []string) {
	for _, c := range calls {
		all = append(all, c.Name+" "+string(c.Input))
	}
	return all
}

// requireIDs checks that ids of the API are taken, and that others are made and differ.
func requireIDs(t testing.TB, want []string, calls []pegboard.Call) {
	t.Helper()
	seen := map[string]bool{"": true}
	for i, c := range calls {
		require.False(t, seen[c.ID], c.ID)
		seen[c.ID] = true
		if want[i] != "" {
			require.Equal(t, want[i], c.ID)
		}
	}
}

// requireHistory compares what is sent back with what came, part by part.
func requireHistory(t testing.TB, want []string, m *wire.Message, file string) {
	t.Helper()
	var got struct {
		Role  string
		Parts []json.RawMessage
	}
	if history := only(m.History); history != nil {
		require.NoError(t, json.Unmarshal(history, &got))
		require.Equal(t, "model", got.Role)
	}
	require.Equal(t, want, stringsOf(got.Parts), file)
}

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t testing.TB, r corpus.Recording) (checked int) {
	t.Helper()
	var request struct {
		Tools json.RawMessage
	}
	if json.Unmarshal(r.Request, &request) != nil {
		return 0
	}
	var sent []struct {
		FunctionDeclarations []struct {
			Name, Description string
			Parameters        map[string]any
		}
	}
	request.Tools = onlyFunctions(t, request.Tools)
	require.NoError(t, json.Unmarshal(request.Tools, &sent))
	if len(sent) == 0 {
		return 0
	}
	var tools []pegboard.Tool
	for _, f := range sent[0].FunctionDeclarations {
		schema, err := json.Marshal(lowerTypes(f.Parameters))
		require.NoError(t, err)
		tools = append(tools, tool(t, f.Name, f.Description, string(schema)))
	}
	var declared any
	require.NoError(t, json.Unmarshal(gemini.New(poolOf(t, tools...), gemini.Config{}).Tools(), &declared))
	got, err := json.Marshal(withoutOrder(declared))
	require.NoError(t, err)
	require.JSONEq(t, string(request.Tools), string(got), r.File)
	return len(tools)
}

// onlyFunctions returns the tools of a request without those that the API runs itself, such
// as codeExecution, without members that are null, and without parameters that say nothing.
func onlyFunctions(t testing.TB, tools json.RawMessage) json.RawMessage {
	t.Helper()
	var entries []map[string]any
	require.NoError(t, json.Unmarshal(tools, &entries))
	kept := []any{}
	for _, entry := range entries {
		functions, _ := entry["functionDeclarations"].([]any)
		if len(functions) == 0 {
			continue
		}
		for _, f := range functions {
			function, _ := f.(map[string]any)
			for name, value := range function {
				if parameters, ok := value.(map[string]any); value == nil || name == "parameters" && ok && len(parameters) == 0 {
					delete(function, name)
				}
			}
		}
		kept = append(kept, map[string]any{"functionDeclarations": functions})
	}
	text, err := json.Marshal(kept)
	require.NoError(t, err)
	return text
}

func TestOnlyFunctions(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `[{"functionDeclarations":[{"name":"a"},{"name":"b","parameters":{"type":"OBJECT"}}]}]`, string(onlyFunctions(t, json.RawMessage(
		`[{"codeExecution":null,"functionDeclarations":[{"name":"a","parameters":{},"response":null},{"name":"b","parameters":{"type":"OBJECT"}}]},{"codeExecution":{}}]`))))
}

// lowerTypes returns a schema of the API as JSON Schema.
func lowerTypes(v any) any {
	return changed(v, func(m map[string]any) {
		if kind, ok := m["type"].(string); ok {
			m["type"] = strings.ToLower(kind)
		}
	})
}

// withoutOrder returns definitions without what the recorder did not send.
func withoutOrder(v any) any {
	return changed(v, func(m map[string]any) { delete(m, "propertyOrdering") })
}

// changed applies a change to all objects in v.
func changed(v any, change func(m map[string]any)) any {
	switch v := v.(type) {
	case map[string]any:
		change(v)
		for _, member := range v {
			changed(member, change)
		}
	case []any:
		for _, element := range v {
			changed(element, change)
		}
	}
	return v
}

// TestRecordingsConcatenated puts two recorded messages into one body: only the
// first is read.
func TestRecordingsConcatenated(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		pairs := 0
		all := recordings(t, folder)
		for i, r := range all {
			next := all[(i+1)%len(all)]
			events, m, err := read(strings.NewReader(r.Body))
			require.NoError(t, err)
			if form(r.Body) != form(next.Body) || form(r.Body) == "stream" && r.File == next.File {
				next.Body = r.Body // as it is, or with another id
				if form(r.Body) == "stream" {
					next.Body = strings.ReplaceAll(r.Body, m.ID, "another")
				}
			}
			again, n, err := read(strings.NewReader(r.Body + next.Body))
			require.NoError(t, err, r.File)
			require.Equal(t, events, again, r.File)
			require.Equal(t, m, n, r.File)
			pairs++
		}
		corpus.Report(t, folder, "%d pairs of messages", pairs)
	}
}

func form(body string) string {
	if strings.HasPrefix(body, "data:") {
		return "stream"
	}
	return body[:1]
}

// recordings returns every response below a folder of the corpus.
func recordings(t testing.TB, folder string) []corpus.Recording {
	t.Helper()
	return corpus.Recordings(t, filepath.Join(folder, "recordings", "gemini"), map[string]func(testing.TB, string) []corpus.Recording{".chunks.txt": chunks, ".responses": recordedCalls})
}

// chunks reads a file of one response a line. It may hold several messages, which
// differ in the id of their responses.
func chunks(t testing.TB, path string) (all []corpus.Recording) {
	t.Helper()
	last := ""
	for _, line := range corpus.Lines(t, path) {
		var head struct{ ResponseID string }
		require.NoError(t, json.Unmarshal(line, &head))
		if len(all) == 0 || head.ResponseID != last {
			all = append(all, corpus.Recording{File: path})
		}
		last = head.ResponseID
		all[len(all)-1].Body += "data: " + string(line) + "\n\n"
	}
	return all
}

// recordedCalls reads a file of one call of an SDK a line, with its responses.
func recordedCalls(t testing.TB, path string) (all []corpus.Recording) {
	t.Helper()
	for _, line := range corpus.Lines(t, path) {
		var call struct{ Response json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &call))
		all = append(all, corpus.Recording{File: path, Body: string(call.Response)})
	}
	return all
}

// expectation is what encoding/json alone finds in the responses of a reply.
type expectation struct {
	calls  []string // names and arguments
	ids    []string // of the calls; empty if they have none
	text   string
	parts  []string // as they are sent back
	reason string
	open   *streamedCall
}

// streamedCall is a call whose arguments come in pieces, all of them strings at the
// root.
type streamedCall struct {
	name, signature string
	keys            []string
	values          map[string]string
}

// responsesOf returns the responses in a body of any form.
func responsesOf(t testing.TB, body string) (all []json.RawMessage) {
	t.Helper()
	switch trimmed := strings.TrimSpace(body); {
	case strings.HasPrefix(trimmed, "{"):
		return []json.RawMessage{json.RawMessage(trimmed)}
	case strings.HasPrefix(trimmed, "["):
		require.NoError(t, json.Unmarshal([]byte(trimmed), &all))
		return all
	}
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, json.RawMessage(strings.TrimSpace(data)))
		}
	}
	return all
}

func oracle(t testing.TB, body string) (want expectation) {
	t.Helper()
	for _, raw := range responsesOf(t, body) {
		var r struct {
			Candidates []struct {
				Content      struct{ Parts []json.RawMessage }
				FinishReason string
			}
		}
		require.NoError(t, json.Unmarshal(raw, &r))
		for _, c := range r.Candidates {
			for _, p := range c.Content.Parts {
				want.part(t, p)
			}
			if c.FinishReason != "" {
				want.reason = c.FinishReason
			}
		}
	}
	return want
}

func (want *expectation) part(t testing.TB, raw json.RawMessage) {
	t.Helper()
	var p struct {
		Text             *string
		Thought          bool
		ThoughtSignature string
		FunctionCall     *struct {
			ID, Name     string
			Args         json.RawMessage
			PartialArgs  []struct{ JSONPath, StringValue string }
			WillContinue bool
		}
	}
	require.NoError(t, json.Unmarshal(raw, &p))
	f := p.FunctionCall
	switch {
	case f == nil:
		if p.Text != nil && !p.Thought {
			want.text += *p.Text
		}
		if p.Text == nil || *p.Text != "" || p.ThoughtSignature != "" {
			want.parts = append(want.parts, string(raw))
		}
	case f.WillContinue || want.open != nil:
		if want.open == nil {
			want.open = &streamedCall{name: f.Name, signature: p.ThoughtSignature, values: map[string]string{}}
		}
		for _, piece := range f.PartialArgs {
			key := strings.TrimPrefix(piece.JSONPath, "$.")
			if _, known := want.open.values[key]; !known {
				want.open.keys = append(want.open.keys, key)
			}
			want.open.values[key] += piece.StringValue
		}
		if !f.WillContinue {
			want.closeCall()
		}
	default:
		want.calls = append(want.calls, f.Name+" "+string(f.Args))
		want.ids = append(want.ids, f.ID)
		want.parts = append(want.parts, string(raw))
	}
}

func (want *expectation) closeCall() {
	var members []string
	for _, key := range want.open.keys {
		members = append(members, fmt.Sprintf("%q:%q", key, want.open.values[key]))
	}
	args := "{" + strings.Join(members, ",") + "}"
	want.calls = append(want.calls, want.open.name+" "+args)
	want.ids = append(want.ids, "")
	part := fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}`, want.open.name, args)
	if want.open.signature != "" {
		part += fmt.Sprintf(`,"thoughtSignature":%q`, want.open.signature)
	}
	want.parts = append(want.parts, part+"}")
	want.open = nil
}

func leftOut(size int, kind string) string {
	return fmt.Sprintf("(%d bytes of type %s were left out: only text, PNG, JPEG and WebP images and PDF documents can be shown. "+
		"Ask for the content in one of these forms.)", size, kind)
}

func TestResults(t *testing.T) {
	output := func(text string, more ...string) []string {
		return []string{user(result("a", "clock", "output", text, more...))}
	}
	failure := func(text string, more ...string) []string {
		return []string{user(result("a", "clock", "error", text, more...))}
	}
	beside := func(parts ...string) string { return `,"parts":[` + strings.Join(parts, ",") + `]` }
	wiretest.RunResults(t, api, map[string][]string{
		"text":                    output("<12> & more\no'clock"),
		"nothing":                 output(""),
		"not UTF-8":               {user(`{"functionResponse":{"id":"a","name":"clock","response":{"output":"\ufffd"}}}`)},
		"failure":                 failure("no"),
		"failure without words":   failure("clock failed and did not say why. Look at what it did before you repeat it."),
		"failure with an image":   failure("no", beside(png)),
		"images":                  output("see", beside(png, file("image/jpeg", "anBn"))),
		"file":                    output("(The plan is a file of type application/pdf.)", beside(file("application/pdf", "cGRm"))),
		"other bytes":             output(leftOut(1234, "application/zip") + "\n" + leftOut(0, "image/png") + "\n" + leftOut(1, "a b")),
		"documents":               output("Title: T\n\nx\n1,2"),
		"search result":           output("Title: Page\nSource: https://a\n\nwords"),
		"tool that is gone":       output("(Not available any more: x. Search again.)"),
		"order of the calls":      {user(result("a", "clock", "output", "1"), result("b", "clock", "output", "2"))},
		"duplicates":              output("first"),
		"outcomes of other calls": output("1"),
		"no outcome":              failure("clock was not run: the turn was interrupted. Repeat the call if it is still wanted."),
		"more":                    {user(result("a", "clock", "output", "1"), `{"text":"go"}`, `{"text":"on"}`, png)},
		"only more":               {user(`{"text":"go on"}`)},
	})
}

// TestResultsByNameAndOrder answers calls to which the API gave no id.
func TestResultsByNameAndOrder(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(ends("STOP", calls("clock", "{}"), calls("clock", "{}"), calls("map", "{}"))))
	require.NoError(t, err)
	got := new(gemini.Codec).Results(m, []pegboard.Outcome{
		outcome("r-2", text(`{"n":12345678901234567890}`)),
		outcome("r-3", pegboard.Part{MIME: "image/gif", Data: make([]byte, 1234)}),
		outcome("r-1", pegboard.Part{MIME: "application/json", Text: "[1]"}),
	})
	require.Equal(t, user(result("", "clock", "output", "[1]"), result("", "clock", "output", `{"n":12345678901234567890}`), result("", "map", "output", leftOut(1234, "image/gif"))), string(only(got)))
	requireTurn(t, m, got)
}

// TestResultsMediaBeside is for models that take no files within a result.
func TestResultsMediaBeside(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t), gemini.Config{MediaBeside: true})
	m, err := w.Read(strings.NewReader(ends("STOP", calls("clock", "{}"), calls("map", "{}")))).Message()
	require.NoError(t, err)
	got := only(w.Results(m, []pegboard.Outcome{outcome("r-1", text("see"), pegboard.Part{MIME: "image/png", Data: []byte("png")}), outcome("r-2")}, text("go on")))
	require.Equal(t, `{"role":"user","parts":[`+result("", "clock", "output", "see\n(The files of this result follow after the last result.)")+`,`+
		result("", "map", "output", "")+`,{"text":"Files of the result of clock:"},`+png+`,{"text":"go on"}]}`, string(got))
}

// declaration is a tool as the API reads it.
type declaration struct {
	Name                 string
	Description          *string
	Parameters           json.RawMessage
	ParametersJSONSchema json.RawMessage
}

func declarations(t testing.TB, tools json.RawMessage) []declaration {
	t.Helper()
	var all []struct{ FunctionDeclarations []declaration }
	require.NoError(t, json.Unmarshal(tools, &all))
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	return all[0].FunctionDeclarations
}

// TestTools, with one whose parameter the API refuses.
func TestTools(t *testing.T) { wiretest.RunTools(t, api) }

func TestToolsThatWait(t *testing.T) { wiretest.RunDeferral(t, api) }

// TestInvariant7BuiltinPrefix attaches and detaches sources.
func TestInvariant7BuiltinPrefix(t *testing.T) {
	builtins := []pegboard.Tool{
		tool(t, "zoom", "Last by name.", anyObject), tool(t, "edit", "Edits.", onePath), tool(t, "notes.add", "Mapped.", anyObject),
		tool(t, "odd", "Left out.", refusedSchema),
	}
	wiretest.RunBuiltinPrefix(t, api, effort.Of(t, uint64(80)), builtins, map[string]func(*pegboard.Pool) wire.Codec{"": api.New}, nil)
}

func TestChoice(t *testing.T) {
	choice := func(mode string, tools ...string) string {
		allowed := ""
		if len(tools) > 0 {
			allowed = `,"allowedFunctionNames":["` + strings.Join(tools, `","`) + `"]`
		}
		return `{"toolConfig":{"functionCallingConfig":{"mode":"` + mode + `"` + allowed + `}}}`
	}
	wiretest.RunChoice(t, api, map[string]string{
		"zero":                           choice("AUTO"),
		"one at a time":                  choice("AUTO"),
		"required":                       choice("ANY"),
		"required, one at a time":        choice("ANY"),
		"none":                           choice("NONE"),
		"one":                            choice("ANY", "notes.add"),
		"some":                           choice("VALIDATED", "clock", "notes.add"),
		"required of one":                choice("ANY", "clock"),
		"required of some":               choice("ANY", "clock", "notes.add"),
		"one that waits":                 choice("AUTO"),
		"one that waits, one at a time":  choice("AUTO"),
		"one that was loaded":            choice("ANY", "weather"),
		"some that wait":                 choice("VALIDATED", "weather", "clock"),
		"required of some that wait":     choice("ANY", "clock"),
		"all that may be called wait":    choice("NONE"),
		"required of those that wait":    choice("NONE"),
		"none, and those that wait even": choice("NONE"),
	})
}

const tree = `{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}`

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, "clock", "", `{"properties":{}}`),
		tool(t, "weather", "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}, "days": {"type": "integer"}},
			"required": ["city"]
		}`),
		tool(t, "notes.add", "A name that the API refuses.", onePath),
		tool(t, "tree", "A schema that refers to itself.", tree),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", onePath))
	require.NoError(t, err)

	wiretest.RequireGolden(t, gemini.New(wiretest.Hosted(t, &r, session(t)), gemini.Config{}))
}

func TestToolsSchema(t *testing.T) {
	t.Parallel()
	const (
		plain = "parameters"
		json  = "parametersJsonSchema"
	)
	tests := []struct {
		name   string
		schema string
		config gemini.Config
		member string // empty: neither
	}{
		{name: "plain", schema: onePath, member: plain},
		{name: "plain, other form", schema: onePath, config: gemini.Config{JSONSchema: true}, member: json},
		{name: "refers to itself", schema: tree, member: json},
		{name: "nothing", schema: anyObject},
		{name: "nothing, said at length", schema: `{"type":"object","properties":{},"required":[],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}`},
		{name: "nothing, other form", schema: `{}`, config: gemini.Config{JSONSchema: true}},
		{name: "asks for what it does not describe", schema: `{"type":"object","required":["a"]}`, member: json},
		{name: "any names", schema: `{"type":"object","additionalProperties":{"type":"string"}}`, member: json},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := gemini.New(poolOf(t, tool(t, "tested", "", tt.schema)), tt.config)
			require.Empty(t, w.Omitted())
			all := declarations(t, w.Tools())
			require.Len(t, all, 1)
			require.Equal(t, tt.member == plain, all[0].Parameters != nil)
			require.Equal(t, tt.member == json, all[0].ParametersJSONSchema != nil)
		})
	}
}

// TestToolsFormsAreKeptApart makes both forms of the same pool.
func TestToolsFormsAreKeptApart(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, "edit", "", onePath))
	for range 2 {
		require.Contains(t, string(gemini.New(p, gemini.Config{}).Tools()), `"parameters":`)
		require.Contains(t, string(gemini.New(p, gemini.Config{JSONSchema: true}).Tools()), `"parametersJsonSchema":`+onePath)
	}
}
