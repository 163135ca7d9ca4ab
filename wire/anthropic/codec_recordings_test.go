package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestRecordings reads every recorded response, however its bytes arrive, and
// compares the calls with what encoding/json alone finds in it.
func TestRecordings(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		var n tally
		for _, r := range recordings(t, filepath.Join(folder, "recordings", "anthropic")) {
			n.add(checkRecording(t, r))
			tools, loaded := checkRequest(t, r)
			n.tools += tools
			n.loaded += loaded
		}
		corpus.Report(t, folder, "%d responses (%d messages with %d calls, %d API errors, %d malformed, %d cut or of other APIs), %d tool definitions, %d loaded tools",
			n.responses, n.messages, n.calls, n.apiErrors, n.malformed, n.cut, n.tools, n.loaded)
	}
}

type tally struct{ responses, messages, calls, apiErrors, malformed, cut, tools, loaded int }

func (n *tally) add(m *wire.Message, err error) {
	var apiError *wire.APIError
	n.responses++
	n.calls += len(m.Calls)
	switch {
	case err == nil:
		n.messages++
	case errors.As(err, &apiError):
		n.apiErrors++
	case errors.Is(err, wire.ErrMalformed):
		n.malformed++
	case errors.Is(err, wire.ErrTruncated):
		n.cut++
	}
}

// checkRecording reads a response whole, in many pieces and in other spellings.
func checkRecording(t *testing.T, r recording) (*wire.Message, error) {
	t.Helper()
	want := oracle(r.Body)
	events, m, err := read(strings.NewReader(r.Body))
	require.Equal(t, want.calls, written(m.Calls), r.File)
	requireTurn(t, m, only(new(anthropic.Codec).Results(m, nil)))
	var apiError *wire.APIError
	switch {
	case want.apiError != "":
		require.ErrorAs(t, err, &apiError, r.File)
		require.Equal(t, want.apiError, apiError.Message)
	case want.foreign:
		require.True(t, errors.Is(err, wire.ErrTruncated) || errors.Is(err, wire.ErrMalformed) || errors.As(err, &apiError), "%s: %v", r.File, err)
	case want.malformed:
		require.ErrorIs(t, err, wire.ErrMalformed, r.File)
	case want.cut:
		require.ErrorIs(t, err, wire.ErrTruncated, r.File)
	default:
		require.NoError(t, err, r.File)
		require.Equal(t, want.text, m.Text, r.File)
		if !want.odd {
			requireHistory(t, want.blocks, m, r.File)
		}
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

// requireHistory compares what is sent back with what came, block by block.
func requireHistory(t *testing.T, want []map[string]any, m *wire.Message, file string) {
	t.Helper()
	var got struct{ Content []json.RawMessage }
	if history := only(m.History); history != nil {
		require.NoError(t, json.Unmarshal(history, &got))
	}
	require.Len(t, got.Content, len(want), file)
	for i, block := range want {
		raw, err := json.Marshal(block)
		require.NoError(t, err)
		require.JSONEq(t, string(raw), string(got.Content[i]), file)
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

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent. What its messages made known is found again.
func checkRequest(t *testing.T, r recording) (tools, loaded int) {
	t.Helper()
	var request struct {
		Tools    []json.RawMessage
		Messages []json.RawMessage
	}
	if json.Unmarshal(r.Request, &request) != nil {
		return 0, 0
	}
	var own []pegboard.Tool
	var server, want []json.RawMessage
	for _, raw := range request.Tools {
		var d struct {
			Name, Description string
			InputSchema       json.RawMessage `json:"input_schema"`
			DeferLoading      bool            `json:"defer_loading"`
			Parameters        any             // of another API
		}
		require.NoError(t, json.Unmarshal(raw, &d))
		if d.Parameters != nil {
			return 0, 0
		}
		want = append(want, raw)
		if d.InputSchema == nil {
			server = append(server, raw)
			continue
		}
		built, err := pegboard.BuildRaw(d.InputSchema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: d.Name, Loading: loading(d.DeferLoading)},
			Description: d.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		require.NoError(t, err, r.File)
		own = append(own, built)
	}
	w := anthropic.New(poolOf(t, own...), anthropic.Config{ServerTools: server})
	var got []json.RawMessage
	require.NoError(t, json.Unmarshal(w.Tools(), &got))
	require.ElementsMatch(t, decoded(t, want), decoded(t, got), r.File)
	require.Empty(t, w.Omitted(), r.File)
	requireTaken(t, w)

	known := w.Loaded(request.Messages)
	require.ElementsMatch(t, known, knownIn(decoded(t, request.Messages)), r.File)
	return len(own), len(known)
}

// decoded returns values in which only what they say can differ.
func decoded(t *testing.T, raw []json.RawMessage) (all []any) {
	t.Helper()
	for _, r := range raw {
		var v any
		require.NoError(t, json.Unmarshal(r, &v))
		all = append(all, v)
	}
	return all
}

// knownIn returns the tools that are called or referred to anywhere below v.
func knownIn(v any) (tools []string) {
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(tools, name) {
				tools = append(tools, name)
			}
		}
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			add(knownIn(element)...)
		}
	case map[string]any:
		switch v["type"] {
		case "tool_use":
			add(fmt.Sprint(v["name"]))
		case "tool_reference":
			add(fmt.Sprint(v["tool_name"]))
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			add(knownIn(v[name])...)
		}
	}
	return tools
}

type recording = corpus.Recording

// recordings returns every response below a folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	return corpus.Recordings(t, folder, map[string]func(testing.TB, string) []recording{".chunks.txt": chunks})
}

