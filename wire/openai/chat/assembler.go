package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// An assembler puts a message together from the chunks of a stream. A reply that came
// whole is one chunk.
type assembler struct {
	reply.Draft
	codec *Codec
	src   *bufio.Reader
	body  *reply.Body // nil until something is read

	calls    []*call
	released int // how many of calls, from the first on, were added to the draft
	byIndex  map[int]*call
	byID     map[string]*call
	current  *call // that the last piece belonged to
	late     bool  // calls went on after the finish_reason
	content  strings.Builder
	refusal  strings.Builder
	extra    grown // members that the service adds to a message: the reasoning
}

func newAssembler(c *Codec, body io.Reader) *assembler {
	return &assembler{codec: c, src: bufio.NewReader(body)}
}

// Read takes the next event of a stream, or a whole reply. The end of the body after the
// model has finished is no error.
func (a *assembler) Read() error {
	if a.body == nil {
		a.skipBracket()
		a.body = reply.NewBody(a.src)
	}
	piece, err := a.body.Next()
	switch {
	case err == nil:
		return a.take(piece)
	case a.Message.StopReason != "" && !a.late && !errors.Is(err, wire.ErrMalformed):
		a.Ended = true
		return nil
	case errors.Is(err, io.EOF):
		return reply.Truncated("the body ended before the reply did")
	}
	return err
}

// skipBracket skips the bracket that some services put before an error: they send an
// array of one element. An error of the source is returned again by the next read.
func (a *assembler) skipBracket() {
	for {
		c, _, err := a.src.ReadRune()
		switch {
		case err != nil || c == '[':
			return
		case c != '\ufeff' && !unicode.IsSpace(c):
			_ = a.src.UnreadRune() // it was just read
			return
		}
	}
}

func malformedCall(err error) error { return reply.Malformed("tool_calls: %w", err) }

// take adds one event of a stream to the message, or all of a whole reply.
func (a *assembler) take(p reply.Piece) error {
	data := bytes.TrimSpace(p.Text())
	switch {
	case len(data) == 0 || string(data) == "null":
		return nil
	case string(data) == "[DONE]":
		return a.done()
	case p.Type == "error" && !p.Unended:
		if e := apiError(data); e != nil {
			return e
		}
		return &wire.APIError{Message: string(data)}
	}
	var c chunk
	err := json.Unmarshal(data, &c)
	switch {
	case err == nil:
		return a.takeChunk(&c, data, p.Whole)
	case p.Unended && !json.Valid(data):
		return reply.Truncated("within an event")
	}
	return reply.Malformed("chunk: %w", err)
}

func (a *assembler) done() error {
	if a.Message.StopReason == "" {
		return reply.Truncated("the stream was done before the model gave a finish_reason")
	}
	a.Ended = true
	return nil
}

// A chunk is a chunk of a stream or a whole reply, with the members that may mean that
// it is an error.
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
				return reply.Malformed("its first choice has no message")
			}
		}
		a.count(c.Usage)
		if err := a.takeDelta(delta, whole); err != nil {
			return err
		}
		if c.FinishReason != "" {
			a.Message.StopReason, a.late = c.FinishReason, false
			a.release(false)
		}
		a.Ended = whole
		break // a whole reply may have several without an index
	}
	if whole && !a.Ended {
		return reply.Malformed("it has no first choice")
	}
	return nil
}

// begin takes the id and the model. Some services leave them out of some chunks.
func (a *assembler) begin(in *chunk) {
	if a.Message.ID == "" {
		a.Message.ID = plain(in.ID)
	}
	if a.Message.Model == "" {
		a.Message.Model = plain(in.Model)
	}
}

// count takes token counts, which replace those before. They matter less than the
// message: counts that cannot be read are ignored.
func (a *assembler) count(raw json.RawMessage) {
	var in struct {
		Prompt     *int `json:"prompt_tokens"`
		Completion int  `json:"completion_tokens"`
		Details    struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &in) != nil || in.Prompt == nil {
		return
	}
	read, written := in.Details.Cached, in.Details.Written
	a.Message.Usage = wire.Usage{Input: max(0, *in.Prompt-read-written), Output: in.Completion, CacheRead: read, CacheWrite: written}
}

