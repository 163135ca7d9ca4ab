package responses_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
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
