package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// An assembler puts a message together from the events of a stream.
type assembler struct {
	reply.Draft
	codec *Codec
	body  *reply.Body

	items    []*item
	held     *item // a call that is done, but may have been cut
	refusal  strings.Builder
	started  bool
	unstored bool // the API does not keep the items
}

// Read implements [reply.Source].
func (a *assembler) Read() error {
	piece, err := a.body.Next()
	switch {
	case err == nil:
		return a.take(piece)
	case errors.Is(err, io.EOF):
		return reply.Truncated("the body ended before the reply did")
	}
	return err
}

// A payload is the data of any event.
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
func (a *assembler) take(piece reply.Piece) error {
	if piece.Whole {
		return a.takeWhole(piece.Text())
	}
	data := bytes.TrimSpace(piece.Text())
	if !known(piece.Type) || len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		return reply.Truncated("the stream was done before the response was")
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		var syntax *json.SyntaxError
		switch {
		case piece.Unended && errors.As(err, &syntax):
			return reply.Truncated("within an event")
		case piece.Type == "error":
			return &wire.APIError{Message: string(data)}
		}
		return reply.Malformed("event %q: %w", piece.Type, err)
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

// known reports whether an event of this type may belong to the response: its type is one
// of the API, or only its data says the type.
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
		return nil // pings, and unknown events
	}
	if !a.started {
		return reply.Malformed("%s came before response.created", p.Type)
	}
	if name == "output_item.added" {
		if err := a.begin(*p.OutputIndex, p.Item); err != nil {
			return err
		}
		a.showCall(a.items[*p.OutputIndex])
		return nil
	}
	if name == "output_item.done" {
		return a.stop(*p.OutputIndex, p.Item)
	}
	if i := *p.OutputIndex; i < 0 || i >= len(a.items) || a.items[i].done {
		return reply.Malformed("%s for the output item %d, which is not open", p.Type, i)
	}
	return a.grow(a.items[*p.OutputIndex], name, p)
}

// start takes the head of the response, which comes before its output.
func (a *assembler) start(raw json.RawMessage) error {
	var head struct {
		ID, Model string
		Store     *bool
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return reply.Malformed("response: %w", err)
	}
	if a.started && head.ID != a.Message.ID {
		return reply.Malformed("the response %q began within the response %q", head.ID, a.Message.ID)
	}
	a.started = true
	a.Message.ID = head.ID
	if head.Model != "" {
		a.Message.Model = head.Model
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
		return reply.Malformed("the output item %d began where %d was expected", at, len(a.items))
	}
	i, err := newItem(raw)
	if err != nil {
		return err
	}
	a.release()
	a.items = append(a.items, i)
	return nil
}

