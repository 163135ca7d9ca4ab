package gemini_test

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
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

const (
	anyObject = `{"type":"object"}`
	onePath   = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`
)

// tool returns a tool that does nothing.
func tool(t testing.TB, name, description, schema string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: name},
		Description: description,
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
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

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	var w gemini.Codec
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

func messagesOf(texts []string) (messages []json.RawMessage) {
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
