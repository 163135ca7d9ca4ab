package gemini_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

const (
	anyObject     = wiretest.AnyObject
	onePath       = wiretest.OnePath
	refusedSchema = `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`
)

// What the tests of all wires share.
var (
	tool, session, poolOf       = wiretest.Plain, wiretest.Session, wiretest.Pool
	messagesOf, stringsOf, only = wiretest.Messages, wiretest.Strings, wiretest.Only
	outcome, text               = wiretest.Outcome, wiretest.Text
)

// stream makes the stream of some responses.
func stream(responses ...string) string {
	var b strings.Builder
	for _, r := range responses {
		fmt.Fprintf(&b, "data: %s\r\n\r\n", r)
	}
	return b.String()
}

// array makes the stream of some responses without alt=sse.
func array(responses ...string) string { return "[" + strings.Join(responses, "\n,\r\n") + "\n]\n" }

// says is a response with some parts, and ends one that is the last.
func says(parts ...string) string {
	return `{"candidates":[{"content":{"parts":[` + strings.Join(parts, ",") + `],"role":"model"},"index":0}],"responseId":"r"}`
}

func ends(reason string, parts ...string) string {
	return `{"candidates":[{"content":{"parts":[` + strings.Join(parts, ",") + `],"role":"model"},"finishReason":"` + reason +
		`","index":0}],"responseId":"r"}`
}

func calls(name, args string) string {
	return fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, name, args)
}

func callsWithID(id, name, args string) string {
	return fmt.Sprintf(`{"functionCall":{"id":%q,"name":%q,"args":%s}}`, id, name, args)
}

var mapServer = api.MapServer // for the examples

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	return wiretest.Read(new(gemini.Codec), body)
}

