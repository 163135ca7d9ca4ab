package gemini_test

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
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// TestRecordings reads every recorded response in every form, however its bytes
// arrive, and compares the calls with what encoding/json alone finds in it.
func TestRecordings(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		messages, found, bodies, tools := 0, 0, 0, 0
		for _, r := range recordings(t, filepath.Join(folder, "recordings", "gemini")) {
			n := checkRecording(t, r)
			messages, found, bodies = messages+1, found+n.calls, bodies+n.bodies
			tools += checkRequest(t, r)
		}
		corpus.Report(t, folder, "%d messages with %d calls, read %d times; %d tool definitions", messages, found, bodies, tools)
	}
}

type checked struct{ calls, bodies int }

// checkRecording reads a response in all forms: the calls are the same to the byte.
func checkRecording(t *testing.T, r recording) (n checked) {
	t.Helper()
	want := oracle(t, r.Body)
	responses := stringsOf(responsesOf(t, r.Body))
	for _, body := range []string{r.Body, stream(responses...), array(responses...), stream(responses...) + "data: [DONE]\n\n"} {
		events, m, err := read(strings.NewReader(body))
		require.NoError(t, err, r.File)
		require.Equal(t, want.calls, written(m.Calls), r.File)
		if want.reason != "MAX_TOKENS" { // then the only call may be cut
			require.Empty(t, m.Incomplete)
		}
		require.Equal(t, want.text, m.Text, r.File)
		require.Equal(t, want.reason, m.StopReason, r.File)
		requireIDs(t, want.ids, m.Calls)
		requireHistory(t, want.parts, m, r.File)
		requireTurn(t, m, only(new(gemini.Codec).Results(m, nil)))
		n.calls = len(m.Calls)
		every := 1
		if body != r.Body {
			every = 64
		}
		for pieces := range splits(body, every) {
			again, other, err := read(pieces)
			require.NoError(t, err, r.File)
			require.Equal(t, events, again, r.File)
			require.Equal(t, m, other, r.File)
			n.bodies++
		}
	}
	return n
}

func written(calls []pegboard.Call) []string {
	var all []string
	for _, c := range calls {
		all = append(all, c.Name+" "+string(c.Input))
	}
	return all
}

// requireIDs checks that ids of the API are taken, and that others are made and differ.
func requireIDs(t *testing.T, want []string, calls []pegboard.Call) {
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
func requireHistory(t *testing.T, want []string, m *wire.Message, file string) {
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

// splits yields the ways in which a body may arrive: a byte at a time, with the end
// of the body beside the last bytes, and split in two at every place, or at some.
func splits(body string, every int) func(yield func(io.Reader) bool) {
	return func(yield func(io.Reader) bool) {
		if !yield(iotest.OneByteReader(strings.NewReader(body))) || !yield(iotest.DataErrReader(strings.NewReader("\ufeff"+body))) {
			return
		}
		for at := 0; at < len(body); at += every {
			if !yield(io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:]))) {
				return
			}
		}
	}
}

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t *testing.T, r recording) (checked int) {
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
		built, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: f.Name},
			Description: f.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		require.NoError(t, err)
		tools = append(tools, built)
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
func onlyFunctions(t *testing.T, tools json.RawMessage) json.RawMessage {
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
		all := recordings(t, filepath.Join(folder, "recordings", "gemini"))
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

// TestRecordingsNormalize leaves every recorded request as it is, and repairs it when
// it is cut off after any content, misses any, or ends with the recorded response.
func TestRecordingsNormalize(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		requests, contents, results := 0, 0, 0
		for _, r := range recordings(t, filepath.Join(folder, "recordings", "gemini")) {
			var request struct{ Contents []json.RawMessage }
			_ = json.Unmarshal(r.Request, &request) // what is no request has none
			sent := request.Contents
			got, repairs := new(gemini.Codec).Normalize(sent)
			require.Equal(t, stringsOf(sent), stringsOf(got), r.File)
			require.Empty(t, repairs, r.File)
			for i := range sent {
				requireNormal(t, sent[:i])
				requireNormal(t, slices.Delete(slices.Clone(sent), i, i+1))
				results += strings.Count(string(sent[i]), `"functionResponse"`)
			}
			_, m, err := read(strings.NewReader(r.Body))
			require.NoError(t, err)
			turn := append(slices.Clone(sent), only(m.History))
			requireNormal(t, turn)
			if answer := only(new(gemini.Codec).Results(m, nil)); answer != nil {
				turn = append(turn, answer)
				_, repairs = new(gemini.Codec).Normalize(turn)
				require.Empty(t, repairs, r.File)
			}
			requests += min(1, len(sent))
			contents += len(sent)
		}
		corpus.Report(t, folder, "%d requests of %d contents with %d results unchanged", requests, contents, results)
	}
}