// chunks reads a file of one payload a line. It may hold several messages.
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
		if json.Unmarshal(line, &event) == nil && event.Type == "message_stop" {
			flush()
		}
	}
	flush()
	return all
}

// expectation is what encoding/json alone finds in a response.
type expectation struct {
	calls     []string
	text      string
	blocks    []map[string]any // as they are sent back
	odd       bool             // blocks hold deltas that this test does not know
	apiError  string
	malformed bool
	cut       bool
	foreign   bool // holds no message of this API
}

func oracle(body string) expectation {
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		return wholeOracle(body)
	}
	return streamOracle(body)
}

func wholeOracle(body string) (want expectation) {
	var message struct {
		Type       string
		StopReason string `json:"stop_reason"`
		Content    []json.RawMessage
		Error      struct{ Message string }
	}
	if json.Unmarshal([]byte(body), &message) != nil || message.Type != "message" {
		want.apiError = message.Error.Message
		want.foreign = want.apiError == ""
		return want
	}
	for i, raw := range message.Content {
		b := receive(raw)
		want.text += b.text
		if b.isCall() && i == len(message.Content)-1 && outOfTokens(message.StopReason) {
			continue
		}
		if b.isCall() {
			want.calls = append(want.calls, b.id+" "+b.name+" "+b.input)
		}
		want.blocks = append(want.blocks, b.fields)
	}
	want.blocks = sendable(want.blocks)
	return want
}

func outOfTokens(reason string) bool {
	return reason == "max_tokens" || reason == "model_context_window_exceeded"
}

// received is a block while it arrives.
type received struct {
	fields         map[string]any
	id, name, text string
	input          string // with the start
	json           string // in deltas
	stopped        bool
}

func receive(raw json.RawMessage) *received {
	var head struct {
		ID, Name, Text string
		Input          json.RawMessage
	}
	b := &received{}
	if json.Unmarshal(raw, &b.fields) == nil && json.Unmarshal(raw, &head) == nil {
		b.id, b.name, b.text, b.input = head.ID, head.Name, head.Text, string(head.Input)
	}
	return b
}

func (r *received) isCall() bool {
	return r.fields["type"] == "tool_use" && !strings.HasPrefix(r.id, "srvtoolu_")
}

// payload is the data of any event, with all that is looked at.
type payload struct {
	Type         string
	Message      struct{ ID string }
	Index        *int
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        struct {
		Type        string
		Text        string
		Thinking    string
		Signature   string
		Citation    any
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	}
	Error struct{ Message string }
}

// payloads returns the data of the events of a stream, and whether the last one
// was not ended by a blank line.
func payloads(body string) (all []string, unended bool) {
	data := ""
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data += value
		} else if line == "\n" && strings.TrimSpace(data) != "" {
			all = append(all, data)
			data = ""
		}
	}
	if data != "" {
		all = append(all, data)
	}
	return all, data != ""
}

type streamed struct {
	expectation
	blocks  []*received
	id      string
	reason  string
	started bool
	stopped bool
}

