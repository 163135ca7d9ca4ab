package anthropic

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/history"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
)

// Trim returns messages with the text of those results replaced that s does not let
// out whole, to be called right before each request, on all messages as they were and
// not as Trim returned them before. s sees every result of a tool of the client, in
// order: its Turn is the number of the model's messages before it, and it is Fixed if it
// refers to tools or shows their definitions.
//
// One text takes the place of all text of a result, where the first was. Images,
// documents and search results stay, and so does whether the call failed. What is Fixed
// is never replaced, nor is a result without text.
//
// Messages in which nothing is replaced are returned as they are, byte for byte, and
// so is every other block. The same messages and the same answers of s give the same
// bytes. Messages that cannot be read are passed over. Trim adds nothing that
// [Normalize] would have to repair; either may come first. The messages given are not
// changed; those returned share their bytes.
func (w *Wire) Trim(ctx context.Context, messages []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	past := w.pastResults(messages)
	out := slices.Clone(messages)
	for i, text := range trim.Results(ctx, s, past.results) {
		at := past.at[i]
		m := past.messages[at.message]
		m.blocks[at.block] = withText(m.parsed[at.block], text)
		m.fields.Set("content", jsonobject.List(m.blocks))
		out[at.message] = m.fields.Encode()
	}
	return out
}

// pastResults are the results in a conversation.
type pastResults struct {
	messages []pastMessage
	results  []pegboard.PastResult
	at       []blockIndex // of each result
}

// blockIndex is where a block stands in a conversation.
type blockIndex struct{ message, block int }

func (w *Wire) pastResults(messages []json.RawMessage) pastResults {
	p := pastResults{messages: make([]pastMessage, len(messages))}
	tools := map[string]string{} // by the id of the call
	turn := 0
	for i, raw := range messages {
		p.messages[i], _ = parsePast(raw)
		m := p.messages[i]
		if m.view.Role == history.Model {
			turn++
		}
		for j, b := range m.view.Blocks {
			switch b.Kind {
			case history.Call:
				if _, known := tools[b.ID]; !known && b.ID != "" {
					name, _ := m.parsed[j].Text("name")
					tools[b.ID] = w.tool(name)
				}
			case history.Result:
				text, fixed := resultText(m.parsed[j])
				p.results = append(p.results, pegboard.PastResult{CallID: b.ID, Turn: turn, Text: text, Fixed: fixed})
				p.at = append(p.at, blockIndex{i, j})
			}
		}
	}
	for i := range p.results { // a result may stand before its call
		p.results[i].Tool = tools[p.results[i].CallID]
	}
	return p
}

// resultText returns all text of a result, and whether it made tools known.
func resultText(o jsonobject.Object) (text string, fixed bool) {
	if text, ok := o.Text("content"); ok {
		return text, trim.ShowsTools(text)
	}
	var texts []string
	parts, _ := resultParts(o)
	for _, part := range parts {
		if _, ok := referenceIn(part); ok {
			fixed = true
		} else if text, ok := textIn(part); ok {
			texts = append(texts, text)
			fixed = fixed || trim.ShowsTools(text)
		}
	}
	return strings.Join(texts, "\n"), fixed
}

// withText returns a result with a text in the place of all text in it.
func withText(o jsonobject.Object, text string) json.RawMessage {
	if _, ok := o.Text("content"); ok {
		o.Set("content", jsonobject.Quote(text))
		return o.Encode()
	}
	parts, _ := resultParts(o)
	o.Set("content", jsonobject.List(trim.Replace(parts, text, func(part json.RawMessage) bool {
		_, ok := textIn(part)
		return ok
	})))
	return o.Encode()
}
