package gemini

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// assembler puts a message together from the responses of a reply.
type assembler struct {
	counts  counts // so far
	message Message
	parts   []*part
	open    *call   // whose arguments still come
	ready   []Event // not taken yet
	text    strings.Builder
	ids     map[string]bool // of the calls so far
	made    int             // the number in the last id that was made
	prefix  string          // of the ids made for this response; empty until one is
	started bool
	stopped bool // nothing more belongs to the message
}

// response is one response of the API, as far as it is looked at.
type response struct {
	Candidates     []candidate
	PromptFeedback *struct{ BlockReason, BlockReasonMessage string }
	UsageMetadata  json.RawMessage
	ModelVersion   string
	ResponseID     string
	Error          json.RawMessage
}

type candidate struct {
	Index         int
	Content       struct{ Parts []json.RawMessage }
	FinishReason  string
	FinishMessage string
}

// take adds one response to the message.
func (a *assembler) take(raw []byte, torn bool) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return nil
	case string(raw) == "[DONE]": // some gateways add what another API ends with
		return a.end()
	}
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		var syntax *json.SyntaxError
		if torn && errors.As(err, &syntax) {
			return truncated("within an event")
		}
		return malformed("response: %w", err)
	}
	if r.Error != nil && string(r.Error) != "null" {
		return apiError(r.Error)
	}
	m := &a.message
	if m.ID != "" && r.ResponseID != "" && r.ResponseID != m.ID {
		if !a.done() {
			return malformed("the response %q began within the response %q", r.ResponseID, m.ID)
		}
		return a.end()
	}
	if !a.started && r.Candidates == nil && r.PromptFeedback == nil && r.UsageMetadata == nil && r.ResponseID == "" {
		return malformed("it has no candidates")
	}
	a.started, a.prefix = true, ""
	a.describe(&r)
	for _, c := range r.Candidates {
		if c.Index != 0 {
			continue
		}
		if err := a.add(c, raw); err != nil {
			return err
		}
	}
	return nil
}

// describe takes what a response says besides its candidates. Of what is said
// again the last counts.
func (a *assembler) describe(r *response) {
	m := &a.message
	if r.ResponseID != "" {
		m.ID = r.ResponseID
	}
	if r.ModelVersion != "" {
		m.Model = r.ModelVersion
	}
	// Token counts are worth less than the message: what cannot be read is passed over.
	if c := a.counts; json.Unmarshal(r.UsageMetadata, &c) == nil {
		a.counts, m.Usage = c, c.usage()
	}
	if f := r.PromptFeedback; f != nil && f.BlockReason != "" {
		m.Blocked, m.StopReason, m.StopMessage = true, f.BlockReason, f.BlockReasonMessage
	}
}

// add takes what a response, whose text is raw, adds to the candidate.
func (a *assembler) add(c candidate, raw []byte) error {
	for _, p := range c.Content.Parts {
		if err := a.part(p, raw); err != nil {
			return err
		}
	}
	// That it was cut is not taken back by a later STOP.
	first := a.message.StopReason
	if c.FinishReason != "" && c.FinishReason != "FINISH_REASON_UNSPECIFIED" && (first == "" || first == "STOP") {
		a.message.StopReason, a.message.StopMessage = c.FinishReason, c.FinishMessage
	}
	return nil
}

func (a *assembler) part(raw json.RawMessage, response []byte) error {
	if len(a.parts) == maxParts {
		return malformed("it has more than %d parts", maxParts)
	}
	fields, ok := parseOnce(raw)
	if !ok {
		return malformed("a part is not an object, or has a member twice")
	}
	if f := fields.Get("functionCall"); f != nil && string(f) != "null" {
		return a.piece(raw, fields, f, response)
	}
	p := newPart(raw, fields)
	a.parts = append(a.parts, p)
	switch {
	case p.text == "":
	case p.thought:
		a.ready = append(a.ready, Event{Thinking: p.text})
	default:
		a.text.WriteString(p.text)
		a.ready = append(a.ready, Event{Text: p.text})
	}
	return nil
}

// piece takes a functionCall: a call, or one more piece of the open one.
func (a *assembler) piece(raw json.RawMessage, fields jsonobject.Object, function json.RawMessage, response []byte) error {
	f, ok := parseOnce(function)
	if !ok {
		return malformed("a functionCall is not an object, or has a member twice")
	}
	id, _ := f.Text("id")
	name, _ := f.Text("name")
	c := a.open
	switch {
	case c == nil && name == "":
		return malformed("a functionCall has no name, and goes on with no other")
	case c == nil:
		c = &call{raw: raw, fields: fields, function: f, name: name, sentID: id}
		c.id = a.callID(id, response)
		a.parts = append(a.parts, &part{raw: raw, call: c})
	case name != "" && (id == "" || id != c.sentID):
		return malformed("the call of %s began within the call of %s", name, c.name)
	}
	more, err := c.take(fields, f)
	if err != nil {
		return err
	}
	if a.open = c; more {
		return nil
	}
	a.open = nil
	handed := a.call(c)
	a.ready = append(a.ready, Event{Call: &handed})
	return nil
}

// callID returns the id of a call. One that the API gave is taken. Any other is made
// of the response, so that it differs from those of all other turns: of its id, or
// else of its bytes, which count the tokens of the conversation so far.
func (a *assembler) callID(given string, response []byte) string {
	if a.ids == nil {
		a.ids = map[string]bool{}
	}
	id := given
	if id == "" {
		if a.prefix == "" { // one hash for all calls of a response
			a.prefix = prefixOf(a.message.ID, response)
		}
		a.made = max(a.made, len(a.ids)) // numbers that were taken are not tried again
		for id == "" || a.ids[id] {
			a.made++
			id = fmt.Sprintf("%s-%d", a.prefix, a.made)
		}
	}
	a.ids[id] = true
	return id
}

func prefixOf(id string, response []byte) string {
	if id != "" {
		return id
	}
	sum := sha256.Sum256(response)
	return "gemini-" + hex.EncodeToString(sum[:])[:12]
}

func (a *assembler) call(c *call) pegboard.Call {
	return pegboard.Call{ID: c.id, Name: a.message.wire.names.Tool(c.name), Input: c.input()}
}

// done reports whether the message says that it ended. What stopped the model early
// may have done so within a call.
func (a *assembler) done() bool {
	reason := a.message.StopReason
	return reason != "" && (a.open == nil || reason != "STOP")
}

// end is called when nothing more of the message can come.
func (a *assembler) end() error {
	a.stopped = true
	switch {
	case a.done():
		return nil
	case !a.started:
		return truncated("the body ended before a response began")
	case a.open != nil:
		return truncated("the body ended within the call of %s", a.open.name)
	}
	return truncated("the body ended before a finishReason")
}

// finish settles the message when nothing more comes.
func (a *assembler) finish() {
	m := &a.message
	m.Text = a.text.String()
	var kept []*part
	for _, p := range a.parts {
		switch {
		case p.call == nil:
			kept = append(kept, p)
		case !p.call.complete:
			m.Incomplete = append(m.Incomplete, a.call(p.call))
		default:
			m.Calls = append(m.Calls, a.call(p.call))
			if _, twice := m.asked[p.call.id]; !twice {
				m.ask(p.call)
				kept = append(kept, p)
			}
		}
	}
	m.keep(kept)
	a.parts = nil
}
