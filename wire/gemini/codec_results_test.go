package gemini_test

import (
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
	"github.com/seed49eaa51d/pegboard/wire/gemini"
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
