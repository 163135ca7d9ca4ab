package chat_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
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

func image(kind, data string) pegboard.Part { return pegboard.Part{MIME: kind, Data: []byte(data)} }

// result is a message that answers a call.
func result(id, text string) string {
	return `{"role":"tool","tool_call_id":` + quote(id) + `,"content":` + quote(text) + `}`
}

func user(content string) string { return `{"role":"user","content":` + content + `}` }

// turnOf answers a turn of one call, of the tool search, with an outcome.
func turnOf(t *testing.T, w *chat.Codec, o pegboard.Outcome) (*wire.Message, []json.RawMessage, error) {
	t.Helper()
	m, err := w.Read(strings.NewReader(stream(calling(piece(0, o.Call.ID, "search", "{}")), because("tool_calls")))).Message()
	answers := w.Results(m, []pegboard.Outcome{o})
	requireTurn(t, m, answers)
	return m, answers, err
}

func TestResults(t *testing.T) {
	t.Parallel()
	calls := func(ids ...string) (m wire.Message) {
		for _, id := range ids {
			m.Calls = append(m.Calls, pegboard.Call{ID: id, Name: "clock"})
		}
		return m
	}
	const (
		png  = `{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}`
		jpeg = `{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,anBn"}}`
	)
	label := func(n, tool string) string {
		return `{"type":"text","text":"Image ` + n + `, from the result of ` + tool + `:"}`
	}
	tests := []struct {
		name     string
		message  wire.Message
		outcomes []pegboard.Outcome
		more     []pegboard.Part
		want     []string
	}{
		{name: "nothing"},
		{name: "text", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("12"), text(" "), text("o'clock"))}, want: []string{result("a", "12\no'clock")}},
		{name: "failure", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a", text("no such file")), nil)}, want: []string{result("a", "Error: no such file")}},
		{name: "failure without words", message: calls("a"), outcomes: []pegboard.Outcome{failed(outcome("a"), nil)}, want: []string{result("a", "Error: the call failed and said nothing about it.")}},
		{name: "empty", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a")}, want: []string{result("a", "(no output)")}},
		{name: "order of the calls", message: calls("a", "b"), outcomes: []pegboard.Outcome{outcome("b", text("2")), outcome("a", text("1"))}, want: []string{result("a", "1"), result("b", "2")}},
		{name: "duplicates", message: calls("a", "a"), outcomes: []pegboard.Outcome{
			failed(outcome("a", text("second")), &pegboard.CallError{Err: pegboard.ErrDuplicate}), outcome("a", text("first")), outcome("a", text("third"))}, want: []string{result("a", "first")}},
		{name: "of other calls", message: calls("a"), outcomes: []pegboard.Outcome{outcome("z"), outcome(""), {}, outcome("a", text("1"))}, want: []string{result("a", "1")}},
		{name: "missing", message: calls("a"), want: []string{result("a", "Error: clock was not run: the turn was interrupted. Repeat the call if it is still wanted.")}},
		{name: "calls without id have no answer", message: calls("")},
		{name: "more", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("1"))}, more: []pegboard.Part{text("go"), text("on")}, want: []string{result("a", "1"), user(`"go\non"`)}},
		{name: "only more", more: []pegboard.Part{image("image/png", "png"), text("go on")}, want: []string{user(`[` + png + `,{"type":"text","text":"go on"}]`)}},
		{name: "images", message: calls("a", "b"), more: []pegboard.Part{text("go on")}, outcomes: []pegboard.Outcome{
			outcome("a", text("look"), image("image/png", "png"), image("Image/JPG; q=1", "jpg")), outcome("b", image("image/jpeg", "jpg"))},
			want: []string{result("a", "look\n(Image 1 follows in a message of its own.)\n(Image 2 follows in a message of its own.)"), result("b", "(Image 3 follows in a message of its own.)"),
				user(`[` + label("1", "clock") + `,` + png + `,` + label("2", "clock") + `,` + jpeg + `,` + label("3", "clock") + `,` + jpeg + `,{"type":"text","text":"go on"}]`)}},
		{name: "other bytes", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", image("application/pdf", "12345"))},
			want: []string{result("a", "(5 bytes of type application/pdf were left out: only text and PNG, JPEG, GIF and WebP images can be shown. Ask for the content in another form.)")}},
		{name: "document", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{MIME: "text/markdown", Text: "# One", Title: "Notes"})}, want: []string{result("a", "Title: Notes\n\n# One")}},
		{name: "search result", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{Text: "found", Title: "Notes", Source: "https://example.com/"})},
			want: []string{result("a", "Title: Notes\nSource: https://example.com/\n\nfound")}},
		{name: "reference to a tool that is gone", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", pegboard.Part{Tool: "x"}, pegboard.Part{Tool: "y"})},
			want: []string{result("a", "(Not available any more: x, y. Search again.)")}},
		{name: "not UTF-8", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("\xff"))}, want: []string{`{"role":"tool","tool_call_id":"a","content":"\ufffd"}`}},
		{name: "marks", message: calls("a"), outcomes: []pegboard.Outcome{outcome("a", text("<12> & more"))}, want: []string{`{"role":"tool","tool_call_id":"a","content":"<12> & more"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := new(chat.Codec).Results(&tt.message, tt.outcomes, tt.more...)
			require.Len(t, got, len(tt.want))
			for i, want := range tt.want {
				require.JSONEq(t, want, string(got[i]))
			}
		})
	}
}

// TestResultsReferences shows the definitions as the request's list has them.
func TestResultsReferences(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "Tells <the> time.", anyObject), tool(t, "time.zone", "", city), tool(t, "search", "", anyObject)), chat.Config{})
	_, answers, err := turnOf(t, w, outcome("a", text("Two:"), pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, text("More?")))
	require.NoError(t, err)
	require.Len(t, answers, 1)
	var m struct{ Content string }
	require.NoError(t, json.Unmarshal(answers[0], &m))
	var sent []json.RawMessage
	require.NoError(t, json.Unmarshal(w.Tools(), &sent))
	require.Equal(t, "Two:\n<functions>\n"+string(sent[2])+"\n"+string(sent[0])+"\n</functions>\nMore?", m.Content)
}

// TestResultsOfAnyTurn answers whatever was read, whatever became of the calls.
func TestResultsOfAnyTurn(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"tool_calls", "length", ""} {
		_, m, err := read(strings.NewReader(stream(saying("x"), calling(piece(0, "a", "add", "{}"), piece(1, "b", "add", "{"), piece(2, "b", "add", "{}")), because(reason))))
		require.Equal(t, reason == "", errors.Is(err, wire.ErrTruncated))
		for _, outcomes := range [][]pegboard.Outcome{nil, {outcome("b", text("2"))}, {failed(outcome("a"), pegboard.ErrTimeout), outcome("b", image("image/png", "png"))}} {
			requireTurn(t, m, new(chat.Codec).Results(m, outcomes, text("go on")))
		}
	}
}
