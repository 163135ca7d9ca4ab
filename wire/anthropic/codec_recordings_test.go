package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

// TestRecordings compares the calls with what encoding/json alone finds in a response.
func TestRecordings(t *testing.T) {
	wiretest.RunRecordings(t, api, checkRecording, checkRequest)
}

func TestRecordingsNormalize(t *testing.T) { wiretest.RunRecordingsNormalize(t, api, "messages") }

func checkRecording(t testing.TB, r corpus.Recording, m *wire.Message, err error) {
	t.Helper()
	want := oracle(r.Body)
	require.Equal(t, want.calls, wiretest.Written(m.Calls), r.File)
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
}

// requireHistory compares what is sent back with what came, block by block.
func requireHistory(t testing.TB, want []map[string]any, m *wire.Message, file string) {
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

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent. What its messages made known is found again.
func checkRequest(t testing.TB, r corpus.Recording) (tools int) {
	t.Helper()
	var request struct {
		Tools    []json.RawMessage
		Messages []json.RawMessage
	}
	if json.Unmarshal(r.Request, &request) != nil {
		return 0
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
			return 0
		}
		want = append(want, raw)
		if d.InputSchema == nil {
			server = append(server, raw)
			continue
		}
		own = append(own, wiretest.Tool(t, pegboard.Info{Name: d.Name, Loading: wiretest.Loading(d.DeferLoading)}, d.Description, string(d.InputSchema)))
	}
	w := anthropic.New(poolOf(t, own...), anthropic.Config{ServerTools: server})
	var got []json.RawMessage
	require.NoError(t, json.Unmarshal(w.Tools(), &got))
	require.ElementsMatch(t, decoded(t, want), decoded(t, got), r.File)
	require.Empty(t, w.Omitted(), r.File)
	requireTaken(t, w)

	known := w.Loaded(request.Messages)
	require.ElementsMatch(t, known, knownIn(decoded(t, request.Messages)), r.File)
	return len(own)
}

// decoded returns values in which only what they say can differ.
func decoded(t testing.TB, raw []json.RawMessage) (all []any) {
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

// recordings returns every response below a folder of the corpus.
func recordings(t testing.TB, folder string) []corpus.Recording {
	t.Helper()
	return corpus.Recordings(t, filepath.Join(folder, "recordings", "anthropic"), map[string]func(testing.TB, string) []corpus.Recording{".chunks.txt": wiretest.Chunks("message_stop")})
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

func TestResults(t *testing.T) {
	said := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	image := func(kind, data string) string {
		return `{"type":"image","source":{"type":"base64","media_type":"image/` + kind + `","data":"` + data + `"}}`
	}
	failure := func(content ...string) []string {
		return []string{user(`{"type":"tool_result","tool_use_id":"a","content":[` + strings.Join(content, ",") + `],"is_error":true}`)}
	}
	answer := func(content ...string) []string { return []string{user(resultOf("a", content...))} }
	wiretest.RunResults(t, api, map[string][]string{
		"text":                    answer(said("<12> & more"), said("o'clock")),
		"nothing":                 {user(`{"type":"tool_result","tool_use_id":"a"}`)},
		"not UTF-8":               answer(said(`\ufffd`)),
		"failure":                 failure(said("no")),
		"failure without words":   failure(said("clock failed and did not say why. Look at what it did before you repeat it.")),
		"failure with an image":   failure(said("no"), said("(3 bytes of type image/png were left out: the result of a failed call is text alone. Ask for them in a call of their own.)")),
		"images":                  answer(said("see"), image("png", "cG5n"), image("jpeg", "anBn")),
		"file":                    answer(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"},"title":"The plan"}`),
		"other bytes":             answer(leftOut(1234, "application/zip"), leftOut(0, "image/png"), leftOut(1, "a b")),
		"documents":               answer(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"title":"T"}`, said("1,2")),
		"search result":           answer(`{"type":"search_result","source":"https://a","title":"Page","content":[` + said("words") + `]}`),
		"tool that is gone":       answer(said(gone("x"))),
		"order of the calls":      {user(resultOf("a", said("1")), resultOf("b", said("2")))},
		"duplicates":              answer(said("first")),
		"outcomes of other calls": answer(said("1")),
		"no outcome":              failure(said("clock was not run: the turn was interrupted. Repeat the call if it is still wanted.")),
		"more":                    {user(resultOf("a", said("1")), said("go"), said("on"), image("png", "cG5n"))},
		"only more":               {user(said("go on"))},
	})
}

func leftOut(size int, kind string) string {
	return fmt.Sprintf(`{"type":"text","text":"(%d bytes of type %s were left out: only text, PDF documents and PNG, JPEG, GIF and WebP images `+
		`can be shown. Ask for the content in one of these forms.)"}`, size, kind)
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

// TestNewestPool: a server connects while ToolSearch waits for it. The request that the
// call came from does not hold its tools, so that nothing can refer to them yet.
func TestNewestPool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{Newest: func(s *pegboard.Session) *pegboard.Pool {
		r.Detach("maps")
		_, err := r.Attach("maps", wiretest.Late(t, "route", anyObject))
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