type recording = corpus.Recording

// recordings returns every response below a folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	return corpus.Recordings(t, folder, map[string]func(testing.TB, string) []recording{".chunks.txt": chunks, ".responses": recordedCalls})
}

// chunks reads a file of one response a line. It may hold several messages, which
// differ in the id of their responses.
func chunks(t testing.TB, path string) (all []recording) {
	t.Helper()
	last := ""
	for _, line := range corpus.Lines(t, path) {
		var head struct{ ResponseID string }
		require.NoError(t, json.Unmarshal(line, &head))
		if len(all) == 0 || head.ResponseID != last {
			all = append(all, recording{File: path})
		}
		last = head.ResponseID
		all[len(all)-1].Body += "data: " + string(line) + "\n\n"
	}
	return all
}

// recordedCalls reads a file of one call of an SDK a line, with its responses.
func recordedCalls(t testing.TB, path string) (all []recording) {
	t.Helper()
	for _, line := range corpus.Lines(t, path) {
		var call struct{ Response json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &call))
		all = append(all, recording{File: path, Body: string(call.Response)})
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
func responsesOf(t *testing.T, body string) (all []json.RawMessage) {
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

func oracle(t *testing.T, body string) (want expectation) {
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

func (want *expectation) part(t *testing.T, raw json.RawMessage) {
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

func outcome(id string, parts ...pegboard.Part) pegboard.Outcome {
	return pegboard.Outcome{Call: &pegboard.Call{ID: id}, Result: &pegboard.Result{Parts: parts}}
}

func failed(o pegboard.Outcome, err error) pegboard.Outcome {
	o.Result.IsError = true
	o.Err = err
	return o
}

func text(s string) pegboard.Part { return pegboard.Part{Text: s} }

// result is a functionResponse; id may be empty, and more be further members.
func result(id, name, under, said string, more ...string) string {
	if id != "" {
		id = fmt.Sprintf(`"id":%q,`, id)
	}
	raw, _ := json.Marshal(said) // a string always encodes
	said = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(raw))
	return fmt.Sprintf(`{"functionResponse":{%s"name":%q,"response":{%q:%s}%s}}`, id, name, under, said, strings.Join(more, ""))
}

const notRun = "clock was not run: the turn was interrupted. Repeat the call if it is still wanted."

func TestResults(t *testing.T) {
	t.Parallel()
	a, b := callsWithID("a", "clock", "{}"), callsWithID("b", "map", "{}")
	tests := []struct {
		name     string
		said     []string
		outcomes []pegboard.Outcome
		more     []pegboard.Part
		want     string // parts; empty: no content
	}{
		{name: "nothing", said: []string{`{"text":"hi"}`}},
		{name: "text", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a", text("12"), text(" "), text("o'clock"))},
			want: result("a", "clock", "output", "12\no'clock")},
		{name: "without id", said: []string{calls("clock", "{}"), calls("clock", "{}")},
			outcomes: []pegboard.Outcome{outcome("r-2", text("two")), outcome("r-1", text("one"))},
			want:     result("", "clock", "output", "one") + "," + result("", "clock", "output", "two")},
		{name: "JSON stays text", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a", text(`{"n":12345678901234567890}`))},
			want: result("a", "clock", "output", `{"n":12345678901234567890}`)},
		{name: "error", said: []string{a}, outcomes: []pegboard.Outcome{failed(outcome("a", text("no")), nil)}, want: result("a", "clock", "error", "no")},
		{name: "empty", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a")}, want: result("a", "clock", "output", "")},
		{name: "order of the calls", said: []string{a, b}, outcomes: []pegboard.Outcome{outcome("b"), outcome("a")},
			want: result("a", "clock", "output", "") + "," + result("b", "map", "output", "")},
		{name: "more comes last", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a")}, more: []pegboard.Part{text("go on"), {MIME: "image/png", Data: []byte("png")}},
			want: result("a", "clock", "output", "") + `,{"text":"go on"},` + png},
		{name: "only more", said: []string{`{"text":"hi"}`}, more: []pegboard.Part{text("go on")}, want: `{"text":"go on"}`},
		{name: "duplicates", said: []string{a, a}, outcomes: []pegboard.Outcome{
			failed(outcome("a", text("second")), &pegboard.CallError{Err: pegboard.ErrDuplicate}), outcome("a", text("first")), outcome("a", text("third"))},
			want: result("a", "clock", "output", "first")},
		{name: "of other calls", said: []string{a}, outcomes: []pegboard.Outcome{outcome("z"), outcome(""), {}, outcome("a")}, want: result("a", "clock", "output", "")},
		{name: "missing", said: []string{a}, want: result("a", "clock", "error", notRun)},
		{name: "media", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a", text("see"), pegboard.Part{MIME: "image/png", Data: []byte("png")},
			pegboard.Part{MIME: "Image/JPG; q=1", Data: []byte("png")}, pegboard.Part{MIME: "application/pdf", Data: []byte("png"), Title: "Report"})},
			want: result("a", "clock", "output", "see\n(Report is a file of type application/pdf.)", `,"parts":[`, png, ",", strings.Replace(png, "png", "jpeg", 1), ",", strings.Replace(png, "image/png", "application/pdf", 1), "]")},
		{name: "other bytes", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a",
			pegboard.Part{MIME: "image/gif", Data: make([]byte, 1234)}, pegboard.Part{MIME: "image/png"}, pegboard.Part{MIME: "a b", Data: []byte("x")})},
			want: result("a", "clock", "output", leftOut(1234, "image/gif")+"\n"+leftOut(0, "image/png")+"\n"+leftOut(1, "a b"))},
		{name: "documents and search results", said: []string{a}, outcomes: []pegboard.Outcome{outcome("a",
			pegboard.Part{MIME: "text/plain", Text: "words", Title: "Notes"}, pegboard.Part{MIME: "text/csv", Data: []byte("a,b"), Text: "a table"}, pegboard.Part{MIME: "text/plain", Title: "Empty"},
			pegboard.Part{Text: "found", Title: "Page", Source: "https://example.com"}, pegboard.Part{MIME: "text/plain", Data: []byte("\xff")})},
			want: result("a", "clock", "output", "Title: Notes\n\nwords\na,b\nTitle: Page\nSource: https://example.com\n\nfound\n"+leftOut(1, "text/plain"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(ends("STOP", tt.said...)))
			require.NoError(t, err)
			got := only(new(gemini.Codec).Results(m, tt.outcomes, tt.more...))
			if tt.want == "" {
				require.Nil(t, got)
				return
			}
			require.Equal(t, `{"role":"user","parts":[`+tt.want+`]}`, string(got))
			requireTurn(t, m, got)
		})
	}
}

