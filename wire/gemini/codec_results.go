package gemini

import (
	"encoding/json"
	"strings"

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

// Results implements [wire.Codec]: one content with the role "user". A call to which the
// API gave no id is answered by its name and order, as the API wants it.
//
// The text of a result is one string, under "output", or under "error" if the call failed.
// Text that is itself JSON stays text: as an object it would round numbers of 64 bits and
// lose the order of its members. PNG, JPEG and WebP images and PDF documents go with the
// result; see [Config].MediaBeside. Bytes of other types are replaced by a text that
// describes them. A reference to a tool becomes the tool's whole definition in a
// <functions> block.
func (c *Codec) Results(m *wire.Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage {
	if answer.Suspended(outcomes) {
		return nil
	}
	if parts, ok := textcall.Answer(m, outcomes, more, textcall.Form{Name: c.Name, Define: c.tools.Definitions}); ok {
		return c.User(parts...)
	}
	var parts, beside []json.RawMessage
	sent := functionCalls(m.History)
	answers := answer.To(m.Calls, outcomes)
	for _, a := range answers {
		asked := function{id: a.Call.ID, name: c.Name(a.Call.Name)} // unless History holds the call
		for i, f := range sent {
			if f.id == a.Call.ID || f.id == "" && c.tools.Names.Tool(f.name) == a.Call.Name {
				asked, sent = f, sent[i+1:]
				break
			}
		}
		response, media := c.functionResponse(asked, a)
		parts = append(parts, response)
		beside = append(beside, media...)
	}
	parts = append(append(parts, beside...), c.parts(answer.Messages(m, answers, more))...)
	if len(parts) == 0 {
		return nil
	}
	return []json.RawMessage{encodeContent("user", parts)}
}

// functionCalls returns the calls in a message of the model.
func functionCalls(contents []json.RawMessage) (calls []function) {
	for _, content := range contents {
		o, _ := jsonobject.Parse(content)
		var parts []json.RawMessage
		_ = json.Unmarshal(o.Get("parts"), &parts) // anything but a list holds no calls
		for _, part := range parts {
			fields, _ := jsonobject.Parse(part)
			f, err := jsonobject.Parse(fields.Get("functionCall"))
			if err != nil {
				continue
			}
			call := function{kind: history.Call}
			call.id, _ = f.Text("id")
			call.name, _ = f.Text("name")
			calls = append(calls, call)
		}
	}
	return calls
}

// functionResponse returns the part that answers a call, which the API knows as asked, and
// the parts that belong beside it.
func (c *Codec) functionResponse(asked function, a answer.Answer) (response json.RawMessage, beside []json.RawMessage) {
	r := a.Result
	texts, media := c.render(r.Parts)
	if len(media) > 0 && c.config.MediaBeside {
		texts = append(texts, "(The files of this result follow after the last result.)")
		beside = append([]json.RawMessage{textPart("Files of the result of " + asked.name + ":")}, media...)
		media = nil
	}
	under := "output"
	if r.IsError {
		under = "error"
		if len(texts) == 0 {
			texts = append(texts, a.Call.Name+" failed and did not say why. Look at what it did before you repeat it.")
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

// parts returns parts that are not in a result.
func (c *Codec) parts(parts []pegboard.Part) (content []json.RawMessage) {
	for _, p := range parts {
		texts, media := c.render([]pegboard.Part{p})
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
