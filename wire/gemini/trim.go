package gemini

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
)

// Trim returns contents with the text of those results replaced that s does not let
// out whole, to be called right before each request, on the whole conversation. s sees
// every result of a call, in order: its Turn is the number of the model's contents
// before it, and it is Fixed if it is one of [pegboard.ToolSearch] that shows the
// definitions of tools. Its CallID is the id of the call, or the name of the function if
// it has none, then # and a hash of the text, because ids may begin anew in each turn: it
// stays the same when contents are added or removed, and only equal results share one.
// It is not the ID that [Message.Calls] give to a call without one.
//
// The text of a result is what its response holds under "output" and "error", where
// [Message.Results] puts it. One text takes the place of all of it, where the first was;
// images and documents stay, and so does what else the response holds. A response
// without these is shown as JSON and replaced as a whole. What is Fixed is never
// replaced, nor is a result without text.
//
// Contents in which nothing is replaced are returned as they are, byte for byte, and so
// is every other part. The same contents and the same answers of s give the same bytes.
// Contents that cannot be read are passed over. Trim adds nothing that [Normalize] would
// have to repair; either may come first. The contents given are not changed; those
// returned share their bytes.
func (w *Wire) Trim(ctx context.Context, contents []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(contents)
	past := w.pastResults(contents)
	changed := make([]bool, len(contents))
	for i, text := range trim.Results(ctx, s, past.results) {
		at := past.at[i]
		parts := past.contents[at.content].parts
		parts[at.part], changed[at.content] = withText(parts[at.part], text), true
	}
	for i, c := range past.contents {
		if changed[i] {
			c.fields.Set("parts", jsonobject.List(c.parts))
			out[i] = c.fields.Encode()
		}
	}
	return out
}

// pastResults are the results in a conversation.
type pastResults struct {
	contents []pastContent
	results  []pegboard.HistoryResult
	at       []partIndex // of each result
}

// partIndex is where a part stands in a conversation.
type partIndex struct{ content, part int }

func (w *Wire) pastResults(contents []json.RawMessage) pastResults {
	var p pastResults
	var calls map[partIndex]function
	p.contents, calls = readPast(contents)
	turn := 0
	for i, c := range p.contents {
		if c.role == history.Model {
			turn++
			continue
		}
		for j, f := range c.functions {
			if f.kind != history.Result {
				continue
			}
			call := calls[partIndex{i, j}]
			name := cmp.Or(f.name, call.name)
			r := readResult(c.parts[j], w.tool(call.name))
			sum := sha256.Sum256([]byte(r.Text()))
			id := cmp.Or(f.id, call.id, name) + "#" + hex.EncodeToString(sum[:8])
			p.results = append(p.results, pegboard.HistoryResult{CallID: id, Tool: w.tool(name), Turn: turn, Text: r.Text(), Fixed: r.ShowsTools()})
			p.at = append(p.at, partIndex{i, j})
		}
	}
	return p
}

// readPast returns the contents of a conversation, and the calls that its results belong
// to. A result whose call is not there has none.
func readPast(contents []json.RawMessage) (past []pastContent, calls map[partIndex]function) {
	past = make([]pastContent, len(contents))
	for i, raw := range contents {
		past[i], _ = parsePast(raw)
	}
	view, _ := match(past)
	byKey := map[string]function{}
	for i, c := range past {
		for j, f := range c.functions {
			key := view[i].Blocks[j].ID
			if _, known := byKey[key]; f.kind == history.Call && !known {
				byKey[key] = f
			}
		}
	}
	calls = map[partIndex]function{}
	for i, c := range past {
		for j, f := range c.functions {
			if call, ok := byKey[view[i].Blocks[j].ID]; ok && f.kind == history.Result {
				calls[partIndex{i, j}] = call
			}
		}
	}
	return past, calls
}

// readResult reads the text of a functionResponse of a tool.
func readResult(part json.RawMessage, tool string) deferral.Result {
	_, _, _, response := responseIn(part)
	r := deferral.Result{Tool: tool, Failed: response.Get("error") != nil}
	for _, m := range response {
		if text, ok := textIn(m); ok {
			r.Texts = append(r.Texts, text)
		}
	}
	if r.Texts == nil && len(response) > 0 {
		r.Texts = []string{string(response.Encode())} // no line of JSON begins a block of definitions
	}
	return r
}

// responseIn returns the response of a functionResponse, and what it is in.
func responseIn(part json.RawMessage) (fields jsonobject.Object, member string, result, response jsonobject.Object) {
	fields, _ = jsonobject.Parse(part) // it was read before
	member, raw := functionIn(fields, history.Result)
	result, _ = jsonobject.Parse(raw)
	response, _ = jsonobject.Parse(result.Get("response")) // anything else says nothing
	return fields, member, result, response
}

// textIn returns the text that a member of a response holds.
func textIn(m jsonobject.Member) (text string, ok bool) {
	if m.Name != "output" && m.Name != "error" {
		return "", false
	}
	return jsonobject.Object{m}.Text(m.Name)
}

// withText returns a functionResponse with a text in the place of all its text.
func withText(part json.RawMessage, text string) json.RawMessage {
	fields, member, result, response := responseIn(part)
	var kept jsonobject.Object
	replaced := false
	for _, m := range response {
		if _, ok := textIn(m); !ok {
			kept = append(kept, m)
		} else if !replaced {
			kept, replaced = append(kept, jsonobject.Member{Name: m.Name, Value: jsonobject.Quote(text)}), true
		}
	}
	if !replaced { // it has a form of its own
		under := "output"
		if response.Get("error") != nil {
			under = "error"
		}
		kept = jsonobject.With(under, jsonobject.Quote(text))
	}
	result.Set("response", kept.Encode())
	fields.Set(member, result.Encode())
	return fields.Encode()
}