func streamOracle(body string) expectation {
	var s streamed
	all, unended := payloads(body)
	for i, data := range all {
		torn := unended && i == len(all)-1 && !json.Valid([]byte(data))
		if s.stopped || s.malformed || s.apiError != "" || torn {
			break
		}
		s.take(data)
	}
	want := s.expectation
	want.foreign = !s.started
	want.cut = s.started && !s.stopped
	for i, b := range s.blocks {
		cut := i == len(s.blocks)-1 && (outOfTokens(s.reason) || s.reason == "" && !s.stopped)
		if !b.settle(cut) {
			continue
		}
		want.blocks = append(want.blocks, b.fields)
		if b.isCall() {
			input := b.json
			if input == "" && b.input != "{}" {
				input = b.input
			}
			want.calls = append(want.calls, b.id+" "+b.name+" "+input)
		}
	}
	want.blocks = sendable(want.blocks)
	return want
}

func (s *streamed) take(data string) {
	var e payload
	if json.Unmarshal([]byte(data), &e) != nil {
		s.malformed = true
		return
	}
	if s.malformed = !s.started && (strings.HasPrefix(e.Type, "content_") || strings.HasPrefix(e.Type, "message_")) && e.Type != "message_start"; s.malformed {
		return
	}
	switch e.Type {
	case "message_start":
		s.malformed = s.started && s.id != e.Message.ID
		s.id, s.started = e.Message.ID, true
	case "error":
		s.apiError = e.Error.Message
	case "content_block_start":
		b := receive(e.ContentBlock)
		unnamed := b.fields["type"] == "tool_use" && (b.id == "" || b.name == "")
		if e.Index == nil || *e.Index != len(s.blocks) || b.fields == nil || unnamed {
			s.malformed = true
			return
		}
		s.text += b.text
		s.blocks = append(s.blocks, b)
	case "content_block_delta", "content_block_stop":
		if e.Index == nil || *e.Index < 0 || *e.Index >= len(s.blocks) || s.blocks[*e.Index].stopped {
			s.malformed = true
			return
		}
		if b := s.blocks[*e.Index]; e.Type == "content_block_stop" {
			b.stopped = true
		} else {
			s.odd = !b.add(e) || s.odd
			s.text += e.Delta.Text
		}
	case "message_delta":
		s.reason = e.Delta.StopReason
	case "message_stop":
		s.stopped = true
	}
}

// add reports whether it knows the kind of delta.
func (r *received) add(e payload) bool {
	join := func(name, text string) {
		if text != "" {
			before, _ := r.fields[name].(string)
			r.fields[name] = before + text
		}
	}
	join("text", e.Delta.Text)
	join("thinking", e.Delta.Thinking)
	join("signature", e.Delta.Signature)
	r.json += e.Delta.PartialJSON
	if e.Delta.Citation != nil {
		before, _ := r.fields["citations"].([]any)
		r.fields["citations"] = append(before, e.Delta.Citation)
	}
	return slices.Contains([]string{"text_delta", "thinking_delta", "signature_delta", "citations_delta", "input_json_delta"}, e.Delta.Type)
}

// settle makes the block what is sent back, and reports whether it is.
func (r *received) settle(cut bool) bool {
	if !strings.HasSuffix(fmt.Sprint(r.fields["type"]), "tool_use") {
		return r.stopped || r.fields["type"] == "text"
	}
	var sent map[string]any
	err := json.Unmarshal([]byte(r.json), &sent)
	switch {
	case !r.stopped, r.isCall() && cut && err != nil:
		return false
	case err == nil:
		r.fields["input"] = sent
	case r.json != "":
		r.fields["input"] = map[string]any{"INVALID_JSON": r.json}
	}
	return true
}