const png = `{"inlineData":{"mimeType":"image/png","data":"cG5n"}}`

func leftOut(size int, kind string) string {
	return fmt.Sprintf("(%d bytes of type %s were left out: only text, PNG, JPEG and WebP images and PDF documents can be shown. "+
		"Ask for the content in one of these forms.)", size, kind)
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

// TestResultsOfAMessageMadeByHand answers calls with what they say.
func TestResultsOfAMessageMadeByHand(t *testing.T) {
	t.Parallel()
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "clock"}, {Name: "map"}}}
	require.Equal(t, `{"role":"user","parts":[`+result("a", "clock", "output", "12")+","+result("", "map", "error", strings.Replace(notRun, "clock", "map", 1))+`]}`,
		string(only(new(gemini.Codec).Results(m, []pegboard.Outcome{outcome("a", text("12"))}))))
}

// TestResultsOfAnExecutor takes a reply with all kinds of calls through a real executor.
func TestResultsOfAnExecutor(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject)), gemini.Config{})
	m, err := w.Read(strings.NewReader(stream(
		says(callsWithID("a", "clock", "{}"), callsWithID("a", "clock", "{}")),
		says(calls("unknown", "{}"), calls("clock", `[]`), `{"functionCall":{"name":"clock"}}`),
		ends("STOP", calls(w.Name("notes.add"), "{}"), calls("notes.add", "{}"))))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	outcomes := e.Run(t.Context(), poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject)), m.Calls...)
	require.Len(t, outcomes, 7)
	require.ErrorIs(t, outcomes[1].Err, pegboard.ErrDuplicate)
	require.ErrorIs(t, outcomes[2].Err, pegboard.ErrUnknownTool)
	require.ErrorIs(t, outcomes[3].Err, pegboard.ErrInvalidInput)
	for _, i := range []int{0, 4, 5, 6} {
		require.NoError(t, outcomes[i].Err)
	}
	answer := only(w.Results(m, outcomes))
	requireTurn(t, m, answer)
	require.Equal(t, 6, strings.Count(string(answer), `"functionResponse"`))
}

