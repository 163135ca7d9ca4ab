package chat_test

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
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

const anyObject = wiretest.AnyObject

// What the tests of all wires share.
var (
	tool, session, poolOf       = wiretest.Plain, wiretest.Session, wiretest.Pool
	messagesOf, stringsOf, only = wiretest.Messages, wiretest.Strings, wiretest.Only
	outcome, text               = wiretest.Outcome, wiretest.Text
	written, quote              = wiretest.Written, wiretest.Quote
)

var mapServer = api.MapServer // for the examples

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	return wiretest.Read(new(chat.Codec), body)
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// api is Chat Completions as the tests of all wires see it.
var api = wiretest.Wire{
	Provider:     wire.OpenAIChat,
	New:          func(p *pegboard.Pool) wire.Codec { return chat.New(p, chat.Config{}) },
	NewSuspended: func(p *pegboard.Pool) wire.Codec { return chat.New(p, chat.Config{Suspended: true}) },
	Zero:         new(chat.Codec),

	APIName: apiName,
	Names: func(t testing.TB, tools json.RawMessage) (names []string) {
		for _, d := range definitions(t, tools) {
			names = append(names, d.Function.Name)
		}
		return names
	},
	ToolsEnd: "]", Refused: `{"type":"string"}`, Reason: "object",

	Hello: hello, Says: says,
	Model: func(calls ...string) []string { return []string{model(calls...)} },
	User:  func(results ...string) []string { return results },
	Call: func(id, name, input string) string {
		return `{"type":"function","id":` + quote(id) + `,"function":{"name":` + quote(name) + `,"arguments":` + quote(input) + `}}`
	},
	Result:  func(id, _, text string) string { return result(id, text) },
	Failure: func(id, _, text string) string { return result(id, "Error: "+text) },
	Missing: func(id, name string) string { return unanswered(quote(id), name) },
	Odd: []string{
		`{}`, `{"content":"x"}`, `{"role":7,"content":"x"}`, `{"role":"model","content":"x"}`, `{"ROLE":"user","content":"x"}`,
		`{"role":"user","role":"assistant","content":"x"}`, `{"role":"assistant","tool_calls":{}}`, `{"role":"assistant","tool_calls":[7]}`, model(call("a", "x"), `{"id":"a","id":"b"}`),
	},
	Random: randomConversation,
	Blocks: func(message json.RawMessage) []json.RawMessage {
		if parsePast(message).role == "assistant" { // it may get other calls
			return callsOf(message)
		}
		return []json.RawMessage{message}
	},
	Stays: func(block string) bool {
		return strings.Contains(block, `"role"`) && !strings.Contains(block, "tool") && !strings.Contains(block, "function")
	},
	IDs: func(message json.RawMessage) (ids []string) {
		p := parsePast(message)
		for _, c := range p.calls {
			ids = append(ids, c.id)
		}
		return append(ids, p.callID)
	},
	Faults: faults, RequireTurn: requireTurn,

	Reply: func(calls ...string) string {
		return `{"id":"chatcmpl-1","choices":[{"message":{"tool_calls":[` + strings.Join(calls, ",") + `]},"finish_reason":"tool_calls"}]}`
	},
	BadInput: "[]",
	Streams: []wiretest.Stream{{
		Calls: []string{
			open(calling(piece(0, "a", "clock", `{"a":`)), calling(piece(0, "", "", `1}`)), calling(piece(1, "b", "clock", ""))),
			stream(calling(piece(1, "", "", "{}")), because("tool_calls")),
		},
		Open: open(saying("")),
		Say:  func(text string) string { return open(saying(text)) },
	}},
	RandomReply: randomReply,
	Recordings:  recordings,
	SearchID:    regexp.MustCompile(`^call_[0-9a-f]{24}$`),
}

// randomConversation returns one in which nothing is wrong. In half of them the ids of the calls
// are the same in each turn.
func randomConversation(random *rand.Rand) []wiretest.Message {
	again := random.IntN(2) == 0
	all := []wiretest.Message{{Text: system}, {Text: hello}}
	for i := range random.IntN(8) {
		if again {
			i = 0
		}
		said := []string{``, `"content": null, `, `"content":"\u003cok>", `, `"reasoning_content":"hm", `, `"content":[{"type":"text","text":"x"}],"reasoning":"y", `}[random.IntN(5)]
		m := wiretest.Message{Text: `{` + said + `"tool_calls": [%s], "role": "assistant"}`}
		var results []wiretest.Message
		for j := range random.IntN(4) {
			id := fmt.Sprintf("call_%d_%d", i, j)
			m.Blocks = append(m.Blocks, call(id, "clock"))
			results = append(results, wiretest.Message{Text: fmt.Sprintf(`{"tool_call_id":%q,"role":"tool" ,"content":"<%d>"}`, id, random.IntN(100))})
		}
		if len(results) == 0 {
			m.Text = `{` + said + `"role": "assistant"}`
		}
		all = append(append(all, m), results...)
		all = append(all, []wiretest.Message{{Text: hello}, {Text: system}, {Text: says}}[random.IntN(4)%3:][:random.IntN(2)]...)
	}
	return all
}