// grow takes a delta. Deltas of unknown kinds are ignored: the item holds them when it is
// done.
func (a *assembler) grow(i *item, event string, p *payload) error {
	delta, ok := textOf(p.Delta)
	if !ok {
		return nil
	}
	kind, _ := strings.CutSuffix(event, ".delta")
	switch kind {
	case "function_call_arguments":
		i.arguments = append(i.arguments, delta...)
		i.shown.WriteString(delta)
		a.showCall(i)
	case "output_text":
		a.AddText(delta)
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

func (a *assembler) refuse(text string) {
	a.refusal.WriteString(text)
	a.AddText(text)
}

func (a *assembler) think(i *item, text string) {
	i.thought = i.thought || text != ""
	a.AddThinking(text)
}

// stop completes an item, and adds the text that came in no delta. Some gateways send no
// event for the beginning of an item.
func (a *assembler) stop(at int, raw json.RawMessage) error {
	if at == len(a.items) {
		if err := a.begin(at, raw); err != nil {
			return err
		}
	}
	if at < 0 || at > len(a.items) || a.items[at].done {
		return reply.Malformed("the output item %d is done, but was not open", at)
	}
	a.release()
	i := a.items[at]
	was := i.head.Type
	if err := i.set(raw); err != nil {
		return err
	}
	if i.head.Type != was {
		return reply.Malformed("the output item %d began as %s and is done as %s", at, was, i.head.Type)
	}
	if !i.isNamed() {
		return reply.Malformed("a %s has no call_id or no name", i.head.Type)
	}
	i.done = true
	switch {
	case i.isMessage() && len(i.texts) == 0:
		for _, p := range i.parts() {
			a.AddText(p.Text)
			a.refuse(p.Refusal)
		}
	case i.isReasoning() && !i.thought:
		a.think(i, i.thinking())
	case i.isCall() && !i.isCut() && jsonobject.Is(i.rawInput()):
		a.add(i)
	case i.isCall() && !i.isCut():
		a.held = i
	}
	return nil
}

// release adds the call that was held: the next part of the response shows that the call
// was not cut.
func (a *assembler) release() {
	if a.held != nil {
		a.add(a.held)
		a.held = nil
	}
}

// add adds a call that is complete.
func (a *assembler) add(i *item) {
	i.added = true
	a.AddCall(a.call(i))
}

// showCall adds the state of a call that is not complete.
func (a *assembler) showCall(i *item) {
	if i.isCall() && !i.done {
		a.AddPartial(wire.PartialCall{ID: i.head.CallID, Name: a.tool(i), Text: i.shown.String()})
	}
}

// tool returns the name in the pool of the tool that an item calls.
func (a *assembler) tool(i *item) string {
	if i.isSearch() {
		return a.codec.searchTool()
	}
	return a.codec.tools.Names.Tool(i.head.Name)
}

func (a *assembler) call(i *item) pegboard.Call {
	if i.isSearch() {
		return pegboard.Call{ID: i.head.CallID, Name: a.tool(i), Input: i.rawInput()}
	}
	input := i.rawInput()
	if i.added {
		input = a.codec.input(i.head.Name, input)
	}
	return pegboard.Call{ID: i.head.CallID, Name: a.tool(i), Input: input}
}

// Complete implements [reply.Source].
func (a *assembler) Complete() error {
	m := &a.Message
	m.Refusal = a.refusal.String()
	ids := map[string]bool{}
	var kept []*item
	for _, i := range a.items {
		switch {
		case i.isCall() && !i.added:
			m.Incomplete = append(m.Incomplete, a.call(i))
		case i.isCall():
			m.Calls = append(m.Calls, a.call(i))
			if !ids[i.head.CallID] {
				kept = append(kept, i)
			}
			ids[i.head.CallID] = true
		case !i.isReasoning() || !a.unstored || i.isSealed():
			kept = append(kept, i)
		}
	}
	m.History = encodeItems(kept)
	a.items = nil
	return nil
}

// encodeItems returns items as the history holds them, each once. Reasoning at the end
// is left out: the API wants the item that followed it.
func encodeItems(items []*item) (list []json.RawMessage) {
	end := 0 // after the last item that is not reasoning
	seen := map[string]bool{}
	for _, i := range items {
		raw := i.encode()
		if raw == nil || seen[string(raw)] {
			continue
		}
		if p, _ := parsePast(raw); p.identified {
			seen[string(raw)] = true
		}
		list = append(list, raw)
		if !i.isReasoning() {
			end = len(list)
		}
	}
	if end == 0 {
		return nil
	}
	return slices.Clip(list[:end])
}

// Finish implements [reply.Source]. A refusal counts as filtered.
func (a *assembler) Finish() pegboard.FinishReason {
	m := &a.Message
	switch {
	case m.StopReason == "completed" && m.Refusal != "":
		return pegboard.FinishFilter
	case m.StopReason == "completed" && len(m.Calls) > 0:
		return pegboard.FinishToolCalls
	case m.StopReason == "completed":
		return pegboard.FinishStop
	case m.StopReason == "max_output_tokens":
		return pegboard.FinishLength
	case m.StopReason == "content_filter":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}
