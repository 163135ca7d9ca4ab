package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// assembler puts a message together from the events of a stream.
type assembler struct {
	message Message
	blocks  []*block
	held    *block  // a call that stopped, but may have been cut
	ready   []Event // not taken yet
	text    strings.Builder
	started bool
	stopped bool
}

// payload is the data of any event.
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
func (a *assembler) take(e sse.Event) error {
	data := bytes.TrimSpace(e.Data)
	if !known(e.Type) || len(data) == 0 {
		return nil
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		var syntax *json.SyntaxError
		switch {
		case e.Unended && errors.As(err, &syntax):
			return truncated("within an event")
		case e.Type == "error":
			return &APIError{Message: string(data)}
		}
		return malformed("event %q: %w", e.Type, err)
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
			return malformed("%s came before message_start", p.Type)
		}
		return a.advance(&p)
	}
	return nil // pings, and what the API may add
}

// known reports whether an event of this type may be of the message: it is one
// of ours, or has no type besides the one in its data.
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
			return malformed("content block %s began where %d was expected", index(p), len(a.blocks))
		}
		b, err := newBlock(p.ContentBlock)
		if err != nil {
			return err
		}
		return a.begin(b)
	case "content_block_delta", "content_block_stop":
		b := a.open(p.Index)
		if b == nil {
			return malformed("%s for block %s, which is not open", p.Type, index(p))
		}
		if p.Type == "content_block_delta" {
			return a.grow(b, p.Delta)
		}
		a.stop(b)
	case "message_delta":
		return a.amend(p)
	case "message_stop":
		a.stopped = true
	}
	return nil
}

func index(p *payload) string {
	if p.Index == nil {
		return "without index"
	}
	return fmt.Sprint(*p.Index)
}

// start takes what is known of the message before its content.
func (a *assembler) start(raw json.RawMessage) error {
	var head struct {
		ID, Model string
		Usage     json.RawMessage
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return malformed("message: %w", err)
	}
	if a.started {
		if head.ID == a.message.ID {
			return nil // some gateways repeat it
		}
		return malformed("the message %q began within the message %q", head.ID, a.message.ID)
	}
	a.started = true
	a.message.ID, a.message.Model = head.ID, head.Model
	a.count(head.Usage)
	return nil
}

// count takes token counts, of which each replaces the one before. They are
// worth less than the message: what cannot be read is passed over.
func (a *assembler) count(usage json.RawMessage) {
	if u := a.message.Usage; json.Unmarshal(usage, &u) == nil {
		a.message.Usage = u
	}
}

func (a *assembler) begin(b *block) error {
	if len(a.blocks) == maxBlocks {
		return malformed("it has more than %d content blocks", maxBlocks)
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
		return malformed("delta: %w", err)
	}
	kind, _ := delta.Text("type")
	a.show(kind, delta)
	return b.add(delta)
}

// show makes text visible as it comes.
func (a *assembler) show(kind string, o jsonobject.Object) {
	var e Event
	switch kind {
	case "text_delta":
		e.Text, _ = o.Text("text")
	case "thinking_delta":
		e.Thinking, _ = o.Text("thinking")
	}
	if e != (Event{}) {
		a.text.WriteString(e.Text)
		a.ready = append(a.ready, e)
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
		a.hand(b)
	default:
		a.held = b
	}
}

func (a *assembler) release() {
	if a.held != nil {
		a.hand(a.held)
		a.held = nil
	}
}

func (a *assembler) hand(b *block) {
	b.handed = true
	call := a.call(b)
	a.ready = append(a.ready, Event{Call: &call})
}

func (a *assembler) call(b *block) pegboard.Call {
	return pegboard.Call{ID: b.id, Name: a.message.wire.names.Tool(b.name), Input: b.rawInput()}
}

// amend takes what is known of the message after its content.
func (a *assembler) amend(p *payload) error {
	a.count(p.Usage)
	var tail struct {
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal(p.Delta, &tail); p.Delta != nil && err != nil {
		return malformed("message_delta: %w", err)
	}
	if tail.StopReason == "" {
		return nil
	}
	a.message.StopReason = tail.StopReason
	if !outOfTokens(tail.StopReason) {
		a.release()
	}
	return nil
}

// outOfTokens reports whether the model was stopped in mid-sentence, or in
// mid-call.
func outOfTokens(reason string) bool {
	return reason == "max_tokens" || reason == "model_context_window_exceeded"
}

// finish settles the message when nothing more comes.
func (a *assembler) finish() {
	if a.stopped && !outOfTokens(a.message.StopReason) {
		a.release()
	}
	m := &a.message
	m.Text = a.text.String()
	ids := map[string]bool{}
	var kept []*block
	for _, b := range a.blocks {
		switch {
		case b.isCall() && !b.handed:
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
	m.keep(kept)
	a.blocks = nil
}