// TestInvariant2 builds replies and outcomes at random and checks every request that
// comes of them as the API does.
func TestInvariant2(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(2000)) {
		random := rand.New(rand.NewPCG(2, seed))
		_, m, err := read(strings.NewReader(randomReply(random)))
		if err != nil {
			require.True(t, errors.Is(err, wire.ErrTruncated) || errors.Is(err, wire.ErrMalformed), "%v", err)
		}
		requireTurn(t, m, only(new(gemini.Codec).Results(m, randomOutcomes(random, m.Calls), randomParts(random)...)))
	}
}

func randomReply(random *rand.Rand) string {
	var responses []string
	for range random.IntN(4) {
		var parts []string
		for range random.IntN(4) {
			id := fmt.Sprint("id", random.IntN(4))
			parts = append(parts, []string{
				calls("clock", "{}"), calls("map", `{"a":1}`), callsWithID(id, "clock", "[]"), callsWithID(id, "clock", "{}"),
				`{"text":""}`, `{"text":"a"}`, `{"text":"t","thought":true}`, `{"text":"","thoughtSignature":"s"}`,
				`{"functionCall":{"name":"clock","willContinue":true}}`, `{"functionCall":{}}`, `{"vendor":{}}`,
			}[random.IntN(11)])
		}
		responses = append(responses, says(parts...))
	}
	responses = append(responses, ends("STOP"))
	responses = responses[:len(responses)-random.IntN(8)/7]
	if random.IntN(2) == 0 {
		return array(responses...)
	}
	return stream(responses...)
}

func randomOutcomes(random *rand.Rand, calls []pegboard.Call) (outcomes []pegboard.Outcome) {
	ids := []string{"", "other", "id1"}
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	for range random.IntN(8) {
		o := outcome(ids[random.IntN(len(ids))], randomParts(random)...)
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
		parts = append(parts, []pegboard.Part{text(""), text("a"), {MIME: "image/png", Data: []byte("b")}, {MIME: "text/x"}, {Tool: "x"}}[random.IntN(5)])
	}
	return parts
}

