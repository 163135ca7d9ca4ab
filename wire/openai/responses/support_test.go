package responses_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

const anyObject = wiretest.AnyObject

// What the tests of all wires share.
var (
	tool, named, session, poolOf = wiretest.Tool, wiretest.Plain, wiretest.Session, wiretest.Pool
	messagesOf, stringsOf        = wiretest.Messages, wiretest.Strings
	outcome, failed, text        = wiretest.Outcome, wiretest.Failed, wiretest.Text
	written, quote               = wiretest.Written, wiretest.Quote
)

var mapServer = api.MapServer // for the examples

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	return wiretest.Read(new(responses.Codec), body)
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// api is the Responses API as the tests of all wires see it. A search is the call of a function.
var api = wiretest.Wire{
	Provider:     wire.OpenAIResponses,
	New:          func(p *pegboard.Pool) wire.Codec { return responses.New(p, responses.Config{}) },
	NewSuspended: func(p *pegboard.Pool) wire.Codec { return responses.New(p, responses.Config{Suspended: true}) },
	Zero:         new(responses.Codec),

	APIName: apiName,
	Names: func(t testing.TB, tools json.RawMessage) (names []string) {
		for _, d := range definitions(t, tools) {
			if d.Type == "function" {
				names = append(names, d.Name)
			}
		}
		return names
	},
	ToolsEnd: "]", Refused: `{"type":"array"}`, Reason: "object",

	Hello: hello, Says: says,
	Model:   func(items ...string) []string { return items },
	User:    func(items ...string) []string { return items },
	Call:    use,
	Result:  func(id, _, text string) string { return output(id, quote(text)) },
	Failure: func(id, _, text string) string { return output(id, quote("Error: "+text)) },
	Missing: unanswered,
	Odd: []string{
		`{}`, `{"type":""}`, `{"type":"message"}`, `{"role":"tool"}`, `{"ROLE":"user"}`, `{"role":"user","role":"assistant"}`, `{"type":7}`,
	},
	Random: randomConversation,
	Blocks: func(item json.RawMessage) []json.RawMessage { return []json.RawMessage{item} },
	Stays:  func(item string) bool { return item == hello || item == system || item == goOn },
	IDs: func(item json.RawMessage) []string {
		var call struct {
			CallID string `json:"call_id"`
		}
		_ = json.Unmarshal(item, &call) // what is no item has no id
		return []string{call.CallID}
	},
	Faults: faults, Elsewhere: refers, RequireTurn: requireTurn,

	Reply:    func(items ...string) string { return whole("completed", "", items...) },
	BadInput: `{"x`,
	Streams: []wiretest.Stream{{
		Calls: []string{
			stream(created, added(0, useAs("in_progress", "a", "clock", "")), delta(0, "function_call_arguments", `{"a":1}`), done(0, use("a", "clock", `{"a":1}`))),
			stream(done(1, use("b", "clock", "{")), added(2, useAs("in_progress", "c", "clock", ""))), // what follows shows that it is not cut
			stream(done(2, use("c", "clock", "{}")), ending("completed", "")),
		},
		Open: stream(created, added(0, `{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`)),
		Say:  func(text string) string { return stream(delta(0, "output_text", text)) },
	}},
	RandomReply: randomReply,
	Recordings:  recordings,
	Search: func(id, input string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"ToolSearch","arguments":` + quote(input) + `}`
	},
	SearchID: regexp.MustCompile(`^call_[0-9a-f]{24}$`),
}

// The other ways to search.
var searchedByClient, searchedByAPI = func() (client, hosted wiretest.Wire) {
	client, hosted = api, api
	client.New = func(p *pegboard.Pool) wire.Codec {
		return responses.New(p, responses.Config{ClientSearch: "ToolSearch"})
	}
	client.Search = func(id, input string) string {
		return `{"type":"tool_search_call","call_id":"` + id + `","execution":"client","status":"completed","arguments":` + input + `}`
	}
	hosted.New = func(p *pegboard.Pool) wire.Codec { return responses.New(p, responses.Config{HostedSearch: true}) }
	return client, hosted
}()

// randomConversation returns one in which nothing is wrong.
func randomConversation(random *rand.Rand) (all []wiretest.Message) {
	add := func(items ...string) {
		for _, item := range items {
			all = append(all, wiretest.Message{Text: item})
		}
	}
	add([]string{system, hello}[random.IntN(2):]...)
	for i := range random.IntN(8) {
		own := strings.NewReplacer("rs_1", fmt.Sprintf("rs_%d", i), "msg_1", fmt.Sprintf("msg_%d", i), "ws_1", fmt.Sprintf("ws_%d", i))
		for _, item := range []string{thinks, says, hosted, foundByIt, answered}[random.IntN(5):] {
			add(own.Replace(item))
		}
		var outputs []string
		for j := range random.IntN(4) {
			id, said := fmt.Sprintf("call_%d_%d", i, j), fmt.Sprintf(`"<%d>"`, random.IntN(99))
			kinds := [][2]string{{use(id, "clock", "{}"), textOfB}, {use(id, "clock", "{"), imageOfA}, {custom, ofCustom},
				{patch, `{ "type":"apply_patch_call_output","call_id":"p","status":"completed"}`}, {sought, found}}
			kind := kinds[random.IntN(len(kinds))]
			ofThis := strings.NewReplacer(`"call_id":"a"`, `"call_id":"`+id+`"`, `"call_id":"b"`, `"call_id":"`+id+`"`, `"call_id":"p"`, `"call_id":"`+id+`"`, `"call_id":"s"`, `"call_id":"`+id+`"`, `"<12>"`, said, `"y"`, said)
			add(ofThis.Replace(kind[0]))
			outputs = append(outputs, ofThis.Replace(kind[1]))
		}
		add([]string{thinksOn, answered}[max(random.IntN(3), min(i, 1)):]...)
		add(outputs...)
		add([]string{goOn, system, hello}[random.IntN(4)%3:]...)
	}
	return all
}

func output(id, value string) string {
	return fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, id, value)
}

func userSays(parts ...string) string {
	return `{"type":"message","role":"user","content":[` + strings.Join(parts, ",") + `]}`
}

func inputText(s string) string { return fmt.Sprintf(`{"type":"input_text","text":%q}`, s) }

var ids = []string{"call_1", "call_2", "call_3", "call_4"}

func randomReply(random *rand.Rand) string {
	events := []string{created}
	status := []string{"completed", "incomplete"}[random.IntN(2)]
	for i := range random.IntN(6) {
		id := ids[random.IntN(len(ids))]
		item := []string{
			thinks, says, hosted, patch, strings.Replace(sought, `"s"`, `"`+id+`"`, 1),
			use(id, "clock", []string{"", "{}", `{"a":1}`, `{"a`, "[]"}[random.IntN(5)]), useAs("incomplete", id, "clock", `{"a`),
		}[random.IntN(7)]
		events = append(events, added(i, item))
		if strings.Contains(item, `"message"`) {
			events = append(events, delta(i, "output_text", "Hel"))
		}
		events = append(events, done(i, item))
	}
	events = append(events, ending(status, ""))
	return stream(events[:len(events)-random.IntN(8)%len(events)]...)
}

// requireTurn checks the items that come of a reply as the API does, but for the
// patches, which are for the host to answer.
func requireTurn(t testing.TB, m *wire.Message, answer []json.RawMessage) {
	t.Helper()
	items := slices.Concat(m.History, answer)
	require.Empty(t, faults(t, slices.DeleteFunc(slices.Clone(items), func(item json.RawMessage) bool {
		return strings.Contains(string(item), "apply_patch_call")
	})), "%s", items)
	for i, raw := range items {
		require.True(t, json.Valid(raw), "%s", raw)
		var item struct {
			Type, Status string
			Output       json.RawMessage
			Content      json.RawMessage
		}
		require.NoError(t, json.Unmarshal(raw, &item))
		switch {
		case item.Type == "reasoning":
			require.Less(t, i+1, len(m.History), "reasoning without its following item")
		case i >= len(m.History) && item.Type == "function_call_output":
			if item.Output[0] != '"' {
				requireContent(t, item.Output)
			}
		case i >= len(m.History) && item.Type == "message":
			require.Equal(t, len(items)-1, i)
			requireContent(t, item.Content)
		}
	}
}

func requireContent(t testing.TB, raw json.RawMessage) {
	t.Helper()
	var parts []map[string]string
	require.NoError(t, json.Unmarshal(raw, &parts))
	require.NotEmpty(t, parts)
	for _, p := range parts {
		switch p["type"] {
		case "input_text":
			require.NotEmpty(t, strings.TrimSpace(p["text"]))
		case "input_image":
			require.Regexp(t, "^data:image/(png|jpeg|gif|webp);base64,", p["image_url"])
		case "input_file":
			require.NotEmpty(t, p["filename"])
			require.Regexp(t, "^data:application/pdf;base64,", p["file_data"])
		default:
			t.Fatalf("a part of type %q", p["type"])
		}
	}
}

// answers says which item answers which.
var answers = map[string]string{
	"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output",
	"apply_patch_call": "apply_patch_call_output", "tool_search_call": "tool_search_output",
}

// faults lists why the API would refuse the items for their calls and outputs. It
// also wants the outputs before anything else that is not the model's, in the order
// of the calls, as some servers of this form do.
func faults(t testing.TB, items []json.RawMessage) (all []string) {
	t.Helper()
	used := map[string]bool{}
	seen := map[string]bool{}
	var due []string // outputs, in order
	model := true    // the item before is one of the model
	for i, raw := range items {
		var item map[string]any
		require.NoError(t, json.Unmarshal(raw, &item), "%s", raw)
		kind, _ := item["type"].(string)
		id, _ := item["call_id"].(string)
		if item["id"] != nil && item["id"] != "" && answers[kind] == "" && !strings.HasSuffix(kind, "_output") {
			if seen[string(raw)] {
				all = append(all, fmt.Sprintf("input[%d]: the item is there before", i))
			}
			seen[string(raw)] = true
		}
		execution, said := item["execution"].(string)
		search := strings.HasPrefix(kind, "tool_search_") && execution != "client" && (said || id == "")
		output, call := answers[kind], slices.Contains([]string{"function_call_output", "custom_tool_call_output", "apply_patch_call_output", "tool_search_output"}, kind)
		switch {
		case search:
			model = true
		case output != "":
			if len(due) > 0 && !model {
				all = append(all, fmt.Sprintf("input[%d]: a call while %v wait", i, due))
			}
			if id == "" || used[output+id] {
				all = append(all, fmt.Sprintf("input[%d]: a call with the id %q", i, id))
			}
			used[output+id] = true
			due, model = append(due, output+id), true
		case call:
			if len(due) == 0 || due[0] != kind+id {
				all = append(all, fmt.Sprintf("input[%d]: an output of %q where %v are due", i, id, due))
				return all
			}
			due, model = due[1:], false
		case (kind == "message" || item["type"] == nil) && slices.Contains([]any{"user", "system", "developer"}, item["role"]):
			if len(due) > 0 {
				all = append(all, fmt.Sprintf("input[%d]: no output for %v", i, due))
			}
			model = false
		default:
			if len(due) > 0 && !model {
				all = append(all, fmt.Sprintf("input[%d]: the model goes on without %v", i, due))
			}
			model = true
		}
	}
	if len(due) > 0 {
		all = append(all, fmt.Sprintf("no output for %v", due))
	}
	return all
}

// refers reports whether an item stands for one that is not here.
func refers(item json.RawMessage) bool {
	var fields map[string]any
	_ = json.Unmarshal(item, &fields) // what is no object refers to nothing
	_, typed := fields["type"].(string)
	_, spoken := fields["role"].(string)
	_, named := fields["id"]
	return fields["type"] == "item_reference" || !typed && !spoken && named
}
