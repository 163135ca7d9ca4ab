package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Results returns the content that answers m, with the role "user": one
// functionResponse for each call of [Message.History], in its order, and then more.
// It belongs right after History in the request. It is nil if there is nothing to
// say.
//
// An outcome belongs to the call with its id. Of several the first counts that does
// not wrap [pegboard.ErrDuplicate]; outcomes of other calls are left out. A call
// without an outcome is answered as one that was not run, so that the request stays
// valid after any interruption.
//
// The text of a result is one string, under "output", or under "error" if the call
// failed. Text that is itself JSON stays text: as an object it would pass through
// numbers of 64 bits and lose the order of its members. PNG, JPEG and WebP images
// and PDF documents go with the result; see [MediaBeside]. Bytes of other types are
// replaced by a text that says what they were. A reference to a tool becomes the
// tool's whole definition, as it is in [Wire.Tools], in a <functions> block.
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
	w := m.wire
	if w == nil {
		w = &Wire{}
	}
	var content, beside []json.RawMessage
	for _, c := range m.answerable() {
		response, media := w.functionResponse(m.asked[c.ID], c, byID[c.ID])
		content = append(content, response)
		beside = append(beside, media...)
	}
	content = append(append(content, beside...), w.parts(more)...)
	if len(content) == 0 {
		return nil
	}
	return []json.RawMessage{encodeContent("user", content)}
}

// answerable returns the calls that want a result: one for each id.
func (m *Message) answerable() []pegboard.Call {
	seen := map[string]bool{}
	var calls []pegboard.Call
	for _, c := range m.Calls {
		if !seen[c.ID] {
			seen[c.ID] = true
			calls = append(calls, c)
		}
	}
	return calls
}

// functionResponse returns the part that answers a call, and the parts that belong
// beside it.
func (w *Wire) functionResponse(asked askedCall, c pegboard.Call, r *pegboard.Result) (response json.RawMessage, beside []json.RawMessage) {
	if r == nil {
		r = &pegboard.Result{IsError: true, Parts: []pegboard.Part{{
			Text: fmt.Sprintf("%s was not run: the turn was interrupted. Repeat the call if it is still wanted.", c.Name),
		}}}
	}
	if asked.name == "" { // the message was not read here
		asked = askedCall{id: c.ID, name: w.names.API(c.Name)}
	}
	texts, media := w.render(r.Parts)
	if len(media) > 0 && w.mediaBeside {
		texts = append(texts, "(The files of this result follow after the last result.)")
		beside = append([]json.RawMessage{textPart("Files of the result of " + asked.name + ":")}, media...)
		media = nil
	}
	under := "output"
	if r.IsError {
		under = "error"
		if len(texts) == 0 {
			texts = append(texts, c.Name+" failed and did not say why. Look at what it did before you repeat it.")
		}
	}
	var o jsonobject.Object
	if asked.id != "" {
		o.Set("id", jsonobject.Quote(asked.id))
	}
	o.Set("name", jsonobject.Quote(asked.name))
	o.Set("response", jsonobject.With(under, jsonobject.Quote(strings.Join(texts, "\n"))).Encode())
	if len(media) > 0 {
		o.Set("parts", jsonobject.List(media))
	}
	return jsonobject.With("functionResponse", o.Encode()).Encode(), beside
}

// parts returns parts that stand for themselves.
func (w *Wire) parts(parts []pegboard.Part) (content []json.RawMessage) {
	for _, p := range parts {
		texts, media := w.render([]pegboard.Part{p})
		for _, text := range texts {
			content = append(content, textPart(text))
		}
		content = append(content, media...)
	}
	return content
}

func textPart(text string) json.RawMessage {
	return jsonobject.With("text", jsonobject.Quote(text)).Encode()
}
