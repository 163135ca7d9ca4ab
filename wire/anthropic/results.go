package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Results returns the message that answers m, with the role "user": one result
// for each call of [Message.History], in its order, and then more. It belongs
// right after History in the request. It is nil if there is nothing to say.
//
// An outcome belongs to the call with its id. Of several the first counts that
// does not wrap [pegboard.ErrDuplicate]; outcomes of other calls, and those
// without an id, which the API cannot match, are left out. A call without an
// outcome is answered as one that was not run, so that the request stays valid
// after any interruption.
//
// Text is sent as text, or with a MIME and a title as a document; PDF as a document,
// PNG, JPEG, GIF and WebP as images; a part with a Source as a search result, and one
// with a Tool as a reference to it. What the API does not take is replaced by a text
// that says so: bytes of another type, anything but text in a failed result, a
// reference to a tool that is not in the request, and one in more. A failed call whose
// input was no JSON object gets that input back as {"INVALID_JSON": "…"}.
//
// While a call of a server tool still waits for its result, the API takes
// nothing but results in this message: then more becomes part of the last one,
// and without a result the answer is nil; send History alone.
func (m *Message) Results(outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	byID := map[string]*pegboard.Result{}
	for _, o := range outcomes {
		if o.Call == nil || o.Result == nil || errors.Is(o.Err, pegboard.ErrDuplicate) {
			continue
		}
		if _, ok := byID[o.Call.ID]; !ok {
			byID[o.Call.ID] = o.Result
		}
	}
	calls := m.answerable()
	var content []json.RawMessage
	for i, c := range calls {
		var inside []pegboard.Part
		if m.pending && i == len(calls)-1 {
			inside = more
		}
		content = append(content, m.toolResult(c, byID[c.ID], inside))
	}
	if !m.pending {
		content = append(content, place{wire: m.wire}.blocks(more)...)
	}
	if len(content) == 0 {
		return nil
	}
	return []json.RawMessage{encodeMessage("user", content)}
}

// answerable returns the calls that want a result: one for each id.
func (m *Message) answerable() []pegboard.Call {
	seen := map[string]bool{"": true}
	var calls []pegboard.Call
	for _, c := range m.Calls {
		if !seen[c.ID] {
			seen[c.ID] = true
			calls = append(calls, c)
		}
	}
	return calls
}

func (m *Message) toolResult(c pegboard.Call, r *pegboard.Result, more []pegboard.Part) json.RawMessage {
	if r == nil {
		r = &pegboard.Result{IsError: true, Parts: []pegboard.Part{{
			Text: fmt.Sprintf("%s was not run: the turn was interrupted. Repeat the call if it is still wanted.", c.Name),
		}}}
	}
	at := place{wire: m.wire, result: true, failed: r.IsError}
	blocks := at.blocks(r.Parts)
	if r.IsError && len(c.Input) > 0 && !jsonobject.Is(c.Input) {
		blocks = append(blocks, textBlock(string(wrapInvalid(c.Input))))
	}
	blocks = append(blocks, at.blocks(more)...)
	if r.IsError && len(blocks) == 0 { // the API refuses a failure without content
		blocks = append(blocks, textBlock(fmt.Sprintf("%s failed and did not say why. Look at what it did before you repeat it.", c.Name)))
	}
	o := object("tool_result").With("tool_use_id", jsonobject.Quote(c.ID))
	if len(blocks) > 0 {
		o.Set("content", jsonobject.List(blocks))
	}
	if r.IsError {
		o.Set("is_error", json.RawMessage("true"))
	}
	return o.Encode()
}
