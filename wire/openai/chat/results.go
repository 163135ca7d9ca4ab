package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/content"
)

// Results returns the messages that answer m: one with the role "tool" for each
// call of [Message.History], in its order, and then, if there is anything to say
// in it, one with the role "user". They belong right after History in the request.
//
// An outcome belongs to the call with its id. Of several the first counts that
// does not wrap [pegboard.ErrDuplicate]; outcomes of other calls are left out. A
// call without an outcome is answered as one that was not run, so that the request
// stays valid after any interruption.
//
// Results hold nothing but text here. Documents and search results are sent as
// text with their title and source, references to tools as their definitions, and
// a failed call says that it is one. PNG, JPEG, GIF and WebP images are announced
// in the result and follow in the message of the user, numbered; bytes of other
// types are replaced by a text that says what they were. Then comes more. A model
// that cannot see refuses a request with images.
func (m *Message) Results(outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	a := answers{wire: m.wire}
	for _, one := range answer.To(m.Calls, outcomes) {
		a.addResult(one.Call, one.Result)
	}
	a.addMore(more)
	if user := a.user(); user != nil {
		a.messages = append(a.messages, user)
	}
	return a.messages
}

// answers is what Results returns, while it is made.
type answers struct {
	wire     *Wire
	messages []json.RawMessage
	images   int

	// What the user's message holds: parts, which are the texts alone if there is
	// no image.
	parts []json.RawMessage
	texts []string
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

// render hands on parts as texts and images. Neighbouring references to tools
// become one text.
func (a *answers) render(parts []pegboard.Part, text func(string), image func(pegboard.Part)) {
	for len(parts) > 0 {
		p := parts[0]
		if p.Tool != "" {
			n := 1
			for n < len(parts) && parts[n].Tool != "" {
				n++
			}
			text(a.functions(parts[:n]))
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

// functions shows the model the definitions of tools that were found.
func (a *answers) functions(parts []pegboard.Part) string {
	var found []json.RawMessage
	var missing []string
	for _, p := range parts {
		if d := a.wire.definition(p.Tool); d != nil {
			found = append(found, d)
		} else {
			missing = append(missing, p.Tool)
		}
	}
	var texts []string
	if len(found) > 0 {
		texts = append(texts, history.FunctionsBlock(found))
	}
	if len(missing) > 0 {
		texts = append(texts, fmt.Sprintf("(Not available any more: %s. Search again.)", strings.Join(missing, ", ")))
	}
	return strings.Join(texts, "\n")
}

func (a *answers) addText(text string) {
	a.texts = append(a.texts, text)
	a.parts = append(a.parts, jsonobject.With("type", jsonobject.Quote("text")).With("text", jsonobject.Quote(text)).Encode())
}

func (a *answers) addImage(p pegboard.Part) {
	url := jsonobject.With("url", jsonobject.Quote(content.DataURL(content.Kind(p), p.Data)))
	a.parts = append(a.parts, jsonobject.With("type", jsonobject.Quote("image_url")).With("image_url", url.Encode()).Encode())
}

// user returns the message that follows the results, or nil. Text alone is sent as
// a string, which every service takes.
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
