package gemini

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// An assembler puts a message together from the responses of a reply.
type assembler struct {
	reply.Draft
	codec  *Codec
	source source

	counts  counts // so far
	parts   []*part
	open    *call           // whose arguments still arrive
	ids     map[string]bool // of the calls so far
	made    int             // the number in the last id that was made
	prefix  string          // of the ids made for this response; empty until one is made
	started bool
}

func newAssembler(c *Codec, body io.Reader) *assembler {
	return &assembler{codec: c, source: source{body: bufio.NewReader(body)}}
}

// Read takes the next response of the reply.
func (a *assembler) Read() error {
	raw, torn, err := a.source.next()
	switch {
	case err == nil:
		return a.take(raw, torn)
	case errors.Is(err, errEnd), errors.Is(err, io.EOF) && a.source.stream != nil:
		return a.end()
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return reply.Failure(err)
	case !a.started:
		return reply.Truncated("the body ended before a response began")
	}
	return reply.Truncated("the body ended within a response")
}

// A response is one response of the API, with the members that this package reads.
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
			return reply.Truncated("within an event")
		}
		return reply.Malformed("response: %w", err)
	}
	if r.Error != nil && string(r.Error) != "null" {
		return apiError(r.Error)
	}
	m := &a.Message
	if m.ID != "" && r.ResponseID != "" && r.ResponseID != m.ID {
		if !a.done() {
			return reply.Malformed("the response %q began within the response %q", r.ResponseID, m.ID)
		}
		return a.end()
	}
	if !a.started && r.Candidates == nil && r.PromptFeedback == nil && r.UsageMetadata == nil && r.ResponseID == "" {
		return reply.Malformed("it has no candidates")
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

// describe takes the members of a response besides its candidates. Of a member that is
// sent again the last value counts.
func (a *assembler) describe(r *response) {
	m := &a.Message
	if r.ResponseID != "" {
		m.ID = r.ResponseID
	}
	if r.ModelVersion != "" {
		m.Model = r.ModelVersion
	}
	// Token counts matter less than the message: counts that cannot be read are ignored.
	if c := a.counts; json.Unmarshal(r.UsageMetadata, &c) == nil {
		a.counts, m.Usage = c, c.usage()
	}
	if f := r.PromptFeedback; f != nil && f.BlockReason != "" {
		m.Blocked, m.StopReason, m.StopMessage = true, f.BlockReason, f.BlockReasonMessage
	}
}

// add takes a candidate of the response whose bytes are raw.
func (a *assembler) add(c candidate, raw []byte) error {
	for _, p := range c.Content.Parts {
		if err := a.part(p, raw); err != nil {
			return err
		}
	}
	// A later STOP does not replace a reason that says that the reply was cut.
	first := a.Message.StopReason
	if c.FinishReason != "" && c.FinishReason != "FINISH_REASON_UNSPECIFIED" && (first == "" || first == "STOP") {
		a.Message.StopReason, a.Message.StopMessage = c.FinishReason, c.FinishMessage
	}
	return nil
}

func (a *assembler) part(raw json.RawMessage, response []byte) error {
	if len(a.parts) == maxParts {
		return reply.Malformed("it has more than %d parts", maxParts)
	}
	fields, ok := jsonobject.ParseUnique(raw)
	if !ok {
		return reply.Malformed("a part is not an object, or has a member twice")
	}
	if f := fields.Get("functionCall"); f != nil && string(f) != "null" {
		return a.piece(raw, fields, f, response)
	}
	p := newPart(raw, fields)
	a.parts = append(a.parts, p)
	switch {
	case p.text == "":
	case p.thought:
		a.AddThinking(p.text)
	default:
		a.AddText(p.text)
	}
	return nil
}

// piece takes a functionCall: a call, or one more piece of the open one.
func (a *assembler) piece(raw json.RawMessage, fields jsonobject.Object, function json.RawMessage, response []byte) error {
	f, ok := jsonobject.ParseUnique(function)
	if !ok {
		return reply.Malformed("a functionCall is not an object, or has a member twice")
	}
	id, _ := f.Text("id")
	name, _ := f.Text("name")
	c := a.open
	switch {
	case c == nil && name == "":
		return reply.Malformed("a functionCall has no name, and goes on with no other")
	case c == nil:
		c = &call{raw: raw, fields: fields, function: f, name: name, sentID: id}
		c.id = a.callID(id, response)
		a.parts = append(a.parts, &part{raw: raw, call: c})
	case name != "" && (id == "" || id != c.sentID):
		return reply.Malformed("the call of %s began within the call of %s", name, c.name)
	}
	more, err := c.take(fields, f)
	if err != nil {
		return err
	}
	if a.open = c; more {
		c.arrived += len(function)
		if text, ok := c.partial(); ok {
			a.AddPartial(wire.PartialCall{ID: c.id, Name: a.codec.tools.Names.Tool(c.name), Text: text})
		}
		return nil
	}
	a.open = nil
	a.AddCall(a.call(c))
	return nil
}

// callID returns the id of a call: the one that the API gave, or else one that is made of
// the response, so that it differs from those of all other turns: of its id, or else of
// its bytes, which count the tokens of the conversation so far.
func (a *assembler) callID(given string, response []byte) string {
	if a.ids == nil {
		a.ids = map[string]bool{}
	}
	id := given
	if id == "" {
		if a.prefix == "" { // one hash for all calls of a response
			a.prefix = prefixOf(a.Message.ID, response)
		}
		a.made = max(a.made, len(a.ids)) // smaller numbers are in use
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
	return pegboard.Call{ID: c.id, Name: a.codec.tools.Names.Tool(c.name), Input: a.codec.tools.Input(c.name, c.input())}
}

// done reports whether the message says that it ended. Any reason but STOP may end it within
// a call.
func (a *assembler) done() bool {
	reason := a.Message.StopReason
	return reason != "" && (a.open == nil || reason != "STOP")
}

// end is called when nothing more of the message can come.
func (a *assembler) end() error {
	a.Ended = true
	switch {
	case a.done():
		return nil
	case !a.started:
		return reply.Truncated("the body ended before a response began")
	case a.open != nil:
		return reply.Truncated("the body ended within the call of %s", a.open.name)
	}
	return reply.Truncated("the body ended before a finishReason")
}

// Complete implements [reply.Source].
func (a *assembler) Complete() error {
	m := &a.Message
	ids := map[string]bool{}
	var kept []*part
	for _, p := range a.parts {
		switch {
		case p.call == nil:
			kept = append(kept, p)
		case !p.call.complete:
			m.Incomplete = append(m.Incomplete, a.call(p.call))
		default:
			m.Calls = append(m.Calls, a.call(p.call))
			if !ids[p.call.id] {
				kept = append(kept, p)
			}
			ids[p.call.id] = true
		}
	}
	m.History = encodeParts(kept)
	a.parts = nil
	return nil
}

// encodeParts returns the history of a message with these parts. It is nil if there is
// nothing but thinking.
func encodeParts(parts []*part) []json.RawMessage {
	var content []json.RawMessage
	says := false
	for _, p := range parts {
		if p.empty {
			continue
		}
		content = append(content, p.encode())
		says = says || !p.thought
	}
	if !says {
		return nil
	}
	return []json.RawMessage{encodeContent("model", content)}
}

// Finish implements [reply.Source].
func (a *assembler) Finish() pegboard.FinishReason {
	if a.Message.Blocked {
		return pegboard.FinishFilter
	}
	switch a.Message.StopReason {
	case "STOP":
		if len(a.Message.Calls) > 0 {
			return pegboard.FinishToolCalls
		}
		return pegboard.FinishStop
	case "MAX_TOKENS":
		return pegboard.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return pegboard.FinishFilter
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS":
		return pegboard.FinishBadCall
	}
	return pegboard.FinishError
}

// counts is how the API counts tokens.
type counts struct {
	PromptTokenCount, CandidatesTokenCount, ThoughtsTokenCount, CachedContentTokenCount, TotalTokenCount int
}

func (c counts) usage() wire.Usage {
	return wire.Usage{
		Input: max(0, c.PromptTokenCount-c.CachedContentTokenCount), Output: c.CandidatesTokenCount + c.ThoughtsTokenCount,
		Thinking: c.ThoughtsTokenCount, CacheRead: c.CachedContentTokenCount, Total: c.TotalTokenCount,
	}
}

// apiError returns the error in the member "error" of an envelope: an object, or from some
// gateways a string.
func apiError(raw json.RawMessage) *wire.APIError {
	var in struct {
		Code            int
		Status, Message string
		Details         json.RawMessage
	}
	e := &wire.APIError{}
	if json.Unmarshal(raw, &in) == nil {
		*e = wire.APIError{Type: in.Status, Message: in.Message, HTTPStatus: in.Code, Details: in.Details, RetryAfter: retryDelay(in.Details)}
	} else {
		_ = json.Unmarshal(raw, &e.Message)
	}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// retryDelay returns the time to wait that the details of an error ask for, or 0.
func retryDelay(details json.RawMessage) time.Duration {
	var list []struct {
		Type       string `json:"@type"`
		RetryDelay string
	}
	_ = json.Unmarshal(details, &list) // the elements before one that cannot be read count
	for _, d := range list {
		delay, err := time.ParseDuration(d.RetryDelay)
		if strings.HasSuffix(d.Type, "/google.rpc.RetryInfo") && err == nil && delay > 0 {
			return delay
		}
	}
	return 0
}
