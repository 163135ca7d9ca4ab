package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

// Normalize implements [wire.Codec]. The tools of c do not matter. Responses come first in
// the user's content right after the model's.
//
// A response with an id belongs to the call with this id and its name, one without an id
// to the first call of its name that has no response yet; where several turns qualify, to
// the one right before it. Ids may begin anew in each turn.
func (c *Codec) Normalize(contents []json.RawMessage) ([]json.RawMessage, []wire.Repair) {
	past := readConversation(contents)
	return history.Normalize(past, past.repairs, c.config.Suspended)
}

// Trim implements [wire.Codec].
//
// The text of a result is the members "output" and "error" of its response, where Results
// puts it. Other members stay. A response without these two is shown as JSON and replaced
// as a whole.
func (c *Codec) Trim(ctx context.Context, contents []json.RawMessage, s wire.Trimmer) []json.RawMessage {
	out := slices.Clone(contents)
	past, entries := c.entries(contents)
	changed := make([]bool, len(contents))
	for at, text := range history.Trim(ctx, s, entries) {
		if at.Said > 0 {
			out[at.Message] = textcall.Replace(out[at.Message], at, text)
			continue
		}
		parts := past[at.Message].parts
		parts[at.Block], changed[at.Message] = withText(parts[at.Block], text), true
	}
	for i, content := range past {
		if changed[i] {
			out[i] = content.with(content.parts)
		}
	}
	return out
}

// Loaded implements [wire.Codec]. A result belongs to the same call as in Normalize.
func (c *Codec) Loaded(contents []json.RawMessage) []string {
	_, entries := c.entries(contents)
	return history.Loaded(entries, c.tools.Tool)
}

// unsigned takes the place of the signature of a call that no model made. Gemini 3 refuses
// a call without a signature.
//
// source: Gemini API documentation, thought signatures: this text is for calls that a
// client puts into the contents.
const unsigned = "skip_thought_signature_validator"

// Recall implements [wire.Codec]. Where roles must alternate, the next words of the user
// go into the second content, behind its part. The call has no id, like those of many
// models, and as its signature the text that the API documents for calls that no model
// made.
func (c *Codec) Recall(tools []string) []json.RawMessage {
	search, found, ok := deferral.Recall(c.tools.Pool, tools, "", c.tools.Sendable)
	if !ok {
		return nil
	}
	function := jsonobject.With("name", jsonobject.Quote(c.Name(search.Name))).With("args", search.Input)
	part := jsonobject.With("functionCall", function.Encode()).With("thoughtSignature", jsonobject.Quote(unsigned))
	m := wire.Message{Calls: []pegboard.Call{search}, History: []json.RawMessage{encodeContent("model", []json.RawMessage{part.Encode()})}}
	return append(m.History, c.Results(&m, found)...)
}

// entries reads a conversation.
func (c *Codec) entries(contents []json.RawMessage) (past []pastContent, entries []history.Entry) {
	read := readConversation(contents)
	calls := map[string]function{} // by the keys of their blocks
	for i, content := range read.contents {
		for j, f := range content.functions {
			key := read.view[i].Blocks[j].ID
			if _, known := calls[key]; f.kind == history.Call && !known {
				calls[key] = f
			}
		}
	}
	turn := 0
	for i, content := range read.contents {
		if content.role == history.Model {
			turn++
		}
		for j, f := range content.functions {
			e := history.Entry{At: history.Ref{Message: i, Block: j}}
			switch {
			case f.kind == history.Call && content.role == history.Model:
				e.Names = []string{f.name}
			case f.kind == history.Result && content.role != history.Model:
				call := calls[read.view[i].Blocks[j].ID]
				name := cmp.Or(f.name, call.name)
				e.Past = readResult(content.parts[j])
				e.Past.CallID, e.Past.Tool, e.Past.Turn = cmp.Or(f.id, call.id, name), c.tools.Tool(name), turn
				e.Past.Search = c.tools.Tool(call.name) == history.SearchTool
			default:
				continue
			}
			entries = append(entries, e)
		}
	}
	if c.config.TextCalls {
		entries = textcall.AddPast(entries, contents, c.tools.Schema, c.tools.Tool, func(at history.Ref) int { return at.Message })
	}
	return read.contents, entries
}
