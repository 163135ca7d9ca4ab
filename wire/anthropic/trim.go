package anthropic

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
)

// Trim returns messages with the text of those results replaced that s does not let
// out whole, to be called right before each request, on all messages as they were and
// not as Trim returned them before. s sees every result of a tool of the client, in
// order: its Turn is the number of the model's messages before it, and it is Fixed if it
// refers to tools, or is one of [pegboard.ToolSearch] that shows their definitions.
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
	results  []pegboard.HistoryResult
	at       []blockIndex // of each result
}

// blockIndex is where a block stands in a conversation.
type blockIndex struct{ message, block int }

func (w *Wire) pastResults(messages []json.RawMessage) (p pastResults) {
	past, called := w.readPast(messages)
	p.messages = past
	turn := 0
	for i, m := range past {
		if m.view.Role == history.Model {
			turn++
		}
		for j, b := range m.view.Blocks {
			if b.Kind != history.Result {
				continue
			}
			r := readResult(m.parsed[j], called[b.ID])
			parts, _ := resultParts(m.parsed[j])
			fixed := len(referencesIn(parts)) > 0 || r.ShowsTools()
			p.results = append(p.results, pegboard.HistoryResult{CallID: b.ID, Tool: r.Tool, Turn: turn, Text: r.Text(), Fixed: fixed})
			p.at = append(p.at, blockIndex{i, j})
		}
	}
	return p
}

// readPast returns the messages of a conversation, and the tools that the model called,
// by the ids of the calls. A result may stand before its call.
func (w *Wire) readPast(messages []json.RawMessage) (past []pastMessage, called map[string]string) {
	past, called = make([]pastMessage, len(messages)), map[string]string{}
	for i, raw := range messages {
		m, _ := parsePast(raw) // or it is empty
		past[i] = m
		for j, b := range m.view.Blocks {
			if b.Kind != history.Call || m.view.Role != history.Model || b.ID == "" {
				continue
			}
			if _, known := called[b.ID]; !known {
				name, _ := m.parsed[j].Text("name")
				called[b.ID] = w.tool(name)
			}
		}
	}
	return past, called
}

// readResult reads the text of a result of a tool.
func readResult(o jsonobject.Object, tool string) deferral.Result {
	r := deferral.Result{Tool: tool, Failed: string(o.Get("is_error")) == "true"}
	if text, ok := o.Text("content"); ok {
		r.Texts = []string{text}
		return r
	}
	parts, _ := resultParts(o)
	for _, part := range parts {
		if text, ok := textIn(part); ok {
			r.Texts = append(r.Texts, text)
		}
	}
	return r
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
