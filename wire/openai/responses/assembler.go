package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

// assembler puts a message together from the events of a stream.
type assembler struct {
	wire    *Wire
	message Message
	items   []*item
	held    *item           // a call that is done, but may have been cut
	ready   []Event         // not taken yet
	text    strings.Builder // with the refusal
	refusal strings.Builder
	started bool
	stopped bool

	unstored bool // the API does not keep the items
}

// payload is the data of any event.
type payload struct {
	Type         string
	Response     json.RawMessage
	Item         json.RawMessage
	Delta        json.RawMessage
	Error        json.RawMessage
	OutputIndex  *int `json:"output_index"`
	ContentIndex int  `json:"content_index"`
	SummaryIndex int  `json:"summary_index"`
}

// take adds one piece of the body to the message.
func (a *assembler) take(piece body.Piece) error {
	if piece.Whole {
		return a.takeWhole(piece.Data)
	}
	data := bytes.TrimSpace(piece.Data)
	if !known(piece.Type) || len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		return body.Truncated("the stream was done before the response was")
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		var syntax *json.SyntaxError
		switch {
		case piece.Unended && errors.As(err, &syntax):
			return body.Truncated("within an event")
		case piece.Type == "error":
			return &APIError{Message: string(data)}
		}
		return body.Malformed("event %q: %w", piece.Type, err)
	}
	switch {
	case p.Type == "" && present(p.Error):
		p.Type = "error"
	case p.Type == "":
		p.Type = piece.Type
	}
	if p.Type == "error" {
		if present(p.Error) {
			data = p.Error
		}
		return apiError(bytes.Clone(data))
	}
	return a.advance(&p)
}

