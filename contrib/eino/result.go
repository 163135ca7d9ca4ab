package eino

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/seed49eaa51d/pegboard"
)

// A StopError ends a run of eino, since an outcome has StopTurn: a person, a hook, a budget or the
// loop breaker ends the turn, or a call is suspended. Find it with [errors.As] in the error of the
// run. Only the run has ended: all calls have results.
type StopError struct {
	outcomes func() []pegboard.Outcome
}

// Error tells that the turn has ended.
func (e *StopError) Error() string { return "eino: the turn has ended" }

// Outcomes returns those of the message, in the order of its calls, as [pegboard.Executor.Run]
// does: for [pegboard.Session.Suspension], for example. It waits for calls that still run.
func (e *StopError) Outcomes() []pegboard.Outcome { return slices.Clone(e.outcomes()) }

// Messages returns the results of the message, to be appended to the history before the user's
// next message.
func (e *StopError) Messages() []*schema.Message { return messagesOf(e.outcomes()) }

// stopped returns a *StopError if one of the outcomes of a whole message ends the turn.
func stopped(outcomes ...pegboard.Outcome) error {
	if !stops(outcomes) {
		return nil
	}
	return &StopError{outcomes: func() []pegboard.Outcome { return outcomes }}
}

func stops(outcomes []pegboard.Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return o.StopTurn })
}

// messagesOf returns results, and then what tools say in the user's place.
func messagesOf(outcomes []pegboard.Outcome) []*schema.Message {
	var results []*schema.Message
	var words []pegboard.Part
	for _, o := range outcomes {
		m := schema.ToolMessage("", o.Call.ID, schema.WithToolName(o.Call.Name))
		m.Content, m.UserInputMultiContent = contentOf(o.Result.Parts)
		results = append(results, m)
		words = append(words, o.Result.Messages...)
	}
	if len(words) > 0 {
		m := schema.UserMessage("")
		m.Content, m.UserInputMultiContent = contentOf(words)
		results = append(results, m)
	}
	return results
}

// contentOf returns parts as a text, or as a list if one of them has bytes.
func contentOf(parts []pegboard.Part) (string, []schema.MessageInputPart) {
	if !slices.ContainsFunc(parts, func(p pegboard.Part) bool { return len(p.Data) > 0 }) {
		return textOf(&pegboard.Result{Parts: parts}), nil
	}
	var list []schema.MessageInputPart
	for _, p := range parts {
		if text := textOfPart(p); text != "" {
			list = append(list, schema.MessageInputPart{Type: schema.ChatMessagePartTypeText, Text: text})
		}
		if len(p.Data) > 0 {
			list = append(list, bytesOf(p))
		}
	}
	return "", list
}

// bytesOf returns the bytes of a part.
func bytesOf(p pegboard.Part) schema.MessageInputPart {
	data := base64.StdEncoding.EncodeToString(p.Data)
	common := schema.MessagePartCommon{Base64Data: &data, MIMEType: p.MIME}
	switch kind, _, _ := strings.Cut(p.MIME, "/"); kind {
	case "image":
		return schema.MessageInputPart{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageInputImage{MessagePartCommon: common}}
	case "audio":
		return schema.MessageInputPart{Type: schema.ChatMessagePartTypeAudioURL, Audio: &schema.MessageInputAudio{MessagePartCommon: common}}
	case "video":
		return schema.MessageInputPart{Type: schema.ChatMessagePartTypeVideoURL, Video: &schema.MessageInputVideo{MessagePartCommon: common}}
	}
	return schema.MessageInputPart{Type: schema.ChatMessagePartTypeFileURL, File: &schema.MessageInputFile{MessagePartCommon: common, Name: p.Title}}
}

// textOf returns a result as a text, for a tool of eino that returns nothing else.
func textOf(r *pegboard.Result) string {
	var texts []string
	for _, p := range slices.Concat(r.Parts, r.Messages) {
		if text := textOfPart(p); text != "" {
			texts = append(texts, text)
		}
		if len(p.Data) > 0 {
			texts = append(texts, fmt.Sprintf("(%d bytes of type %s cannot be shown here)", len(p.Data), p.MIME))
		}
	}
	return strings.Join(texts, "\n")
}

func textOfPart(p pegboard.Part) string {
	head := ""
	if p.Tool != "" {
		return "The tool " + p.Tool + " was found; it can be called."
	}
	if p.Title != "" {
		head = "Title: " + p.Title + "\n"
	}
	if p.Source != "" {
		head += "Source: " + p.Source + "\n"
	}
	return head + p.Text
}