// requireTurn checks a reply that is sent back together with its answer: each call
// has one response, in order, before anything else.
func requireTurn(t *testing.T, m *wire.Message, answer json.RawMessage) {
	t.Helper()
	var asked, answered []any
	if history := only(m.History); history != nil {
		role, parts := decode(t, history)
		require.Equal(t, "model", role)
		require.NotEmpty(t, parts)
		for _, p := range parts {
			require.False(t, p["text"] == "" && p["thoughtSignature"] == nil, "empty text")
			if f, ok := p["functionCall"].(map[string]any); ok {
				require.True(t, f["args"] == nil || isObject(f["args"]), "%v", f["args"])
				require.NotContains(t, f, "willContinue")
				require.NotContains(t, f, "partialArgs")
				require.NotEmpty(t, f["name"])
				asked = append(asked, [2]any{f["id"], f["name"]})
			}
		}
	}
	if answer == nil {
		require.Empty(t, asked, "calls without results")
		return
	}
	role, parts := decode(t, answer)
	require.Equal(t, "user", role)
	require.NotEmpty(t, parts)
	for i, p := range parts {
		if f, ok := p["functionResponse"].(map[string]any); ok {
			require.Len(t, answered, i, "a result after other content")
			require.Len(t, f["response"], 1)
			answered = append(answered, [2]any{f["id"], f["name"]})
		}
	}
	require.Equal(t, asked, answered)
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

func decode(t *testing.T, raw json.RawMessage) (role any, parts []map[string]any) {
	t.Helper()
	var content map[string]any
	require.NoError(t, json.Unmarshal(raw, &content))
	list, _ := content["parts"].([]any)
	for _, p := range list {
		fields, ok := p.(map[string]any)
		require.True(t, ok)
		parts = append(parts, fields)
	}
	return content["role"], parts
}

// TestResultsSaySomething renders what could be lost.
func TestResultsSaySomething(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(ends("STOP", calls("a", "{}"), calls("b", "{}"))))
	require.NoError(t, err)
	got := only(new(gemini.Codec).Results(m, []pegboard.Outcome{
		{Call: &m.Calls[0], Result: &pegboard.Result{IsError: true}},
		{Call: &m.Calls[1], Result: &pegboard.Result{Parts: []pegboard.Part{{MIME: "application/json", Text: "[1]"}}}},
	}))
	require.Equal(t, `{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"error":"a failed and did not say why. Look at what it did before you repeat it."}}},`+
		`{"functionResponse":{"name":"b","response":{"output":"[1]"}}}]}`, string(got))
}

// declaration is a tool as the API reads it.
type declaration struct {
	Name                 string
	Description          *string
	Parameters           json.RawMessage
	ParametersJSONSchema json.RawMessage
}

func declarations(t testing.TB, w *gemini.Codec) []declaration {
	t.Helper()
	var all []struct{ FunctionDeclarations []declaration }
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	return all[0].FunctionDeclarations
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

	got := gemini.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), gemini.Config{}).Tools()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(got))
}

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(gemini.New(poolOf(t), gemini.Config{}).Tools()))
	var zero gemini.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
	require.Nil(t, zero.Loaded(nil))
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
			all := declarations(t, w)
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

var apiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`)

func TestNames(t *testing.T) {
	t.Parallel()
	given := []string{
		"plain", "with-dash_9", "notes.add", "notes/add", "notes add", "ümlaut", "日本語", "_", ".", "..", "9lives", "-dash",
		strings.Repeat("n", 63), strings.Repeat("n", 64), strings.Repeat("n", 65) + "!", strings.Repeat("é", 40),
	}
	var tools []pegboard.Tool
	for _, name := range given {
		tools = append(tools, tool(t, name, "", anyObject))
	}
	w := gemini.New(poolOf(t, tools...), gemini.Config{})
	other := gemini.New(poolOf(t, tools[2]), gemini.Config{})

	seen := map[string]string{}
	for _, name := range given {
		api := w.Name(name)
		require.Regexp(t, apiName, api)
		require.NotContains(t, seen, api, "%q and %q share a name", name, seen[api])
		seen[api] = name
		if apiName.MatchString(name) {
			require.Equal(t, name, api)
		}
		m, err := w.Read(strings.NewReader(ends("STOP", calls(api, "{}")))).Message()
		require.NoError(t, err)
		require.Equal(t, name, m.Calls[0].Name)
		require.Contains(t, string(only(w.Results(m, nil))), fmt.Sprintf(`"name":%q`, api))
	}
	require.Equal(t, w.Name("notes.add"), other.Name("notes.add"), "a name depends on the other tools")
	require.Regexp(t, `^notes_add_[0-9a-f]{12}$`, w.Name("notes.add"))
	for _, d := range declarations(t, w) {
		require.Contains(t, seen, d.Name)
	}
}

// TestInvariant7BuiltinPrefix attaches and detaches sources at random. The request's
// tools begin with the same bytes all the time.
func TestInvariant7BuiltinPrefix(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(20)) {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(
			tool(t, "zoom", "Last by name.", anyObject),
			tool(t, "edit", "Edits.", onePath),
			tool(t, "notes.add", "Mapped.", anyObject),
			tool(t, "odd", "Left out.", `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`),
		))
		s := session(t)
		alone := string(gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{}).Tools())
		prefix := strings.TrimSuffix(alone, "]}]")
		for range 40 {
			source := fmt.Sprintf("source%d.%d", random.IntN(3), random.IntN(2))
			if random.IntN(3) == 0 {
				r.Detach(source)
			} else {
				r.Detach(source) // which need not be there
				_, err := r.Attach(source, externals(t, random)...)
				require.NoError(t, err)
			}
			p := r.AssemblePool(s, pegboard.PoolConfig{})
			w := gemini.New(p, gemini.Config{})
			got := string(w.Tools())
			rest, ok := strings.CutPrefix(got, prefix)
			require.True(t, ok, "the prefix changed:\n%s\n%s", prefix, got)
			require.Regexp(t, `^(\]\}\]$|,\{)`, rest)
			require.Equal(t, got, string(gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{}).Tools()), "the same pool, other bytes")
			require.Equal(t, p.Len(), len(declarations(t, w))+len(w.Omitted()))
		}
	}
}

// externals returns a few tools, some of which the API would refuse.
func externals(t *testing.T, random *rand.Rand) []pegboard.Tool {
	t.Helper()
	schemas := []string{anyObject, `{}`, onePath, `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`, tree}
	var tools []pegboard.Tool
	for i := range random.IntN(4) {
		name := []string{"add", "notes.add", "zoom", "日本", strings.Repeat("long", 20)}[random.IntN(5)]
		tools = append(tools, tool(t, fmt.Sprint(name, i), fmt.Sprint("text ", random.IntN(3)), schemas[random.IntN(len(schemas))]))
	}
	return tools
}

// TestInvariant8OneBadTool makes sure that a tool which the API would refuse the whole
// request for costs nobody but itself.
func TestInvariant8OneBadTool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, "edit", "", onePath)))
	_, err := r.Attach("maps", tool(t, "bad", "", `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`), tool(t, "route", "", anyObject))
	require.NoError(t, err)
	w := gemini.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), gemini.Config{})
	var sent []string
	for _, d := range declarations(t, w) {
		sent = append(sent, d.Name)
	}
	require.Equal(t, []string{"edit", "mcp__maps__route"}, sent)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "mcp__maps__bad", w.Omitted()[0].Tool)
	require.True(t, w.Omitted()[0].Omitted)
	require.Contains(t, w.Omitted()[0].Reason, "a b")
}

func TestChoice(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t, tool(t, "edit", "", anyObject), tool(t, "notes.add", "", anyObject)), gemini.Config{})
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{"mode":"AUTO"}`},
		{name: "sequential", choice: wire.Choice{Sequential: true}, want: `{"mode":"AUTO"}`},
		{name: "some", choice: wire.Choice{Tools: []string{"edit"}}, want: `{"mode":"VALIDATED","allowedFunctionNames":["edit"]}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"mode":"ANY"}`},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"edit", "notes.add"}},
			want: fmt.Sprintf(`{"mode":"ANY","allowedFunctionNames":["edit",%q]}`, w.Name("notes.add"))},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "edit", Tools: []string{"x"}}, want: `{"mode":"ANY","allowedFunctionNames":["edit"]}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"edit"}}, want: `{"mode":"NONE"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"toolConfig":{"functionCallingConfig":`+tt.want+`}}`, string(w.Choice(tt.choice)))
			require.Equal(t, `{}`, string(gemini.New(poolOf(t), gemini.Config{}).Choice(tt.choice)))
		})
	}
}