// sendable leaves out what the API does not take back.
func sendable(blocks []map[string]any) []map[string]any {
	var kept []map[string]any
	var ids []any
	for _, b := range blocks {
		text, isText := b["text"].(string)
		again := b["type"] == "tool_use" && slices.Contains(ids, b["id"])
		if isText && strings.TrimSpace(text) == "" || again {
			continue
		}
		kept = append(kept, b)
		ids = append(ids, b["id"])
	}
	for len(kept) > 0 && strings.HasSuffix(fmt.Sprint(kept[len(kept)-1]["type"]), "thinking") {
		kept = kept[:len(kept)-1]
	}
	return kept
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

func TestResults(t *testing.T) {
	t.Parallel()
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
		want     string // content; empty: no message
	}{
		{name: "nothing"},
		{name: "text", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("<12>"), text(" "), text("o'clock"))},
			want: `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"<12>"},{"type":"text","text":"o'clock"}]}]`},
		{name: "error", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", text("no")), nil)},
			want: `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"no"}],"is_error":true}]`},
		{name: "empty", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a")}, want: `[{"type":"tool_result","tool_use_id":"a"}]`},
		{name: "order of the calls", message: calls("a", "b"), outcomes: []pegboard.Outcome{outcome("b"), outcome("a")},
			want: `[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}]`},
		{name: "more comes last", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a")}, more: []pegboard.Part{text("go on")},
			want: `[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"go on"}]`},
		{name: "only more", more: []pegboard.Part{text("go on")}, want: `[{"type":"text","text":"go on"}]`},
		{name: "duplicates", message: calls("a", "a"), outcomes: []pegboard.Outcome{
			failed(outcome("a", text("second")), &pegboard.CallError{Err: pegboard.ErrDuplicate}), outcome("a", text("first")), outcome("a", text("third"))},
			want: `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"first"}]}]`},
		{name: "of other calls", message: calls("a"), outcomes: []pegboard.Outcome{outcome("z"), outcome(""), {}, outcome("a")},
			want: `[{"type":"tool_result","tool_use_id":"a"}]`},
		{name: "missing", message: calls("a"),
			want: `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"clock was not run: the turn was interrupted. Repeat the call if it is still wanted."}],"is_error":true}]`},
		{name: "calls without id have no answer", message: calls("")},
		{name: "images", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a",
			pegboard.Part{MIME: "image/png", Data: []byte("png")}, pegboard.Part{MIME: "Image/JPEG; q=1", Data: []byte("jpg")}, pegboard.Part{MIME: "image/jpg", Data: []byte("jpg")})},
			want: `[{"type":"tool_result","tool_use_id":"a","content":[` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"anBn"}},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"anBn"}}]}]`},
		{name: "other bytes", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a",
			pegboard.Part{MIME: "application/zip", Data: make([]byte, 1234)}, pegboard.Part{MIME: "image/png"}, pegboard.Part{MIME: "a b", Data: []byte("x")})},
			want: `[{"type":"tool_result","tool_use_id":"a","content":[` + leftOut(1234, "application/zip") + `,` + leftOut(0, "image/png") + `,` + leftOut(1, "a b") + `]}]`},
		{name: "not UTF-8", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("\xff"))},
			want: `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"\ufffd"}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := only(new(anthropic.Codec).Results(&tt.message, tt.outcomes, tt.more...))
			if tt.want == "" {
				require.Nil(t, got)
				return
			}
			require.Equal(t, `{"role":"user","content":`+tt.want+`}`, string(got))
		})
	}
}

func leftOut(size int, kind string) string {
	return fmt.Sprintf(`{"type":"text","text":"(%d bytes of type %s were left out: only text, PDF documents and PNG, JPEG, GIF and WebP images `+
		`can be shown. Ask for the content in one of these forms.)"}`, size, kind)
}

// TestResultsOfAnExecutor takes a reply with all kinds of calls through a real
// executor.
func TestResultsOfAnExecutor(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, "clock", "", anyObject))
	_, m, err := read(strings.NewReader(stream(start,
		begin(0, use("a", "clock")), partial(0, `{}`), end(0),
		begin(1, use("a", "clock")), partial(1, `{}`), end(1),
		begin(2, use("b", "unknown")), end(2),
		begin(3, use("c", "clock")), partial(3, `{"x`), end(3),
		because("tool_use"), stop)))
	require.NoError(t, err)
	var e pegboard.Executor
	outcomes := e.Run(t.Context(), p, m.Calls...)
	require.Len(t, outcomes, 4)
	require.ErrorIs(t, outcomes[1].Err, pegboard.ErrDuplicate)
	answer := only(new(anthropic.Codec).Results(m, outcomes))
	requireTurn(t, m, answer)
	require.Equal(t, 3, strings.Count(string(answer), `"tool_result"`))
	require.Equal(t, 1, strings.Count(string(answer), "INVALID_JSON"))
}