// known reports whether an event of this type may be of the response: it is one
// of ours, or has no type besides the one in its data.
func known(event string) bool {
	return event == "" || event == "message" || event == "error" || strings.HasPrefix(event, "response.")
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (a *assembler) advance(p *payload) error {
	name, ours := strings.CutPrefix(p.Type, "response.")
	switch name {
	case "created", "queued", "in_progress":
		return a.start(p.Response)
	case "completed", "incomplete", "failed", "cancelled":
		return a.end(p.Response)
	}
	if !ours || p.OutputIndex == nil {
		return nil // pings, and what the API may add
	}
	if !a.started {
		return body.Malformed("%s came before response.created", p.Type)
	}
	if name == "output_item.added" {
		return a.begin(*p.OutputIndex, p.Item)
	}
	if name == "output_item.done" {
		return a.stop(*p.OutputIndex, p.Item)
	}
	if i := *p.OutputIndex; i < 0 || i >= len(a.items) || a.items[i].done {
		return body.Malformed("%s for the output item %d, which is not open", p.Type, i)
	}
	return a.grow(a.items[*p.OutputIndex], name, p)
}

// start takes what is known of the response before its output.
func (a *assembler) start(raw json.RawMessage) error {
	var head struct {
		ID, Model string
		Store     *bool
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return body.Malformed("response: %w", err)
	}
	if a.started && head.ID != a.message.ID {
		return body.Malformed("the response %q began within the response %q", head.ID, a.message.ID)
	}
	a.started = true
	a.message.ID = head.ID
	if head.Model != "" {
		a.message.Model = head.Model
	}
	if head.Store != nil {
		a.unstored = !*head.Store
	}
	return nil
}

func (a *assembler) begin(at int, raw json.RawMessage) error {
	if at >= 0 && at < len(a.items) && bytes.Equal(a.items[at].raw, raw) {
		return nil // some gateways repeat it
	}
	if at != len(a.items) {
		return body.Malformed("the output item %d began where %d was expected", at, len(a.items))
	}
	i, err := newItem(raw)
	if err != nil {
		return err
	}
	a.release()
	a.items = append(a.items, i)
	return nil
}

// grow takes a delta. The kinds that are not known here are part of the item
// when it is done.
func (a *assembler) grow(i *item, event string, p *payload) error {
	delta, ok := textOf(p.Delta)
	if !ok {
		return nil
	}
	kind, _ := strings.CutSuffix(event, ".delta")
	switch kind {
	case "function_call_arguments":
		i.arguments = append(i.arguments, delta...)
	case "output_text":
		a.say(delta)
		return i.write(p.ContentIndex, "output_text", delta)
	case "refusal":
		a.refuse(delta)
		return i.write(p.ContentIndex, "refusal", delta)
	case "reasoning_summary_text":
		if i.thought && i.summary != p.SummaryIndex {
			delta = betweenThoughts + delta
		}
		i.summary = p.SummaryIndex
		a.think(i, delta)
	case "reasoning_text":
		a.think(i, delta)
	}
	return nil
}

// say, refuse and think make text visible as it comes.
func (a *assembler) say(text string) {
	if text != "" {
		a.text.WriteString(text)
		a.ready = append(a.ready, Event{Text: text})
	}
}

func (a *assembler) refuse(text string) {
	a.refusal.WriteString(text)
	a.say(text)
}

func (a *assembler) think(i *item, text string) {
	if text != "" {
		i.thought = true
		a.ready = append(a.ready, Event{Thinking: text})
	}
}

// stop completes an item, and makes visible what came in no delta. Some gateways
// do not say that it began.
func (a *assembler) stop(at int, raw json.RawMessage) error {
	if at == len(a.items) {
		if err := a.begin(at, raw); err != nil {
			return err
		}
	}
	if at < 0 || at > len(a.items) || a.items[at].done {
		return body.Malformed("the output item %d is done, but was not open", at)
	}
	a.release()
	i := a.items[at]
	was := i.head.Type
	if err := i.set(raw); err != nil {
		return err
	}
	if i.head.Type != was {
		return body.Malformed("the output item %d began as %s and is done as %s", at, was, i.head.Type)
	}
	if !i.isNamed() {
		return body.Malformed("a %s has no call_id or no name", i.head.Type)
	}
	i.done = true
	switch {
	case i.isMessage() && len(i.texts) == 0:
		for _, p := range i.said() {
			a.say(p.Text)
			a.refuse(p.Refusal)
		}
	case i.isReasoning() && !i.thought:
		a.think(i, i.thinking())
	case i.isCall() && !i.isCut() && jsonobject.Is(i.rawInput()):
		a.hand(i)
	case i.isCall() && !i.isCut():
		a.held = i
	}
	return nil
}

// release hands out the call that was held: more of the response shows that it
// was not cut.
func (a *assembler) release() {
	if a.held != nil {
		a.hand(a.held)
		a.held = nil
	}
}

func (a *assembler) hand(i *item) {
	i.handed = true
	call := a.call(i)
	a.ready = append(a.ready, Event{Call: &call})
}

func (a *assembler) call(i *item) pegboard.Call {
	if i.isSearch() {
		return pegboard.Call{ID: i.head.CallID, Name: a.wire.searchTool(), Input: i.rawInput()}
	}
	input := i.rawInput()
	if i.handed {
		input = a.wire.input(i.head.Name, input)
	}
	return pegboard.Call{ID: i.head.CallID, Name: a.wire.names.Tool(i.head.Name), Input: input}
}

// finish settles the message when nothing more comes.
func (a *assembler) finish() {
	m := &a.message
	m.Text, m.Refusal = a.text.String(), a.refusal.String()
	ids := map[string]bool{}
	var kept []*item
	for _, i := range a.items {
		switch {
		case i.isCall() && !i.handed:
			m.Incomplete = append(m.Incomplete, a.call(i))
		case i.isCall():
			m.Calls = append(m.Calls, a.call(i))
			if !ids[i.head.CallID] {
				kept = append(kept, i)
				m.noteSearch(i)
			}
			ids[i.head.CallID] = true
		case !i.isReasoning() || !a.unstored || i.isSealed():
			kept = append(kept, i)
		}
	}
	m.keep(kept)
	a.items = nil
}
