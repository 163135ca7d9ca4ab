package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// maxBlocks is how many content blocks a reply may have: a small block takes a hundred
// times its size in memory.
const maxBlocks = 1 << 17

// An assembler puts a message together from the events of a stream.
type assembler struct {
	reply.Draft
	codec *Codec
	body  *reply.Body

	blocks  []*block
	held    *block // a call that stopped, but may have been cut
	started bool
}

// Read implements [reply.Source].
func (a *assembler) Read() error {
	piece, err := a.body.Next()
	switch {
	case err == nil && piece.Whole:
		return a.takeWhole(piece.Data)
	case err == nil:
		return a.take(piece)
	case !errors.Is(err, io.EOF):
		return err
	case !a.started:
		return reply.Truncated("the body ended before a message began")
	}
	return reply.Truncated("the body ended before message_stop")
}

// A payload is the data of any event.
type payload struct {
	Type         string
	Message      json.RawMessage
	Index        *int
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        json.RawMessage
	Usage        json.RawMessage
	Error        json.RawMessage
	RequestID    string `json:"request_id"`
}

// take adds one event of a stream to the message.
func (a *assembler) take(e reply.Piece) error {
	data := bytes.TrimSpace(e.Data)
	if !known(e.Type) || len(data) == 0 {
		return nil
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		var syntax *json.SyntaxError
		switch {
		case e.Unended && errors.As(err, &syntax):
			return reply.Truncated("within an event")
		case e.Type == "error":
			return &wire.APIError{Message: string(data)}
		}
		return reply.Malformed("event %q: %w", e.Type, err)
	}
	switch {
	case p.Type == "" && jsonobject.Is(p.Error):
		p.Type = "error"
	case p.Type == "":
		p.Type = e.Type
	}
	switch p.Type {
	case "error":
		if p.Error == nil {
			p.Error = data
		}
		return apiError(p.Error, p.RequestID)
	case "message_start":
		return a.start(p.Message)
	case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop":
		if !a.started {
			return reply.Malformed("%s came before message_start", p.Type)
		}
		return a.advance(&p)
	}
	return nil // pings, and unknown events
}

// known reports whether an event of this type may belong to the message: its type is one
// of the API, or only its data says the type.
func known(event string) bool {
	switch event {
	case "", "message", "error", "message_start", "content_block_start", "content_block_delta",
		"content_block_stop", "message_delta", "message_stop":
		return true
	}
	return false
}

func (a *assembler) advance(p *payload) error {
	switch p.Type {
	case "content_block_start":
		if p.Index == nil || *p.Index != len(a.blocks) {
			return reply.Malformed("content block %s began where %d was expected", index(p), len(a.blocks))
		}
		b, err := newBlock(p.ContentBlock)
		if err != nil {
			return err
		}
		if err := a.begin(b); err != nil {
			return err
		}
		a.showCall(b)
	case "content_block_delta", "content_block_stop":
		b := a.open(p.Index)
		if b == nil {
			return reply.Malformed("%s for block %s, which is not open", p.Type, index(p))
		}
		if p.Type == "content_block_delta" {
			return a.grow(b, p.Delta)
		}
		a.stop(b)
	case "message_delta":
		return a.amend(p)
	case "message_stop":
		a.Ended = true
	}
	return nil
}

func index(p *payload) string {
	if p.Index == nil {
		return "without index"
	}
	return fmt.Sprint(*p.Index)
}

// start takes the head of the message, which comes before its content.
func (a *assembler) start(raw json.RawMessage) error {
	var head struct {
		ID, Model string
		Usage     json.RawMessage
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return reply.Malformed("message: %w", err)
	}
	if a.started {
		if head.ID == a.Message.ID {
			return nil // some gateways repeat it
		}
		return reply.Malformed("the message %q began within the message %q", head.ID, a.Message.ID)
	}
	a.started = true
	a.Message.ID, a.Message.Model = head.ID, head.Model
	a.count(head.Usage)
	return nil
}

// usage is how the API counts tokens.
type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

// count takes token counts, each of which replaces the one before. They matter less than
// the message: counts that cannot be read are ignored.
func (a *assembler) count(counts json.RawMessage) {
	m := &a.Message.Usage
	u := usage{Input: m.Input, Output: m.Output, CacheRead: m.CacheRead, CacheWrite: m.CacheWrite}
	if json.Unmarshal(counts, &u) == nil {
		*m = wire.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	}
}

func (a *assembler) begin(b *block) error {
	if len(a.blocks) == maxBlocks {
		return reply.Malformed("it has more than %d content blocks", maxBlocks)
	}
	a.release()
	a.blocks = append(a.blocks, b)
	if o, err := jsonobject.Parse(b.raw); err == nil {
		a.show(b.kind+"_delta", o)
	}
	return nil
}

func (a *assembler) open(index *int) *block {
	if index == nil || *index < 0 || *index >= len(a.blocks) || a.blocks[*index].stopped {
		return nil
	}
	return a.blocks[*index]
}

func (a *assembler) grow(b *block, raw json.RawMessage) error {
	delta, err := jsonobject.Parse(raw)
	if err != nil {
		return reply.Malformed("delta: %w", err)
	}
	kind, _ := delta.Text("type")
	a.show(kind, delta)
	if err := b.add(delta); err != nil {
		return err
	}
	if kind == "input_json_delta" {
		a.showCall(b)
	}
	return nil
}