// TestResultsOfInvalidJSON sends back what the model wrote, so that it can see
// its mistake.
func TestResultsOfInvalidJSON(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(fixture(t, "invalid_json.sse")))
	require.NoError(t, err)
	outcomes := []pegboard.Outcome{failed(outcome("toolu_invalid", text("not valid JSON")), pegboard.ErrInvalidInput)}
	require.Equal(t, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_invalid","content":[`+
		`{"type":"text","text":"not valid JSON"},{"type":"text","text":"{\"INVALID_JSON\":\"{\\\"city\\\": Berlin}\"}"}],"is_error":true}]}`,
		string(only(new(anthropic.Codec).Results(m, outcomes))))

	repaired := []pegboard.Outcome{outcome("toolu_invalid", text("fine"))}
	require.NotContains(t, string(only(new(anthropic.Codec).Results(m, repaired))), "INVALID_JSON")
}

// TestResultsWhileAServerToolIsPending puts Messages and more into the last result, since
// nothing else may stand in the message.
func TestResultsWhileAServerToolIsPending(t *testing.T) {
	t.Parallel()
	server := begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"search","input":{}}`)
	_, m, err := read(strings.NewReader(stream(start, server, end(0), begin(1, use("a", "clock")), end(1), because("tool_use"), stop)))
	require.NoError(t, err)
	require.Equal(t, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"12"},{"type":"text","text":"go on"}]}]}`,
		string(only(new(anthropic.Codec).Results(m, []pegboard.Outcome{outcome("a", text("12"))}, text("go on")))))

	said := outcome("a", text("12"))
	said.Result.Messages = []pegboard.Part{text("summer time")}
	require.Equal(t, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"12"},{"type":"text","text":"summer time"},{"type":"text","text":"go on"}]}]}`,
		string(only(new(anthropic.Codec).Results(m, []pegboard.Outcome{said}, text("go on")))))

	_, m, err = read(strings.NewReader(stream(start, server, end(0), because("pause_turn"), stop)))
	require.NoError(t, err)
	require.Nil(t, only(new(anthropic.Codec).Results(m, nil, text("go on"))))
}

// TestInvariant2 builds replies and outcomes at random and checks every request
// that comes of them as the API does.
func TestInvariant2(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(2000)) {
		random := rand.New(rand.NewPCG(2, seed))
		_, m, err := read(strings.NewReader(randomReply(random)))
		if err != nil {
			require.ErrorIs(t, err, wire.ErrTruncated)
		}
		requireTurn(t, m, only(new(anthropic.Codec).Results(m, randomOutcomes(random), randomParts(random)...)))
	}
}

var ids = []string{"toolu_1", "toolu_2", "toolu_3", "toolu_4"}

func randomReply(random *rand.Rand) string {
	events := []string{start}
	for i := range random.IntN(6) {
		id := ids[random.IntN(len(ids))]
		block := []string{
			use(id, "clock"), use(id, "weather"), use("srv"+id, "search"),
			`{"type":"text","text":" "}`, `{"type":"text","text":"a"}`, `{"type":"thinking","thinking":"t","signature":"s"}`,
			fmt.Sprintf(`{"type":"server_tool_use","id":"srv%s","name":"search","input":{}}`, id),
			fmt.Sprintf(`{"type":"search_result","tool_use_id":"srv%s"}`, id),
		}[random.IntN(8)]
		events = append(events, begin(i, block))
		if strings.Contains(block, "tool_use\"") {
			events = append(events, partial(i, []string{"", "{}", `{"a":1}`, `{"a`, "[]"}[random.IntN(5)]))
		}
		if random.IntN(8) > 0 {
			events = append(events, end(i))
		}
	}
	events = append(events, because([]string{"tool_use", "max_tokens", "end_turn"}[random.IntN(3)]), stop)
	return stream(events[:len(events)-random.IntN(8)%len(events)]...)
}

func randomOutcomes(random *rand.Rand) (outcomes []pegboard.Outcome) {
	for range random.IntN(8) {
		o := outcome(append(ids, "", "srvtoolu_1", "other")[random.IntN(len(ids)+3)], randomParts(random)...)
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
			text(""), text("a"), {MIME: "image/png", Data: []byte("b")}, {MIME: "text/x"},
			{Tool: "clock"}, {Source: "s", Text: "t"}, {Source: "s"}, {MIME: "text/plain", Text: "a", Title: "b"}, {MIME: "application/pdf", Data: []byte("c")},
		}[random.IntN(9)])
	}
	return parts
}

