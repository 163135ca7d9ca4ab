package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

const (
	anyObject     = wiretest.AnyObject
	refusedSchema = `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`
)

// What the tests of all wires share.
var (
	tool, session, poolOf = wiretest.Plain, wiretest.Session, wiretest.Pool
	messagesOf, only      = wiretest.Messages, wiretest.Only
	outcome, failed, text = wiretest.Outcome, wiretest.Failed, wiretest.Text
)

// special returns a tool that does nothing, with all that Info can say.
func special(t testing.TB, info pegboard.Info, schema string, examples ...string) pegboard.Tool {
	t.Helper()
	return wiretest.Tool(t, info, "", schema, examples...)
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(b)
}

var mapServer = api.MapServer // for the examples

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	return wiretest.Read(new(anthropic.Codec), body)
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// api is the Messages API as the tests of all wires see it.
var api = wiretest.Wire{
	Provider:     wire.Anthropic,
	New:          func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, anthropic.Config{}) },
	NewSuspended: func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, anthropic.Config{Suspended: true}) },
	Zero:         new(anthropic.Codec),

	APIName: apiName,
	Names: func(t testing.TB, tools json.RawMessage) (names []string) {
		var all []sent
		require.NoError(t, json.Unmarshal(tools, &all))
		for _, s := range all {
			if s.Type == "" { // else a tool of the server
				names = append(names, s.Name)
			}
		}
		return names
	},
	ToolsEnd: "]", Refused: refusedSchema, Reason: "a b",

	Hello: hello, Says: assistant(says),
	Model: func(blocks ...string) []string { return []string{assistant(blocks...)} },
	User:  func(blocks ...string) []string { return []string{user(blocks...)} },
	Call: func(id, name, input string) string {
		return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, id, name, input)
	},
	Result: func(id, _, text string) string { return resultOf(id, saying(text)) },
	Failure: func(id, _, text string) string {
		return strings.Replace(resultOf(id, saying(text)), `"content"`, `"is_error":true,"content"`, 1)
	},
	Missing: unanswered,
	Odd: []string{
		`{}`, `{"content":"x"}`, `{"role":"user"}`, `{"role":"user","content":null}`, `{"role":"user","content":{}}`,
		`{"role":7,"content":"x"}`, `{"role":"tool","content":"x"}`, `{"ROLE":"user","content":"x"}`, `{"role":"user","role":"assistant","content":"x"}`,
		user(`"x"`), user(`null`), user(`[]`), user(`{"type":"text","type":"tool_result"}`),
	},
	Random: randomConversation,
	Blocks: blocksOf,
	Stays: func(block string) bool {
		return !strings.Contains(block, "tool") && !strings.Contains(block, "thinking")
	},
	IDs: func(message json.RawMessage) (ids []string) {
		for _, raw := range blocksOf(message) {
			var b struct {
				ID        string
				ToolUseID string `json:"tool_use_id"`
			}
			_ = json.Unmarshal(raw, &b) // the ids of other kinds are no matter
			ids = append(ids, b.ID, b.ToolUseID)
		}
		return ids
	},
	Faults: faults, RequireTurn: requireTurn,

	Reply: func(blocks ...string) string {
		return `{"id":"msg_1","type":"message","role":"assistant","stop_reason":"tool_use","content":[` + strings.Join(blocks, ",") + `]}`
	},
	BadInput: "[]",
	Streams: []wiretest.Stream{{
		Calls: []string{
			stream(start, begin(0, use("a", "clock")), partial(0, `{"a":`), partial(0, `1}`), end(0)),
			stream(begin(1, use("b", "clock")), partial(1, "{}"), end(1), because("tool_use"), stop),
		},
		Open: stream(start, begin(0, `{"type":"text","text":""}`)),
		Say:  func(text string) string { return stream(delta(0, `{"type":"text_delta","text":"`+text+`"}`)) },
	}},
	RandomReply: randomReply,
	Recordings:  recordings,
	SearchID:    regexp.MustCompile(`^toolu_[0-9a-f]{24}$`),
}

// saying returns text as a block.
func saying(text string) string { return `{"type":"text","text":` + wiretest.Quote(text) + `}` }

// randomConversation returns one in which nothing is wrong.
func randomConversation(random *rand.Rand) []wiretest.Message {
	turn := func(role string, blocks ...string) wiretest.Message {
		return wiretest.Message{Text: `{"content": [%s], "role": "` + role + `"}`, Blocks: blocks}
	}
	all := []wiretest.Message{turn("user", says)}
	for i := range random.IntN(8) {
		said := []string{thinks, says, onServer, served, unknown}[random.IntN(5):]
		var results []string
		for j := range random.IntN(4) {
			id := fmt.Sprintf("toolu_%d_%d", i, j)
			said = append(said, fmt.Sprintf(`{"id":%q, "name":"clock", "type":"tool_use", "input":{ "x":1.0 }}`, id))
			results = append(results, fmt.Sprintf(`{"tool_use_id":%q,"type":"tool_result" ,"content":"<%d>"}`, id, random.IntN(99)))
		}
		all = append(all, turn("assistant", said...))
		if len(results) > 0 || random.IntN(2) > 0 {
			all = append(all, turn("user", append(results, []string{says, unknown}[random.IntN(3):]...)...))
		}
	}
	return all
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
func requireTurn(t testing.TB, m *wire.Message, answers []json.RawMessage) {
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
	answer := only(answers)
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

// faults lists why the API would refuse a request for its calls and results.
func faults(t testing.TB, messages []json.RawMessage) (all []string) {
	t.Helper()
	used := map[string]bool{}
	var due []string // the calls of the message before
	for i, raw := range messages {
		fault := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("messages.%d: ", i)+fmt.Sprintf(format, args...))
		}
		var m map[string]any
		require.NoError(t, json.Unmarshal(raw, &m))
		blocks, _ := m["content"].([]any)
		if m["role"] == "system" {
			blocks = nil
		}
		var calls, results []string
		for j, content := range blocks {
			b, ok := content.(map[string]any)
			require.True(t, ok)
			id, _ := b["id"].(string)
			switch {
			case b["type"] == "tool_result":
				if m["role"] != "user" || len(results) < j {
					fault("tool_result after other content, or of the assistant")
				}
				of, _ := b["tool_use_id"].(string)
				results = append(results, of)
			case b["type"] == "tool_use" && !strings.HasPrefix(id, "srvtoolu_"):
				if m["role"] != "assistant" || id == "" || used[id] {
					fault("tool_use ids must be unique, and be the assistant's")
				}
				used[id] = true
				calls = append(calls, id)
			}
		}
		if !slices.Equal(due, results) {
			fault("tool_result blocks of %v for the tool_use ids %v", results, due)
		}
		due = calls
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no tool_result blocks for %v", due))
	}
	return all
}

// blocksOf returns the blocks of a message; words alone are one.
func blocksOf(message json.RawMessage) (blocks []json.RawMessage) {
	var m struct{ Content json.RawMessage }
	var words string
	_ = json.Unmarshal(message, &m) // what is no message has no blocks
	if json.Unmarshal(m.Content, &words) == nil && strings.TrimSpace(words) != "" {
		return messagesOf(`{"type":"text","text":` + string(m.Content) + `}`)
	}
	_ = json.Unmarshal(m.Content, &blocks)
	return blocks
}
