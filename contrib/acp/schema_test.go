package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
)

// definitions are those of the schema that the protocol publishes, by the method whose
// parameters, or whose results, they describe.
var (
	paramsOf = map[string]string{
		"session/update": "SessionNotification", "session/request_permission": "RequestPermissionRequest",
		"elicitation/create": "CreateElicitationRequest", "$/cancel_request": "CancelRequestNotification",
	}
	resultOf = map[string]string{
		"initialize": "InitializeResponse", "session/new": "NewSessionResponse", "session/prompt": "PromptResponse",
		"session/set_mode": "SetSessionModeResponse", "session/close": "CloseSessionResponse",
	}
)

// A protocol is the schema of all messages.
type protocol struct {
	text        []byte
	properties  map[string]bool // the names of all properties
	mu          sync.Mutex
	definitions map[string]*jsonschema.Schema
}

// published returns the schema beside the SDK, or nil if that is not installed.
var published = sync.OnceValue(func() *protocol {
	folder := os.Getenv(reference.Variable)
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", "@agentclientprotocol", "sdk", "schema", "v1", "schema.json"))
	if folder == "" || err != nil {
		return nil
	}
	p := &protocol{text: text, properties: map[string]bool{"_meta": true}, definitions: map[string]*jsonschema.Schema{}}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		panic(err)
	}
	p.collect(whole)
	return p
})

// collect remembers the names of properties.
func (p *protocol) collect(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			p.collect(e)
		}
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			for name := range properties {
				p.properties[name] = true
			}
		}
		for _, e := range v {
			p.collect(e)
		}
	}
}

// definition returns one definition of the schema.
func (p *protocol) definition(name string) (*jsonschema.Schema, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.definitions[name]; s != nil {
		return s, nil
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("acp.json", bytes.NewReader(p.text)); err != nil {
		return nil, err
	}
	s, err := c.Compile("acp.json#/$defs/" + name)
	p.definitions[name] = s
	return s, err
}

// check holds a message of the agent against the schema. Requested is the method of the request
// that it answers.
func (p *protocol) check(m message, requested string) error {
	name, text := paramsOf[m.Method], m.Params
	switch {
	case m.Method == "" && m.Error != nil:
		name, text = "Error", []byte(fmt.Sprintf(`{"code":%d,"message":%q}`, m.Error.Code, m.Error.Message))
	case m.Method == "":
		name, text = resultOf[requested], m.Result
	}
	if name == "" {
		return fmt.Errorf("nothing describes the method %q, or an answer to %q", m.Method, requested)
	}
	s, err := p.definition(name)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if err := s.Validate(v); err != nil {
		return fmt.Errorf("%s is no %s: %w", text, name, err)
	}
	return p.checkNames(v)
}

// checkNames refuses a property of no definition, which the schema does not. What the protocol
// leaves to the agent has any names.
func (p *protocol) checkNames(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := p.checkNames(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, e := range v {
			if !p.properties[name] {
				return fmt.Errorf("the protocol has no property %q", name)
			}
			if name == "_meta" || name == "rawInput" || name == "rawOutput" || name == "requestedSchema" {
				continue
			}
			if err := p.checkNames(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMessages holds all that has come against the schema, if that is installed.
func (e *editor) checkMessages() {
	e.t.Helper()
	p := published()
	if p == nil {
		return
	}
	for _, m := range e.all() {
		if err := p.check(m, e.requested[string(m.ID)]); err != nil {
			e.t.Errorf("a message of the agent breaks the protocol: %v", err)
		}
	}
}

// TestMessagesFitTheSchema says whether the messages of all tests of this package are held
// against the schema, and that this finds faults.
func TestMessagesFitTheSchema(t *testing.T) {
	t.Parallel()
	_ = reference.Args(t, reference.ACP) // or the test is skipped
	p := published()
	require.NotNil(t, p)
	update := func(text string) message {
		return message{Method: "session/update", Params: json.RawMessage(`{"sessionId":"s","update":` + text + `}`)}
	}
	require.NoError(t, p.check(update(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"b","kind":"edit","rawInput":{"anything":1}}`), ""))
	for name, m := range map[string]message{
		"a kind that is none":    update(`{"sessionUpdate":"tool_call_updated","toolCallId":"a"}`),
		"no title":               update(`{"sessionUpdate":"tool_call","toolCallId":"a"}`),
		"a content that is none": update(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"b","content":[{"type":"diff","path":"/a"}]}`),
		"a name that is none":    update(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"b","old_text":"x"}`),
		"an unknown method":      {Method: "session/tell"},
		"an unknown answer":      {ID: []byte("1"), Result: []byte("{}")},
	} {
		require.Error(t, p.check(m, ""), name)
	}
	require.Error(t, p.check(message{Result: []byte(`{"stopReason":"bored"}`)}, "session/prompt"))
}
