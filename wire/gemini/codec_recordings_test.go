package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
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
