package responses

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
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/content"
)

// Trim returns items with the text of those outputs replaced that s does not let out
// whole, to be called right before each request, on all items as they were and not as
// Trim returned them before. s sees every output of a tool of the client, in order: its
// Turn is the number of the model's messages before it, in each of which are all items
// that the model made in a row, and it is Fixed if it answers a search that the API left
// to the client, or is one of [pegboard.ToolSearch] that shows definitions of tools.
//
// One text takes the place of all text of an output, where the first was; the word
// "Error" before the text of a call that failed is part of it. Images and files stay,
// and so does the status. What is Fixed is never replaced, nor is an output without
// text.
//
// Items in which nothing is replaced are returned as they are, byte for byte, and so is
// every other part. The same items and the same answers of s give the same bytes. Items
// that cannot be read are passed over. Trim adds nothing that [Normalize] would have to
// repair; either may come first. The items given are not changed; those returned share
// their bytes.
func (w *Wire) Trim(ctx context.Context, items []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(items)
	results, at := w.pastResults(items)
	for i, text := range trim.Results(ctx, s, results) {
		out[at[i]] = withText(items[at[i]], text)
	}
	return out
}

// pastResults returns the outputs of a conversation, and which items they are.
func (w *Wire) pastResults(items []json.RawMessage) (results []pegboard.HistoryResult, at []int) {
	past, called := w.readCalls(items)
	turn, speaking := 0, false
	for i, item := range past {
		if item.role == history.Other {
			continue // what the system says does not end a turn
		}
		model := item.role == history.Model
		if model && !speaking {
			turn++
		}
		speaking = model
		if b := item.block; b.Kind == history.Result {
			o, _ := jsonobject.Parse(items[i]) // it was read before
			r := readOutput(o, called[b.ID])
			kind, _ := o.Text("type")
			fixed := kind == "tool_search_output" || kind == "function_call_output" && r.ShowsTools()
			results = append(results, pegboard.HistoryResult{CallID: callID(b.ID), Tool: r.Tool, Turn: turn, Text: r.Text(), Fixed: fixed})
			at = append(at, i)
		}
	}
	return results, at
}

// readCalls returns what the items of a conversation are, and the tools that the model
// called, by the IDs of the blocks of the calls. An output may stand before its call.
// What cannot be read has the role Other.
func (w *Wire) readCalls(items []json.RawMessage) (past []pastItem, called map[string]string) {
	past, called = make([]pastItem, len(items)), map[string]string{}
	for i, raw := range items {
		item, ok := parsePast(raw)
		if !ok {
			continue
		}
		past[i] = item
		b := item.block
		if _, known := called[b.ID]; b.Kind == history.Call && !known && b.ID != "" {
			called[b.ID] = w.called(raw)
		}
	}
	return past, called
}

// called returns the tool that an item calls, or "" if it does not tell.
func (w *Wire) called(raw json.RawMessage) string {
	o, _ := jsonobject.Parse(raw) // it was read before
	if kind, _ := o.Text("type"); kind == "tool_search_call" {
		return w.searchTool()
	}
	name, _ := o.Text("name")
	return w.tool(name)
}

// readOutput reads the text of an output of a tool.
func readOutput(o jsonobject.Object, tool string) deferral.Result {
	r := deferral.Result{Tool: tool}
	if kind, _ := o.Text("type"); kind == "tool_search_output" {
		return r // it holds none that counts
	}
	if text, ok := o.Text("output"); ok {
		r.Texts = []string{text}
	} else {
		var parts []json.RawMessage
		_ = json.Unmarshal(o.Get("output"), &parts) // anything else has no text
		for _, p := range parts {
			if text, ok := textIn(p); ok {
				r.Texts = append(r.Texts, text)
			}
		}
	}
	r.Failed = content.Failed(r.Text())
	return r
}

// textIn returns the text of a part of an output.
func textIn(part json.RawMessage) (text string, ok bool) {
	o, _ := jsonobject.Parse(part) // what is no object has none
	return o.Text("text")
}

// withText returns an output with a text in the place of all text in it.
func withText(raw json.RawMessage, text string) json.RawMessage {
	o, _ := jsonobject.Parse(raw) // it was read before
	if _, ok := o.Text("output"); ok {
		o.Set("output", jsonobject.Quote(text))
		return o.Encode()
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(o.Get("output"), &parts)
	o.Set("output", jsonobject.List(trim.Replace(parts, text, func(part json.RawMessage) bool {
		_, ok := textIn(part)
		return ok
	})))
	return o.Encode()
}
