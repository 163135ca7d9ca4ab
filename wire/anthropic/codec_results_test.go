package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
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
