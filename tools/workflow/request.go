package workflow

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard/tools/structured"
)

// maxPrompt is the number of bytes that the prompt of an agent may have.
const maxPrompt = 1 << 20

// AgentOptions say which agent does the work of a prompt. The zero value is an agent of
// the default type without a schema.
type AgentOptions struct {
	Description string // three to five words for people; empty means the beginning of the prompt
	Type        string // name of the agent's definition; empty means the default one
	Model       string // empty means that of the definition
	Effort      string // empty means that of the definition
	Isolation   string // "worktree", or empty
	Dir         string // working directory; empty means that of the caller
	Phase       string // for the output file; empty means that of the last [Run.Phase]
	// Schema is the JSON schema of the result, an object. The agent then answers with
	// such a value instead of a text.
	Schema json.RawMessage
}

// An agentRequest asks a starter for an agent.
type agentRequest struct {
	AgentOptions
	Prompt string
}

// An agentResult is the result of an agent that has ended.
type agentResult struct {
	ID         string
	Text       string
	Structured json.RawMessage // set if the request has a schema
	Tokens     int
	StopTurn   bool     // the user wants everything to stop
	Notes      []string // for the caller, such as a limit that was reached
}

// A starter runs one agent and waits for its result. It returns soon after ctx has ended.
type starter func(ctx context.Context, r agentRequest) (agentResult, error)

// value returns the result as the script gets it: a text, or the structured value.
func (r agentResult) value() json.RawMessage {
	if r.Structured != nil {
		return r.Structured
	}
	text, err := encode(r.Text)
	if err != nil { // a string can always be encoded
		return json.RawMessage(`""`)
	}
	return text
}

// encode encodes a value as JSON.stringify does: < and > stay as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// check returns an error for the author of the workflow.
func (r agentRequest) check() error {
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return errors.New("the prompt of the agent is empty")
	case len(r.Prompt) > maxPrompt:
		return fmt.Errorf("the prompt of the agent has %d bytes, at most %d; let the agent read a file", len(r.Prompt), maxPrompt)
	case r.Schema == nil:
		return nil
	}
	if _, err := structured.New(r.Schema); err != nil {
		return fmt.Errorf("the schema of the agent: %w", err)
	}
	return nil
}

// title returns a few words for the output file.
func (r agentRequest) title() string {
	if r.Description != "" {
		return oneLine(r.Description, maxTitle)
	}
	return oneLine(r.Prompt, maxTitle)
}

const maxTitle = 80

// oneLine returns the beginning of a text without line breaks.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// key identifies the request when a run is resumed: another request has another key. The
// words for people have no effect.
func (r agentRequest) key() string {
	r.Description, r.Phase = "", ""
	var schema bytes.Buffer
	if json.Compact(&schema, r.Schema) == nil {
		r.Schema = schema.Bytes()
	}
	text := fmt.Sprintf("%q %q %q %q %q %q %q", r.Prompt, r.Type, r.Model, r.Effort, r.Isolation, r.Dir, r.Schema)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// scriptOptions are the options of agent in a script. Some have a second name, because
// models know it from the Agent tool.
type scriptOptions struct {
	Description string          `json:"description"`
	Label       string          `json:"label"`
	Type        string          `json:"type"`
	AgentType   string          `json:"agentType"`
	Subagent    string          `json:"subagent_type"`
	Model       string          `json:"model"`
	Effort      string          `json:"effort"`
	Isolation   string          `json:"isolation"`
	Dir         string          `json:"cwd"`
	Phase       string          `json:"phase"`
	Schema      json.RawMessage `json:"schema"`
}

const knownOptions = "description, type, model, effort, schema, isolation, cwd, phase"

// parseOptions reads the options that a script passes to agent.
func parseOptions(text string) (AgentOptions, error) {
	var o scriptOptions
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&o)
	if _, after := d.Token(); err == nil && after != io.EOF {
		err = errors.New("more than one value")
	}
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "json: ")
		return AgentOptions{}, fmt.Errorf("the options of agent: %s; they are an object with %s", reason, knownOptions)
	}
	if string(o.Schema) == "null" {
		o.Schema = nil
	}
	return AgentOptions{
		Description: cmp.Or(o.Description, o.Label), Type: cmp.Or(o.Type, o.AgentType, o.Subagent),
		Model: o.Model, Effort: o.Effort, Isolation: o.Isolation, Dir: o.Dir, Phase: o.Phase, Schema: o.Schema,
	}, nil
}
