package responses

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

// Normalize implements [wire.Codec]. The tools of c do not matter.
//
// Outputs come right after the items of the model's turn. Normalize looks at the calls
// that it can answer itself: of functions and custom tools, of apply_patch, and searches
// for tools that are left to the client. All other items stay.
//
// It is for requests that send the whole conversation. With previous_response_id the
// calls are not among the items, and their outputs would seem to be stray. With an
// item_reference among the items, no output counts as stray.
func (c *Codec) Normalize(items []json.RawMessage) ([]json.RawMessage, []wire.Repair) {
	past := readConversation(items)
	return history.Normalize(past, past.repairs, c.config.Suspended)
}

// Trim implements [wire.Codec]. Turn counts the items that the model made in a row as one
// message. The word "Error" before the text of a call that failed is part of the text.
// The answer to a search that the API left to the client is Fixed.
func (c *Codec) Trim(ctx context.Context, items []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(items)
	for at, text := range history.Trim(ctx, s, c.entries(items)) {
		if at.Said > 0 {
			out[at.Message] = textcall.Replace(out[at.Message], at, text)
			continue
		}
		out[at.Message] = withText(items[at.Message], text)
	}
	return out
}

// Loaded implements [wire.Codec]. An output whose call the API keeps makes nothing known.
func (c *Codec) Loaded(items []json.RawMessage) []string {
	return history.Loaded(c.entries(items), c.tools.Tool)
}

// Recall implements [wire.Codec]. With [Config].ClientSearch the items are a
// tool_search_call and its output. Tools that the API found by [Config].HostedSearch it
// finds again. Anything may follow the items.
func (c *Codec) Recall(tools []string) []json.RawMessage {
	search, found, ok := deferral.Recall(c.tools.Pool, tools, "call_", func(tool string) bool { return len(c.definitions([]string{tool})) > 0 })
	if !ok {
		return nil
	}
	id := jsonobject.Quote(search.ID)
	var item jsonobject.Object
	if c.isSearch(search.Name) {
		item = jsonobject.With("type", jsonobject.Quote("tool_search_call")).With("call_id", id).
			With("execution", jsonobject.Quote("client")).With("status", jsonobject.Quote("completed")).
			With("arguments", search.Input)
	} else {
		item = jsonobject.With("type", jsonobject.Quote("function_call")).With("call_id", id).
			With("name", jsonobject.Quote(c.Name(search.Name))).With("arguments", jsonobject.Quote(string(search.Input)))
	}
	m := wire.Message{Calls: []pegboard.Call{search}, History: []json.RawMessage{item.Encode()}}
	return append(m.History, c.Results(&m, found)...)
}

// entries reads a conversation. An output may stand before its call.
func (c *Codec) entries(items []json.RawMessage) (entries []history.Entry) {
	past := make([]pastItem, len(items))
	called := map[string]string{} // by the IDs of blocks, the tool that the first call is of
	for i, raw := range items {
		past[i], _ = parsePast(raw) // one that cannot be read has the role Other
		b := past[i].block
		if _, known := called[b.ID]; b.Kind == history.Call && !known && b.ID != "" {
			called[b.ID] = c.calledTool(raw)
		}
	}
	turn, speaking := 0, false
	for i, item := range past {
		if item.role == history.Other {
			continue // a message of the system does not end a turn
		}
		model := item.role == history.Model
		if model && !speaking {
			turn++
		}
		speaking = model
		e := history.Entry{At: history.Ref{Message: i}}
		o, _ := jsonobject.Parse(items[i]) // it was read before
		kind, _ := o.Text("type")
		switch kind {
		case "function_call":
			name, _ := o.Text("name")
			e.Names = []string{name}
		case "tool_search_output":
			e.Names = namesIn(o.Get("tools"))
		}
		if item.block.Kind == history.Result {
			e.Past = readOutput(o)
			e.Past.CallID, e.Past.Tool, e.Past.Turn = callID(item.block.ID), called[item.block.ID], turn
			e.Past.Search = kind == "function_call_output" && e.Past.Tool == history.SearchTool
			e.Past.Refers = kind == "tool_search_output"
		}
		entries = append(entries, e)
	}
	if c.config.TextCalls {
		entries = textcall.AddPast(entries, items, c.tools.Schema, c.tools.Tool, func(at history.Ref) int { return at.Message })
	}
	return entries
}

// calledTool returns the tool that an item calls, or "" if the item does not say.
func (c *Codec) calledTool(raw json.RawMessage) string {
	o, _ := jsonobject.Parse(raw) // it was read before
	if kind, _ := o.Text("type"); kind == "tool_search_call" {
		return c.searchTool()
	}
	name, _ := o.Text("name")
	return c.tools.Tool(name)
}

// namesIn returns the names of functions, and of those in namespaces.
func namesIn(list json.RawMessage) (names []string) {
	var tools []struct {
		Type, Name string
		Tools      json.RawMessage
	}
	_ = json.Unmarshal(list, &tools)
	for _, t := range tools {
		if t.Type == "namespace" {
			names = append(names, namesIn(t.Tools)...)
		} else {
			names = append(names, t.Name)
		}
	}
	return names
}

// readOutput reads the text of an output of a tool. The output of a search has none.
func readOutput(o jsonobject.Object) *history.PastResult {
	r := &history.PastResult{}
	if kind, _ := o.Text("type"); kind == "tool_search_output" {
		return r
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
	o, _ := jsonobject.Parse(part) // anything but an object has none
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
	o.Set("output", jsonobject.List(history.ReplaceText(parts, text, func(part json.RawMessage) bool {
		_, ok := textIn(part)
		return ok
	})))
	return o.Encode()
}
