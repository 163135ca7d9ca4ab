package wiretest

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
)

// Schemas of inputs.
const (
	AnyObject = `{"type":"object"}`
	OnePath   = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`
)

// Tool returns a tool that does nothing.
func Tool(t testing.TB, info pegboard.Info, description, schema string, examples ...string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: info, Description: description, Examples: Messages(examples...), Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

// Plain returns a tool that does nothing and never waits for a search.
func Plain(t testing.TB, name, description, schema string) pegboard.Tool {
	t.Helper()
	return Tool(t, pegboard.Info{Name: name, Loading: pegboard.LoadAlways}, description, schema)
}

// Late returns a tool that does nothing and waits for a search.
func Late(t testing.TB, name, schema string) pegboard.Tool {
	t.Helper()
	return Tool(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, "Comes later.", schema)
}

// A Declared shows the model another schema than the tool checks, as a wrapper may.
type Declared struct {
	pegboard.Tool
	Schema string
}

// Declare implements [pegboard.Tool].
func (d Declared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	decl, ok := d.Tool.Declare(s)
	return pegboard.Declaration{Name: decl.Name, InputSchema: json.RawMessage(d.Schema)}, ok
}

// Loading says whether a definition waits, whatever tool it is of.
func Loading(deferred bool) pegboard.Loading {
	if deferred {
		return pegboard.LoadOnSearch
	}
	return pegboard.LoadAlways
}

// Session returns a session in which some tools were loaded before.
func Session(t testing.TB, loaded ...string) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	s.SetLoaded(loaded...)
	return s
}

// Pool returns the pool of built-in tools for a provider that searches.
func Pool(t testing.TB, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return Hosted(t, &r, Session(t))
}

// Hosted returns the pool of a registry for a provider that searches.
func Hosted(t testing.TB, r *pegboard.Registry, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	return r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
}

// MapServer returns the pool that the examples of a wire share, of a host with a server whose
// tools wait for a search.
func (w Wire) MapServer() *pegboard.Pool {
	raw := func(name string) pegboard.Tool {
		tool, err := pegboard.BuildRaw(json.RawMessage(AnyObject), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name}, Description: "For an example.",
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return pegboard.TextResult("done"), nil
			},
		})
		must(err)
		return tool
	}
	var registry pegboard.Registry
	must(registry.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), raw("harbour.tide"), Declared{raw("lookup"), w.Refused}))
	_, err := registry.Attach("maps", raw("route"))
	must(err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	must(err)
	return registry.AssemblePool(session, pegboard.PoolConfig{})
}

// must is for examples, which have no test to fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Messages returns texts as messages.
func Messages(texts ...string) (messages []json.RawMessage) {
	for _, s := range texts {
		messages = append(messages, json.RawMessage(s))
	}
	return messages
}

// Strings returns messages as texts.
func Strings(messages []json.RawMessage) (texts []string) {
	for _, m := range messages {
		texts = append(texts, string(m))
	}
	return texts
}

// Quote returns a text as JSON, without escapes that JSON does not need.
func Quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	must(enc.Encode(text))
	return strings.TrimSuffix(b.String(), "\n")
}

// Only returns the only message of a list, or nil if there is none.
func Only(list []json.RawMessage) json.RawMessage {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	panic("this API has one message for a turn")
}

// Outcome returns the outcome of a call.
func Outcome(id string, parts ...pegboard.Part) pegboard.Outcome {
	return pegboard.Outcome{Call: &pegboard.Call{ID: id}, Result: &pegboard.Result{Parts: parts}}
}

// Failed returns an outcome as that of a call that failed.
func Failed(o pegboard.Outcome, err error) pegboard.Outcome {
	o.Result.IsError = true
	o.Err = err
	return o
}

// Text returns a part of a result.
func Text(s string) pegboard.Part { return pegboard.Part{Text: s} }

// A Trimmer says what it is told to, and notes what it was shown.
type Trimmer struct {
	Texts []string
	Shown []pegboard.HistoryResult
}

// TrimResults implements [wire.Trimmer].
func (s *Trimmer) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	s.Shown = results
	return s.Texts
}

// Read reads a reply. The events are those that a host acts upon; the tests of package wire
// read the others.
func Read(codec wire.Codec, body io.Reader) (events []string, m *wire.Message, err error) {
	reply := codec.Read(body)
	for e := range reply.Events() {
		switch {
		case e.Partial != nil:
		case e.Call != nil:
			events = append(events, "call "+Written([]pegboard.Call{*e.Call})[0])
		case e.Text != "":
			events = append(events, "text "+e.Text)
		default:
			events = append(events, "thinking "+e.Thinking)
		}
	}
	m, err = reply.Message()
	return events, m, err
}

// Written returns calls in words: id, name and input.
func Written(calls []pegboard.Call) (all []string) {
	for _, c := range calls {
		all = append(all, fmt.Sprintf("%s %s %s", c.ID, c.Name, string(c.Input)))
	}
	return all
}