// randomReply returns a stream of text and calls, which may be cut anywhere.
func randomReply(random *rand.Rand) string {
	var chunks []string
	for range random.IntN(6) {
		index, id := random.IntN(4)-1, []string{"", "a", "b"}[random.IntN(3)]
		chunks = append(chunks, []string{
			saying(" "), saying("x"), delta(`"refusal":"no"`), delta(`"reasoning_content":"hm"`),
			calling(piece(index, id, "clock", "{}")), calling(piece(index, id, "weather", `{"a`)), calling(piece(index, "", "", `":1}`)), calling(piece(index, id, "clock", "[]")),
		}[random.IntN(8)])
	}
	body := stream(append(chunks, because([]string{"tool_calls", "length", "stop"}[random.IntN(3)]))...)
	return body[:len(body)-random.IntN(8)/7*random.IntN(len(body))]
}

// stream makes a stream of some chunks, with its end.
func stream(chunks ...string) string { return open(chunks...) + "data: [DONE]\n\n" }

// open makes a stream that has not ended.
func open(chunks ...string) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "data: %s\n\n", c)
	}
	return b.String()
}

func delta(members string) string {
	return `{"id":"chatcmpl-1","model":"model-1","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func saying(text string) string { return delta(`"content":` + quote(text)) }

func calling(pieces ...string) string {
	return delta(`"tool_calls":[` + strings.Join(pieces, ",") + `]`)
}

func because(reason string) string {
	return `{"id":"chatcmpl-1","model":"model-1","choices":[{"index":0,"delta":{},"finish_reason":` + quote(reason) + `}]}`
}

// piece is a delta of a call. A negative index is left out, and so are an empty id
// and name.
func piece(index int, id, name, arguments string) string {
	var members []string
	if index >= 0 {
		members = append(members, fmt.Sprintf(`"index":%d`, index))
	}
	if id != "" {
		members = append(members, `"id":`+quote(id))
	}
	function := `"arguments":` + quote(arguments)
	if name != "" {
		function += `,"name":` + quote(name)
	}
	return `{` + strings.Join(append(members, `"function":{`+function+`}`), ",") + `}`
}

// requireTurn checks that a message and its answers are a request that the API
// takes: the calls are whole, and each is answered once, right after it.
func requireTurn(t testing.TB, m *wire.Message, answers []json.RawMessage) {
	t.Helper()
	var messages []json.RawMessage
	if history := only(m.History); history != nil {
		messages = append(messages, history)
	}
	messages = append(messages, answers...)
	require.Empty(t, faults(t, messages), "%s", messages)
	for _, raw := range messages {
		for _, c := range parsePast(raw).calls {
			var arguments map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.arguments), &arguments), "%s", raw)
			require.NotEmpty(t, c.name)
			require.Equal(t, "function", c.kind)
		}
	}
}

// past is a message as the API reads it.
type past struct {
	role, callID string
	calls        []pastCall
}

type pastCall struct{ id, kind, name, arguments string }

// parsePast reads names to the letter, as encoding/json does only with maps.
func parsePast(raw json.RawMessage) (p past) {
	var m map[string]any
	_ = json.Unmarshal(raw, &m) // what is no message says nothing
	p.role, _ = m["role"].(string)
	p.callID, _ = m["tool_call_id"].(string)
	list, _ := m["tool_calls"].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		var c pastCall
		c.id, _ = m["id"].(string)
		c.kind, _ = m["type"].(string)
		function, _ := m["function"].(map[string]any)
		c.name, _ = function["name"].(string)
		c.arguments, _ = function["arguments"].(string)
		p.calls = append(p.calls, c)
	}
	return p
}

// faults lists why the API would refuse a request for its calls and results.
func faults(t testing.TB, messages []json.RawMessage) (all []string) {
	t.Helper()
	var due []string
	for i, raw := range messages {
		m := parsePast(raw)
		switch {
		case m.role == "tool" && len(due) > 0 && due[0] == m.callID:
			due = due[1:]
			continue
		case m.role == "tool":
			all = append(all, fmt.Sprintf("messages.%d: the result of %q where those of %q are due", i, m.callID, due))
			continue
		case len(due) > 0:
			all = append(all, fmt.Sprintf("messages.%d: no results of %q before it", i, due))
		}
		due = nil
		if m.role != "assistant" {
			continue
		}
		seen := map[string]bool{"": true}
		for _, c := range m.calls {
			if seen[c.id] {
				all = append(all, fmt.Sprintf("messages.%d: the id %q is empty or there twice", i, c.id))
			}
			seen[c.id] = true
			due = append(due, c.id)
		}
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no results of %q at the end", due))
	}
	return all
}

// result is a message that answers a call.
func result(id, text string) string {
	return `{"role":"tool","tool_call_id":` + quote(id) + `,"content":` + quote(text) + `}`
}

func user(content string) string { return `{"role":"user","content":` + content + `}` }

func callsOf(message json.RawMessage) []json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(message, &m) // what is no message has none
	var calls []json.RawMessage
	_ = json.Unmarshal(m["tool_calls"], &calls)
	return calls
}
