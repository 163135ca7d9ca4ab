package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
	"github.com/seed49eaa51d/pegboard/wire/internal/textcall"
)

// User implements [wire.Codec].
func (c *Codec) User(parts ...pegboard.Part) []json.RawMessage {
	return c.Results(&wire.Message{}, nil, parts...)
}

// Results implements [wire.Codec]: one message with the role "tool" for each call, and
// one with the role "user" for images, Messages and more, if there are any.
//
// Results hold nothing but text here. Documents and search results are sent as text with
// their title and source, references to tools as their definitions, and a failed call
// says that it is one. PNG, JPEG, GIF and WebP images are announced in the result and
// follow in the message of the user, numbered; a model that cannot see refuses a request
// with images. Bytes of other types are replaced by a text that describes them.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	if parts, ok := textcall.Answer(m, outcomes, more, textcall.Form{Name: c.Name, Define: c.tools.Definitions}); ok {
		return c.User(parts...)
	}
	a := answers{codec: c}
	pairs := answer.WithID(m.Calls, outcomes)
	for _, one := range pairs {
		a.addResult(one.Call, one.Result)
	}
	a.addMore(answer.Messages(m, pairs, more))
	if user := a.user(); user != nil {
		a.messages = append(a.messages, user)
	}
	return a.messages
}

// answers are the messages that Results returns, while they are made.
type answers struct {
	codec    *Codec
	messages []json.RawMessage
	images   int

	parts []json.RawMessage // of the user's message
	texts []string          // of the parts that are text
}

func (a *answers) addResult(c pegboard.Call, r *pegboard.Result) {
	var texts []string
	a.render(r.Parts, func(text string) { texts = append(texts, text) }, func(p pegboard.Part) {
		a.images++
		texts = append(texts, fmt.Sprintf("(Image %d follows in a message of its own.)", a.images))
		a.addText(fmt.Sprintf("Image %d, from the result of %s:", a.images, c.Name))
		a.addImage(p)
	})
	text := strings.Join(texts, "\n")
	switch {
	case r.IsError:
		text = content.Failure(text)
	case strings.TrimSpace(text) == "":
		text = "(no output)" // some services refuse empty content
	}
	a.messages = append(a.messages, toolMessage(jsonobject.Quote(c.ID), text))
}

func toolMessage(id json.RawMessage, text string) json.RawMessage {
	return jsonobject.With("role", jsonobject.Quote("tool")).With("tool_call_id", id).With("content", jsonobject.Quote(text)).Encode()
}

func (a *answers) addMore(parts []pegboard.Part) { a.render(parts, a.addText, a.addImage) }

// render calls text and image for each part. Neighbouring references to tools become one
// text.
func (a *answers) render(parts []pegboard.Part, text func(string), image func(pegboard.Part)) {
	for len(parts) > 0 {
		p := parts[0]
		if p.Tool != "" {
			n := 1
			for n < len(parts) && parts[n].Tool != "" {
				n++
			}
			text(strings.Join(a.codec.tools.Definitions(parts[:n]), "\n"))
			parts = parts[n:]
			continue
		}
		parts = parts[1:]
		if content.IsImage(content.Kind(p)) {
			image(p)
		} else if t := content.Text(p, "text and PNG, JPEG, GIF and WebP images"); t != "" {
			text(t)
		}
	}
}

func (a *answers) addText(text string) {
	a.texts = append(a.texts, text)
	a.parts = append(a.parts, jsonobject.With("type", jsonobject.Quote("text")).With("text", jsonobject.Quote(text)).Encode())
}

func (a *answers) addImage(p pegboard.Part) {
	url := jsonobject.With("url", jsonobject.Quote(content.DataURL(content.Kind(p), p.Data)))
	a.parts = append(a.parts, jsonobject.With("type", jsonobject.Quote("image_url")).With("image_url", url.Encode()).Encode())
}

// user returns the message of the user that follows the results, or nil. Text alone is
// sent as a string, which every service takes.
func (a *answers) user() json.RawMessage {
	if len(a.parts) == 0 {
		return nil
	}
	text := jsonobject.Quote(strings.Join(a.texts, "\n"))
	if len(a.texts) < len(a.parts) {
		text = jsonobject.List(a.parts)
	}
	return jsonobject.With("role", jsonobject.Quote("user")).With("content", text).Encode()
}