// api is generateContent as the tests of all wires see it.
var api = wiretest.Wire{
	Provider:     wire.Gemini,
	New:          func(p *pegboard.Pool) wire.Codec { return gemini.New(p, gemini.Config{}) },
	NewSuspended: func(p *pegboard.Pool) wire.Codec { return gemini.New(p, gemini.Config{Suspended: true}) },
	Zero:         new(gemini.Codec),

	APIName: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`),
	Names: func(t testing.TB, tools json.RawMessage) (names []string) {
		for _, d := range declarations(t, tools) {
			names = append(names, d.Name)
		}
		return names
	},
	ToolsEnd: "]}]", Refused: refusedSchema, Reason: "a b",

	Hello: hello, Says: model(speaks),
	Model:   func(parts ...string) []string { return []string{model(parts...)} },
	User:    func(parts ...string) []string { return []string{user(parts...)} },
	Call:    func(id, name, input string) string { return callsWithID(id, name, input) },
	Result:  func(id, name, text string) string { return result(id, name, "output", text) },
	Failure: func(id, name, text string) string { return result(id, name, "error", text) },
	Missing: unanswered, NoIDs: true,
	Odd: []string{
		`{"role":"system"}`, `{"role":"user","parts":null}`, `{"role":"user","parts":{}}`,
		`{"role":"user","role":"model","parts":[]}`, user(`"x"`), user(`null`), user(`[]`), user(`{"text":"a","text":"b"}`), user(`{"functionCall":"x"}`),
		user(`{"functionResponse":{"name":"a","name":"b"}}`),
	},
	Random: randomConversation,
	Blocks: partsOf,
	Stays: func(part string) bool {
		return !strings.Contains(part, "function") && !strings.Contains(part, "thought")
	},
	Answers: func(content json.RawMessage) bool {
		role, _ := readContent(content)
		return role != "model"
	},
	Faults: faults, RequireTurn: requireTurn,

	Reply:    func(parts ...string) string { return ends("STOP", parts...) },
	BadInput: "[]",
	Streams: []wiretest.Stream{
		{Calls: []string{stream(says(callsWithID("a", "clock", `{"a":1}`))), stream(ends("STOP", callsWithID("b", "clock", "{}")))},
			Open: stream(says()), Say: func(text string) string { return stream(says(`{"text":"` + text + `"}`)) }, EndsWithBody: true},
		{Calls: []string{"[" + says(callsWithID("a", "clock", `{"a":1}`)), "," + ends("STOP", callsWithID("b", "clock", "{}")) + "]"},
			Open: "[" + says(), Say: func(text string) string { return "," + says(`{"text":"`+text+`"}`) }},
	},
	RandomReply: randomReply,
	Recordings:  recordings,
	Search: func(_, input string) string {
		return `{"functionCall":{"name":"ToolSearch","args":` + input + `},"thoughtSignature":"skip_thought_signature_validator"}`
	},
}

// randomConversation returns one in which nothing is wrong.
func randomConversation(random *rand.Rand) []wiretest.Message {
	turn := func(role string, parts ...string) wiretest.Message {
		return wiretest.Message{Text: `{"parts": [%s], "role": "` + role + `"}`, Blocks: parts}
	}
	all := []wiretest.Message{turn("user", speaks)}
	for i := range random.IntN(8) {
		said := []string{thinks, speaks, unknown}[random.IntN(3):]
		var results []string
		for j := range random.IntN(4) {
			id, text := fmt.Sprintf("id%d", j+i*random.IntN(2)*10), fmt.Sprintf("<%d>", random.IntN(99))
			name := []string{"clock", "map"}[random.IntN(2)]
			switch random.IntN(4) {
			case 0: // ids of both
				said, results = append(said, callsWithID(id, name, `{ "x":1.0 }`)), append(results, result(id, name, "output", text))
			default:
				said, results = append(said, calls(name, fmt.Sprintf(`{"n":%d.%d}`, i, j))), append(results, result("", name, "output", text))
			}
		}
		all = append(all, turn("model", said...))
		if len(results) > 0 || random.IntN(2) > 0 {
			all = append(all, turn("user", append(results, []string{speaks, picture}[random.IntN(3):]...)...))
		}
	}
	return all
}

// file is a part with bytes, and png one of them.
func file(kind, data string) string {
	return `{"inlineData":{"mimeType":"` + kind + `","data":"` + data + `"}}`
}

const png = `{"inlineData":{"mimeType":"image/png","data":"cG5n"}}`

// result is a functionResponse; id may be empty, and more be further members.
func result(id, name, under, said string, more ...string) string {
	if id != "" {
		id = fmt.Sprintf(`"id":%q,`, id)
	}
	return fmt.Sprintf(`{"functionResponse":{%s"name":%q,"response":{%q:%s}%s}}`, id, name, under, wiretest.Quote(said), strings.Join(more, ""))
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

// requireTurn checks a reply that is sent back together with its answer: each call
// has one response, in order, before anything else.
func requireTurn(t testing.TB, m *wire.Message, answers []json.RawMessage) {
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
	answer := only(answers)
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

func decode(t testing.TB, raw json.RawMessage) (role any, parts []map[string]any) {
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

// faults lists why the API would refuse a request for its calls and results: the
// content after one with calls begins with as many responses, which name the same
// functions in the same order. An id is that of the call, or of no call at all.
func faults(t testing.TB, contents []json.RawMessage) (all []string) {
	t.Helper()
	known := map[string]bool{} // ids of all calls
	for _, raw := range contents {
		role, parts := readContent(raw)
		for _, p := range parts {
			known[p.id] = known[p.id] || p.call && p.name != "" && role == "model"
		}
	}
	var due []part // the calls of the content before
	for i, raw := range contents {
		fault := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("contents.%d: ", i)+fmt.Sprintf(format, args...))
		}
		var calls, results []part
		role, parts := readContent(raw)
		ids := map[string]bool{}
		for j, p := range parts {
			switch {
			case p.call:
				if role != "model" || p.name == "" || ids[p.id] {
					fault("the call %v", p)
				}
				ids[p.id] = p.id != ""
				calls = append(calls, p)
			case p.result:
				if role == "model" || len(results) < j {
					fault("the response %v of the model, or after other parts", p)
				}
				results = append(results, p)
			}
		}
		if len(due) != len(results) {
			fault("%d responses for %d calls", len(results), len(due))
		}
		for k := range min(len(due), len(results)) {
			c, r := due[k], results[k]
			if c.name != r.name || r.id != "" && c.id != r.id && (c.id != "" || known[r.id]) {
				fault("the response %v for the call %v", r, c)
			}
		}
		due = calls
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no responses for %v", due))
	}
	return all
}

type part struct {
	call, result bool
	id, name     string
}

func readContent(raw json.RawMessage) (role string, parts []part) {
	var c map[string]any
	_ = json.Unmarshal(raw, &c) // what is no content has no parts
	list, _ := c["parts"].([]any)
	for _, p := range list {
		fields, _ := p.(map[string]any)
		var out part
		call, isCall := fields["functionCall"].(map[string]any)
		response, isResult := fields["functionResponse"].(map[string]any)
		if isCall {
			response = call
		}
		out.call, out.result = isCall, isResult && !isCall
		out.id, _ = response["id"].(string)
		out.name, _ = response["name"].(string)
		parts = append(parts, out)
	}
	role, _ = c["role"].(string)
	return role, parts
}

func partsOf(content json.RawMessage) []json.RawMessage {
	var c map[string]json.RawMessage
	var parts []json.RawMessage
	_ = json.Unmarshal(content, &c) // it was read before
	_ = json.Unmarshal(c["parts"], &parts)
	return parts
}
