package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

// User implements [wire.Codec].
func (c *Codec) User(parts ...pegboard.Part) []json.RawMessage {
	return c.Results(&wire.Message{}, nil, parts...)
}

// Results implements [wire.Codec]: one message with the role "user".
//
// Text is sent as text, or with a MIME and a title as a document; PDF as a document, PNG,
// JPEG, GIF and WebP as images; a part with a Source as a search result, and one with a
// Tool as a reference to it. A text replaces all that the API does not take: bytes of another
// type, anything but text in a failed result, a reference to a tool that is not in the
// request, and any reference in Messages or more. A failed call whose input was no JSON object gets
// that input back as {"INVALID_JSON": "…"}.
//
// While a call of a server tool waits for its result, the API takes nothing but results
// in this message: then Messages and more become part of the last result. Without a result Results
// returns nil; send m.History alone.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	if parts, ok := textcall.Answer(m, outcomes, more, textcall.Form{Name: c.Name, Define: c.define}); ok {
		return c.User(parts...)
	}
	var content []json.RawMessage
	answers, waits := answer.WithID(m.Calls, outcomes), awaitsServer(m.History)
	more = answer.Messages(m, answers, more)
	for i, a := range answers {
		var inside []pegboard.Part
		if waits && i == len(answers)-1 {
			inside = more
		}
		content = append(content, c.toolResult(a.Call, a.Result, inside))
	}
	if !waits {
		content = append(content, place{codec: c}.blocks(more)...)
	}
	if len(content) == 0 {
		return nil
	}
	return []json.RawMessage{encodeMessage("user", content)}
}

// define words the references to tools that parts begin with, for results in the words of
// the user, which cannot hold references.
func (c *Codec) define(parts []pegboard.Part) (texts []string) {
	var found []json.RawMessage
	for _, p := range parts {
		if p.Tool == "" {
			break
		}
		name, ok := c.offered(p.Tool)
		d, _ := c.tools.Declaration(p.Tool)
		d.Strict, d.Deferred, d.Examples = false, false, nil
		input, err := inputSchema(d)
		if !ok || err != nil {
			texts = append(texts, goneTool(p.Tool))
			continue
		}
		found = append(found, encode(d, name, input, false))
	}
	if len(found) > 0 {
		texts = append(texts, history.FunctionsBlock(found))
	}
	return texts
}

// awaitsServer reports whether a call of a server tool waits for its result.
func awaitsServer(messages []json.RawMessage) bool {
	if len(messages) == 0 {
		return false
	}
	last, _ := parsePast(messages[len(messages)-1]) // one that cannot be read has no calls
	return last.awaitsServer()
}

func (c *Codec) toolResult(call pegboard.Call, r *pegboard.Result, more []pegboard.Part) json.RawMessage {
	at := place{codec: c, result: true, failed: r.IsError}
	blocks := at.blocks(r.Parts)
	if r.IsError && len(call.Input) > 0 && !jsonobject.Is(call.Input) {
		blocks = append(blocks, textBlock(string(wrapInvalid(call.Input))))
	}
	blocks = append(blocks, at.blocks(more)...)
	if r.IsError && len(blocks) == 0 { // the API refuses a failure without content
		blocks = append(blocks, textBlock(fmt.Sprintf("%s failed and did not say why. Look at what it did before you repeat it.", call.Name)))
	}
	o := object("tool_result").With("tool_use_id", jsonobject.Quote(call.ID))
	if len(blocks) > 0 {
		o.Set("content", jsonobject.List(blocks))
	}
	if r.IsError {
		o.Set("is_error", json.RawMessage("true"))
	}
	return o.Encode()
}
