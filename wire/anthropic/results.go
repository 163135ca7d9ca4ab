package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"

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
// Text is sent as text, and PNG, JPEG, GIF and WebP as images. Bytes of another
// type are replaced by a text that says what they were. A failed call whose
// input was no JSON object gets that input back as {"INVALID_JSON": "…"}.
//
// While a call of a server tool still waits for its result, the API takes
// nothing but results in this message: then more becomes part of the last one,
// and without a result the answer is nil; send History alone.
func (m *Message) Results(outcomes []pegboard.Outcome, more ...pegboard.Part) json.RawMessage {
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
		content = append(content, toolResult(c, byID[c.ID], inside))
	}
	if !m.pending {
		content = append(content, encodeParts(more)...)
	}
	if len(content) == 0 {
		return nil
	}
	return encodeMessage("user", content)
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

func toolResult(c pegboard.Call, r *pegboard.Result, more []pegboard.Part) json.RawMessage {
	if r == nil {
		r = &pegboard.Result{IsError: true, Parts: []pegboard.Part{{
			Text: fmt.Sprintf("%s was not run: the turn was interrupted. Repeat the call if it is still wanted.", c.Name),
		}}}
	}
	parts := encodeParts(r.Parts)
	if r.IsError && len(c.Input) > 0 && !jsonobject.Is(c.Input) {
		parts = append(parts, textBlock(string(wrapInvalid(c.Input))))
	}
	parts = append(parts, encodeParts(more)...)
	o := jsonobject.With("type", jsonobject.Quote("tool_result")).With("tool_use_id", jsonobject.Quote(c.ID))
	if len(parts) > 0 {
		o.Set("content", jsonobject.List(parts))
	}
	if r.IsError {
		o.Set("is_error", json.RawMessage("true"))
	}
	return o.Encode()
}

// encodeParts returns parts as content blocks.
func encodeParts(parts []pegboard.Part) []json.RawMessage {
	var blocks []json.RawMessage
	for _, p := range parts {
		kind := imageType(p)
		switch {
		case kind != "":
			source := jsonobject.With("type", jsonobject.Quote("base64")).With("media_type", jsonobject.Quote(kind)).With("data", jsonobject.Quote(base64.StdEncoding.EncodeToString(p.Data)))
			blocks = append(blocks, jsonobject.With("type", jsonobject.Quote("image")).With("source", source.Encode()).Encode())
		case p.MIME != "":
			blocks = append(blocks, textBlock(fmt.Sprintf("(%d bytes of type %s were left out: only text and PNG, JPEG, GIF and WebP "+
				"images can be shown. Ask for the content in one of these forms.)", len(p.Data), p.MIME)))
		case !blank(p.Text):
			blocks = append(blocks, textBlock(p.Text))
		}
	}
	return blocks
}

// imageType returns the media type of an image that the API takes, or "".
func imageType(p pegboard.Part) string {
	if p.MIME == "" || len(p.Data) == 0 {
		return ""
	}
	kind, _, err := mime.ParseMediaType(p.MIME)
	if err != nil {
		return ""
	}
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	case "image/jpg":
		return "image/jpeg"
	}
	return ""
}

func textBlock(text string) json.RawMessage {
	return jsonobject.With("type", jsonobject.Quote("text")).With("text", jsonobject.Quote(text)).Encode()
}

// blank reports whether a text holds nothing but white space.
func blank(text string) bool { return strings.TrimSpace(text) == "" }