// showCall adds the state of a call that is not complete.
func (a *assembler) showCall(b *block) {
	if b.isCall() {
		a.AddPartial(wire.PartialCall{ID: b.id, Name: a.codec.tools.Names.Tool(b.name), Text: b.shown.String()})
	}
}

// show adds the text or thinking of a block or delta.
func (a *assembler) show(kind string, o jsonobject.Object) {
	switch kind {
	case "text_delta":
		text, _ := o.Text("text")
		a.AddText(text)
	case "thinking_delta":
		text, _ := o.Text("thinking")
		a.AddThinking(text)
	}
}

// stop completes a block. A call whose input is no whole object is held until
// more of the message shows that it was not cut there.
func (a *assembler) stop(b *block) {
	a.release()
	b.stopped = true
	switch {
	case !b.isCall():
	case jsonobject.Is(b.rawInput()):
		a.add(b)
	default:
		a.held = b
	}
}

// release adds the call that was held.
func (a *assembler) release() {
	if a.held != nil {
		a.add(a.held)
		a.held = nil
	}
}

// add adds a call that is complete.
func (a *assembler) add(b *block) {
	b.added = true
	a.AddCall(a.call(b))
}

func (a *assembler) call(b *block) pegboard.Call {
	return pegboard.Call{ID: b.id, Name: a.codec.tools.Names.Tool(b.name), Input: a.codec.tools.Input(b.name, b.rawInput())}
}

// amend takes the tail of the message, which comes after its content.
func (a *assembler) amend(p *payload) error {
	a.count(p.Usage)
	var tail struct {
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal(p.Delta, &tail); p.Delta != nil && err != nil {
		return reply.Malformed("message_delta: %w", err)
	}
	if tail.StopReason == "" {
		return nil
	}
	a.Message.StopReason = tail.StopReason
	if !outOfTokens(tail.StopReason) {
		a.release()
	}
	return nil
}

// outOfTokens reports whether the model was stopped in the middle of its text or of a
// call.
func outOfTokens(reason string) bool {
	return reason == "max_tokens" || reason == "model_context_window_exceeded"
}

// takeWhole takes a reply that was not streamed.
func (a *assembler) takeWhole(raw json.RawMessage) error {
	var whole struct {
		Type       string
		StopReason string `json:"stop_reason"`
		Content    []json.RawMessage
		Error      json.RawMessage
		RequestID  string `json:"request_id"`
	}
	err := json.Unmarshal(raw, &whole)
	switch {
	case whole.Type == "error", whole.Type == "" && whole.Content == nil && whole.Error != nil && string(whole.Error) != "null":
		if whole.Error == nil {
			whole.Error = raw
		}
		return apiError(whole.Error, whole.RequestID)
	case err != nil:
		return reply.Malformed("message: %w", err)
	case whole.Type != "message":
		return reply.Malformed("the body has the type %q, not message", whole.Type)
	}
	if err := a.start(raw); err != nil {
		return err
	}
	a.Message.StopReason = whole.StopReason
	for i, content := range whole.Content {
		b, err := newBlock(content)
		if err != nil {
			return err
		}
		b.input = b.given
		if err := a.begin(b); err != nil {
			return err
		}
		// A cut call looks whole here: its input was made an object.
		if last := i == len(whole.Content)-1; !last || !b.isCall() || !outOfTokens(whole.StopReason) {
			a.stop(b)
		}
	}
	a.Ended = true
	return nil
}

// Complete implements [reply.Source].
func (a *assembler) Complete() error {
	m := &a.Message
	if a.Ended && !outOfTokens(m.StopReason) {
		a.release()
	}
	ids := map[string]bool{}
	var kept []*block
	for _, b := range a.blocks {
		switch {
		case b.isCall() && !b.added:
			m.Incomplete = append(m.Incomplete, a.call(b))
		case b.isCall():
			m.Calls = append(m.Calls, a.call(b))
			if !ids[b.id] {
				kept = append(kept, b)
			}
			ids[b.id] = true
		case b.stopped || b.isText():
			kept = append(kept, b)
		}
	}
	if content := encodeBlocks(kept); len(content) > 0 {
		m.History = []json.RawMessage{encodeMessage("assistant", content)}
	}
	a.blocks = nil
	return nil
}

// encodeBlocks returns blocks as the history holds them, without blank text and without
// thinking at the end, which the API refuses.
func encodeBlocks(blocks []*block) (content []json.RawMessage) {
	end := 0 // after the last block that is not thinking
	for _, b := range blocks {
		if b.isText() && b.isBlank() {
			continue
		}
		content = append(content, b.encode())
		if !b.isThinking() {
			end = len(content)
		}
	}
	return content[:end]
}

// Finish implements [reply.Source].
func (a *assembler) Finish() pegboard.FinishReason {
	switch a.Message.StopReason {
	case "end_turn", "stop_sequence":
		return pegboard.FinishStop
	case "pause_turn":
		return pegboard.FinishPause
	case "tool_use":
		return pegboard.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return pegboard.FinishLength
	case "refusal":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}

// apiError returns the error in the member "error" of an envelope: an object, or from some
// gateways a string.
func apiError(raw json.RawMessage, requestID string) *wire.APIError {
	var in struct{ Type, Message string }
	if json.Unmarshal(raw, &in) != nil {
		_ = json.Unmarshal(raw, &in.Message)
	}
	if in.Message == "" {
		in.Message = string(raw)
	}
	return &wire.APIError{Type: in.Type, Message: in.Message, RequestID: requestID}
}