// turn is a message of a request as the API reads it.
type turn struct {
	Role    string `json:"role"`
	Content []struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Text      string          `json:"text"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		IsError   bool            `json:"is_error"`
		Content   json.RawMessage `json:"content"`
	} `json:"content"`
}

// requireTurn checks a reply that is sent back together with its answer: each
// call has one result, in order, before anything else.
func requireTurn(t *testing.T, m *wire.Message, answer json.RawMessage) {
	t.Helper()
	var asked, waiting []string
	if history := only(m.History); history != nil {
		var reply turn
		require.NoError(t, json.Unmarshal(history, &reply))
		require.Equal(t, "assistant", reply.Role)
		require.NotEmpty(t, reply.Content)
		for _, b := range reply.Content {
			switch {
			case b.Type == "text":
				require.NotEmpty(t, strings.TrimSpace(b.Text))
			case b.Type == "tool_use" && !strings.HasPrefix(b.ID, "srvtoolu_"):
				require.NotContains(t, asked, b.ID)
				require.Regexp(t, `^\{`, string(b.Input))
				asked = append(asked, b.ID)
			case strings.HasSuffix(b.Type, "tool_use"):
				waiting = append(waiting, b.ID)
			}
			waiting = remove(waiting, b.ToolUseID)
		}
		require.NotContains(t, []string{"thinking", "redacted_thinking"}, reply.Content[len(reply.Content)-1].Type)
	}
	if answer == nil {
		require.Empty(t, asked, "calls without results")
		return
	}
	var results turn
	require.NoError(t, json.Unmarshal(answer, &results))
	require.Equal(t, "user", results.Role)
	require.NotEmpty(t, results.Content)
	var answered []string
	for i, b := range results.Content {
		if b.Type == "tool_result" {
			require.Len(t, answered, i, "a result after other content")
			answered = append(answered, b.ToolUseID)
			var content []struct{ Type, Text string }
			require.True(t, b.Content == nil || json.Unmarshal(b.Content, &content) == nil)
			require.False(t, b.IsError && len(content) == 0, "a failure without content")
			for _, c := range content {
				require.False(t, c.Type == "text" && strings.TrimSpace(c.Text) == "", "blank text")
				require.False(t, b.IsError && c.Type != "text", "a failure with %s", c.Type)
			}
			continue
		}
		require.NotEqual(t, "tool_reference", b.Type)
		require.Empty(t, waiting, "content beside results while a server tool is pending")
	}
	require.Equal(t, asked, answered)
}

func remove(list []string, s string) (rest []string) {
	for _, v := range list {
		if v != s {
			rest = append(rest, v)
		}
	}
	return rest
}

// TestNewestPool: a server connects while ToolSearch waits for it. The request that the
// call came from does not hold its tools, so that nothing can refer to them yet.
func TestNewestPool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{Newest: func(s *pegboard.Session) *pegboard.Pool {
		r.Detach("maps")
		_, err := r.Attach("maps", waiting(t, "route", anyObject))
		require.NoError(t, err)
		return r.AssemblePool(s, pegboard.PoolConfig{})
	}}), tool(t, "clock", "", anyObject)))
	s := session(t)
	p := r.AssemblePool(s, pegboard.PoolConfig{})
	w := anthropic.New(p, anthropic.Config{})
	body := `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ToolSearch","input":{"query":"select:route"}}]}`
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	got := w.Results(m, e.Run(context.Background(), p, m.Calls...))
	require.Contains(t, string(got[0]), "mcp__maps__route came just now. Load it in your next message")
	require.NotContains(t, string(got[0]), "tool_reference")
	next := r.AssemblePool(s, pegboard.PoolConfig{})
	m, err = anthropic.New(next, anthropic.Config{}).Read(strings.NewReader(strings.ReplaceAll(body, "t1", "t2"))).Message()
	require.NoError(t, err)
	got = anthropic.New(next, anthropic.Config{}).Results(m, e.Run(context.Background(), next, m.Calls...))
	require.Contains(t, string(got[0]), `{"type":"tool_reference","tool_name":"mcp__maps__route"}`)
}

// only returns the only message of a list, or nil if there is none.
func only(list []json.RawMessage) json.RawMessage {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	panic("this API has one message for a turn")
}
