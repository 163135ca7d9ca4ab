package gemini

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/history"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/trim"
)

// Trim returns contents with the text of those results replaced that s does not let
// out whole, to be called right before each request, on the whole conversation. s sees
// every result of a call, in order: its Turn is the number of the model's contents
// before it, and it is Fixed if it shows the definitions of tools. Its CallID is the id
// of the call, or the name of the function if it has none, then # and a hash of the
// text, because ids may begin anew in each turn: it stays the same when contents are
// added or removed, and only equal results share one. It is not the ID that
// [Message.Calls] give to a call without one.
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
	results  []pegboard.PastResult
	at       []partIndex // of each result
}

// partIndex is where a part stands in a conversation.
type partIndex struct{ content, part int }

func (w *Wire) pastResults(contents []json.RawMessage) pastResults {
	p := pastResults{contents: make([]pastContent, len(contents))}
	for i, raw := range contents {
		p.contents[i], _ = parsePast(raw)
	}
	view, _ := match(p.contents)
	calls := map[string]function{} // by their keys
	for i, c := range p.contents {
		for j, f := range c.functions {
			if f.kind == history.Call {
				calls[view[i].Blocks[j].ID] = f
			}
		}
	}
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
			call := calls[view[i].Blocks[j].ID]
			name := cmp.Or(f.name, call.name)
			r := readResult(c.parts[j])
			sum := sha256.Sum256([]byte(r.Text))
			r.CallID = cmp.Or(f.id, call.id, name) + "#" + hex.EncodeToString(sum[:8])
			r.Tool, r.Turn = w.tool(name), turn
			p.results, p.at = append(p.results, r), append(p.at, partIndex{i, j})
		}
	}
	return p
}

// readResult reads the text of a functionResponse.
func readResult(part json.RawMessage) (r pegboard.PastResult) {
	_, _, _, response := responseIn(part)
	var said []string
	for _, m := range response {
		if text, ok := textIn(m); ok {
			said = append(said, text)
		}
	}
	if said == nil && len(response) > 0 {
		return pegboard.PastResult{Text: string(response.Encode())}
	}
	return pegboard.PastResult{Text: strings.Join(said, "\n"), Fixed: slices.ContainsFunc(said, trim.ShowsTools)}
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
