package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

// assembler puts a message together from the chunks of a stream. A reply that came
// whole is one chunk.
type assembler struct {
	message  Message
	calls    []*call
	released int // how many of calls were handed out: the first ones
	byIndex  map[int]*call
	byID     map[string]*call
	current  *call // what came last
	late     bool  // calls went on after the finish_reason
	content  strings.Builder
	refusal  strings.Builder
	extra    grown // what the service adds to a message: the reasoning
	ready    []Event
	started  bool
	stopped  bool
}

func malformedCall(err error) error { return body.Malformed("tool_calls: %w", err) }

// take adds one event of a stream to the message, or all of a whole reply.
func (a *assembler) take(p body.Piece) error {
	data := bytes.TrimSpace(p.Data)
	switch {
	case len(data) == 0 || string(data) == "null":
		return nil
	case string(data) == "[DONE]":
		return a.done()
	case p.Type == "error" && !p.Unended:
		if e := apiError(data); e != nil {
			return e
		}
		return &APIError{Message: string(data)}
	}
	var c chunk
	err := json.Unmarshal(data, &c)
	switch {
	case err == nil:
		return a.takeChunk(&c, data, p.Whole)
	case p.Unended && !json.Valid(data):
		return body.Truncated("within an event")
	}
	return body.Malformed("chunk: %w", err)
}

func (a *assembler) done() error {
	if a.message.StopReason == "" {
		return body.Truncated("the stream was done before the model gave a finish_reason")
	}
	a.stopped = true
	return nil
}

// chunk is a chunk of a stream, or a whole reply, with the members that may say
// that it is an error.
type chunk struct {
	ID, Model, Usage       json.RawMessage
	Error, Message, Detail json.RawMessage
	Choices                []choice
}

type choice struct {
	Index          *int
	Delta, Message json.RawMessage
	FinishReason   string `json:"finish_reason"`
	Usage, Error   json.RawMessage
}

// takeChunk takes the first of the choices; the others are alternatives to it.
func (a *assembler) takeChunk(in *chunk, data json.RawMessage, whole bool) error {
	if in.Error != nil || in.Choices == nil && (in.Message != nil || in.Detail != nil) {
		if e := apiError(data); e != nil {
			return e
		}
	}
	if in.Choices != nil {
		a.begin(in)
	}
	a.count(in.Usage)
	for _, c := range in.Choices {
		if c.Index != nil && *c.Index != 0 {
			continue
		}
		if c.Error != nil {
			if e := apiError(jsonobject.With("error", c.Error).Encode()); e != nil {
				return e
			}
		}
		delta := c.Delta
		if whole {
			if delta = c.Message; !jsonobject.Is(delta) {
				return body.Malformed("its first choice has no message")
			}
		}
		a.count(c.Usage)
		if err := a.takeDelta(delta, whole); err != nil {
			return err
		}
		if c.FinishReason != "" {
			a.message.StopReason, a.late = c.FinishReason, false
			a.release(false)
		}
		a.stopped = whole
		break // a whole reply may have several without an index
	}
	if whole && !a.stopped {
		return body.Malformed("it has no first choice")
	}
	return nil
}

// begin takes what is known of the message besides its content. Some services
// leave it out of some chunks.
func (a *assembler) begin(in *chunk) {
	a.started = true
	if a.message.ID == "" {
		a.message.ID = plain(in.ID)
	}
	if a.message.Model == "" {
		a.message.Model = plain(in.Model)
	}
}

// count takes token counts, of which each replaces the one before.
func (a *assembler) count(raw json.RawMessage) {
	if u, ok := parseUsage(raw); ok {
		a.message.Usage = u
	}
}