func (a *assembler) takeDelta(raw json.RawMessage, whole bool) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	o, err := jsonobject.Parse(raw)
	if err != nil {
		return reply.Malformed("delta: %w", err)
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
		case m.Name == "function_call" && !nonEmpty(o.Get("tool_calls")): // the older form, of a single call; some services send both
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

// nonEmpty reports whether a list is there and not empty.
func nonEmpty(list json.RawMessage) bool {
	return len(list) > 0 && string(list) != "null" && string(list) != "[]"
}

// think adds thinking. Some services send it under both names.
func (a *assembler) think(o jsonobject.Object) {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if text, ok := o.Text(name); ok && text != "" {
			a.AddThinking(text)
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

// say adds a piece of the answer or of the refusal.
func (a *assembler) say(to *strings.Builder, text string) {
	to.WriteString(text)
	a.AddText(text)
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
		c := a.ongoing(p)
		switch {
		case c == nil || whole:
			c, err = a.beginCall(false)
		case p.begins(c):
			c, err = a.beginCall(p.echoes(c))
		}
		if err != nil {
			return err
		}
		a.late = a.Message.StopReason != "" && (a.late || c.name == "" || len(p.quoted) > 0)
		if p.index != nil {
			a.byIndex[*p.index] = c
		}
		a.current = c
		if err := c.add(p); err != nil {
			return err
		}
		if !whole {
			a.showCall(c)
		}
		if p.id != "" && p.id == c.id {
			a.byID[p.id] = c
		}
	}
	return nil
}

// showCall adds the state of a call that is not complete. The name of a call may be an
// echo and no call, until arguments follow it.
func (a *assembler) showCall(c *call) {
	if !c.released && c.name != "" && (!c.echo || c.shown.Len() > 0) {
		a.AddPartial(wire.PartialCall{ID: c.id, Name: a.codec.tools.Names.Tool(c.name), Text: c.shown.String()})
	}
}

// maxCalls is how many calls a reply may have. A call takes far more memory than the
// bytes of the reply that describe it.
const maxCalls = 10_000

// beginCall begins a call, which may be no more than an echo of the one before.
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

// ongoing returns the call that a piece belongs to unless the piece begins another.
func (a *assembler) ongoing(p piece) *call {
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

// release adds the calls that are complete to the draft. At the end of a whole message it
// also adds those whose arguments never became an object: the executor refuses them.
func (a *assembler) release(end bool) {
	for ; a.released < len(a.calls); a.released++ {
		c := a.calls[a.released]
		if c.name == "" || !end && !c.complete() {
			return
		}
		c.released = true
		c.identify(a.Message.ID, a.released)
		a.AddCall(a.callOf(c))
	}
}

func (a *assembler) callOf(c *call) pegboard.Call { return a.codec.call(c.id, c.name, c.input()) }

// Complete implements [reply.Source].
func (a *assembler) Complete() (err error) {
	m := &a.Message
	m.Text, m.Refusal = a.content.String()+a.refusal.String(), a.refusal.String()
	ids := map[string]bool{}
	a.calls = slices.DeleteFunc(a.calls, (*call).isEcho)
	finish := a.Finish()
	a.release(a.Ended && (finish == pegboard.FinishStop || finish == pegboard.FinishToolCalls))
	var sent []json.RawMessage
	for _, c := range a.calls {
		if c.name == "" && a.Ended {
			err = reply.Malformed("a call has no name")
		}
		if !c.released {
			m.Incomplete = append(m.Incomplete, a.callOf(c))
			continue
		}
		m.Calls = append(m.Calls, a.callOf(c))
		if !ids[c.id] {
			sent = append(sent, c.encode())
		}
		ids[c.id] = true
	}
	m.History = encodeMessage(a.content.String(), m.Refusal, a.extra, sent)
	a.calls = nil
	return err
}

// Finish implements [reply.Source], with the reasons of several services. A message with
// calls that says "stop", as some do, counts as one that calls, and a refusal as
// filtered.
func (a *assembler) Finish() pegboard.FinishReason {
	switch a.Message.StopReason {
	case "stop", "end_turn", "stop_sequence", "eos", "eos_token":
		switch {
		case a.Message.Refusal != "":
			return pegboard.FinishFilter
		case len(a.Message.Calls) > 0:
			return pegboard.FinishToolCalls
		}
		return pegboard.FinishStop
	case "tool_calls", "function_call", "tool_use":
		return pegboard.FinishToolCalls
	case "length", "max_tokens", "model_length":
		return pegboard.FinishLength
	case "content_filter":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}

// A progress follows arguments while they arrive, to find the end of their object. It
// reads each byte once, however small the pieces are.
type progress struct {
	depth            int
	inText, escaped  bool
	ended, overrun   bool // the object ended; more than space follows it
	checked, correct bool // the whole object was parsed once; it is valid
}

// add takes the next piece of the arguments.
func (p *progress) add(piece []byte) {
	for _, c := range piece {
		switch {
		case p.ended:
			p.overrun = p.overrun || c != ' ' && c != '\t' && c != '\n' && c != '\r'
		case p.escaped:
			p.escaped = false
		case p.inText:
			p.escaped, p.inText = c == '\\', c != '"'
		case c == '"':
			p.inText = true
		case c == '{', c == '[':
			p.depth++
		case c == '}', c == ']':
			p.depth--
			p.ended = p.depth <= 0
		}
	}
}

// whole reports whether the arguments so far are an object. Once they are, only further
// bytes after the object can change that.
func (p *progress) whole(input func() []byte) bool {
	if !p.ended || p.overrun {
		return false
	}
	if !p.checked {
		p.checked, p.correct = true, jsonobject.Is(input())
	}
	return p.correct
}
