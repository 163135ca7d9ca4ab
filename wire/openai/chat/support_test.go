package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

const anyObject = `{"type":"object"}`

// toolOf returns a tool that does nothing.
func toolOf(t testing.TB, info pegboard.Info, description, schema string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        info,
		Description: description,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

func tool(t testing.TB, name, description, schema string) pegboard.Tool {
	t.Helper()
	return toolOf(t, pegboard.Info{Name: name}, description, schema)
}

func session(t testing.TB) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func poolOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(session(t), pegboard.PoolConfig{})
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

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	var w chat.Codec
	r := w.Read(body)
	for e := range r.Events() {
		switch {
		case e.Partial != nil: // the tests of package wire read them
		case e.Call != nil:
			events = append(events, fmt.Sprintf("call %s %s %s", e.Call.ID, e.Call.Name, string(e.Call.Input)))
		case e.Text != "":
			events = append(events, "text "+e.Text)
		default:
			events = append(events, "thinking "+e.Thinking)
		}
	}
	m, err = r.Message()
	return events, m, err
}

func messagesOf(texts ...string) (messages []json.RawMessage) {
	for _, s := range texts {
		messages = append(messages, json.RawMessage(s))
	}
	return messages
}

func stringsOf(messages []json.RawMessage) (texts []string) {
	for _, m := range messages {
		texts = append(texts, string(m))
	}
	return texts
}

// requireTurn checks that a message and its answers are a request that the API
// takes: the calls are whole, and each is answered once, right after it.
func requireTurn(t *testing.T, m *wire.Message, answers []json.RawMessage) {
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
func faults(t *testing.T, messages []json.RawMessage) (all []string) {
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