func (a *assembler) takeDelta(raw json.RawMessage, whole bool) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	o, err := jsonobject.Parse(raw)
	if err != nil {
		return body.Malformed("delta: %w", err)
	}
	a.think(o)
	for _, m := range o {
		switch {
		case string(m.Value) == "null":
		case m.Name == "content":
			a.say(&a.content, words(m.Value))
		case m.Name == "refusal":
			a.say(&a.refusal, plain(m.Value))
		case m.Name == "tool_calls":
			err = a.takeCalls(m.Value, whole)
		case m.Name == "function_call" && !holds(o.Get("tool_calls")): // what these were once, one at a time; some send both
			err = a.takeCalls(json.RawMessage(`[{"function":`+string(m.Value)+`}]`), whole)
		case strings.HasPrefix(m.Name, "reasoning"), m.Name == "extra_content":
			a.extra.add(m.Name, m.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a list is there and not empty.
func holds(list json.RawMessage) bool {
	return len(list) > 0 && string(list) != "null" && string(list) != "[]"
}

// think makes thinking visible. Some services send it under both names.
func (a *assembler) think(o jsonobject.Object) {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if text, ok := o.Text(name); ok && text != "" {
			a.ready = append(a.ready, Event{Thinking: text})
			return
		}
	}
}

// words returns the text of content.
func words(content json.RawMessage) string { return strings.Join(texts(content), "") }

// texts returns the texts of content, which may be a list of parts.
func texts(content json.RawMessage) (all []string) {
	var parts []struct{ Type, Text string }
	if bytes.HasPrefix(content, []byte(`"`)) || json.Unmarshal(content, &parts) != nil {
		return []string{plain(content)}
	}
	for _, p := range parts {
		if p.Type == "text" {
			all = append(all, p.Text)
		}
	}
	return all
}

func (a *assembler) say(to *strings.Builder, text string) {
	if text != "" {
		to.WriteString(text)
		a.ready = append(a.ready, Event{Text: text})
	}
}

func (a *assembler) takeCalls(raw json.RawMessage, whole bool) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return malformedCall(err)
	}
	for _, raw := range list {
		p, err := parsePiece(raw)
		if err != nil {
			return err
		}
		c := a.known(p)
		switch {
		case c == nil || whole:
			c, err = a.beginCall(false)
		case p.begins(c):
			c, err = a.beginCall(p.echoes(c))
		}
		if err != nil {
			return err
		}
		a.late = a.message.StopReason != "" && (a.late || c.name == "" || len(p.quoted) > 0)
		if p.index != nil {
			a.byIndex[*p.index] = c
		}
		a.current = c
		if err := c.add(p); err != nil {
			return err
		}
		if p.id != "" && p.id == c.id {
			a.byID[p.id] = c
		}
	}
	return nil
}

// maxCalls is how many calls a reply may have. Each takes far more memory than it
// takes bytes.
const maxCalls = 10_000

func (a *assembler) beginCall(echo bool) (*call, error) {
	if len(a.calls) == maxCalls {
		return nil, malformedCall(fmt.Errorf("there are more than %d", maxCalls))
	}
	if a.calls == nil {
		a.byIndex, a.byID = map[int]*call{}, map[string]*call{}
	}
	a.release(false)
	c := &call{echo: echo}
	a.calls = append(a.calls, c)
	return c, nil
}

// known returns the call that a piece belongs to if it does not begin another.
func (a *assembler) known(p piece) *call {
	c := a.current
	if p.index != nil {
		c = a.byIndex[*p.index]
	} else if p.id != "" {
		if known := a.byID[p.id]; known != nil {
			c = known
		}
	}
	return c
}

// release hands out the calls that are complete, and, at the end of a whole
// message, those whose arguments never became an object: they are what the model
// wrote.
func (a *assembler) release(end bool) {
	for ; a.released < len(a.calls); a.released++ {
		c := a.calls[a.released]
		if c.name == "" || !end && !c.complete() {
			return
		}
		c.handed = true
		c.identify(a.message.ID, a.released)
		call := a.made(c)
		a.ready = append(a.ready, Event{Call: &call})
	}
}

func (a *assembler) made(c *call) pegboard.Call { return a.message.wire.call(c.id, c.name, c.input()) }

// settle completes the message when nothing more comes.
func (a *assembler) settle() (err error) {
	m := &a.message
	m.Text, m.Refusal = a.content.String()+a.refusal.String(), a.refusal.String()
	ids := map[string]bool{}
	a.calls = slices.DeleteFunc(a.calls, (*call).isEcho)
	a.release(a.stopped && m.whole())
	var sent []json.RawMessage
	for _, c := range a.calls {
		if c.name == "" && a.stopped {
			err = body.Malformed("a call has no name")
		}
		if !c.handed {
			m.Incomplete = append(m.Incomplete, a.made(c))
			continue
		}
		m.Calls = append(m.Calls, a.made(c))
		if !ids[c.id] {
			sent = append(sent, c.encode())
		}
		ids[c.id] = true
	}
	m.keep(a.content.String(), a.extra, sent)
	a.calls = nil
	return err
}
