package genkit

import (
	"encoding/base64"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed49eaa51d/pegboard"
)

// messagesOf returns the message of the results, and then what tools say in the user's place.
func messagesOf(outcomes []pegboard.Outcome) []*ai.Message {
	results := ai.NewMessage(ai.RoleTool, nil)
	said := ai.NewUserMessage()
	for _, o := range outcomes {
		r := &ai.ToolResponse{Name: o.Call.Name, Ref: o.Call.ID}
		var texts []string
		for _, p := range partsOf(o.Result.Parts) {
			if p.IsText() {
				texts = append(texts, p.Text)
			} else {
				r.Content = append(r.Content, p)
			}
		}
		r.Output = strings.Join(texts, "\n")
		results.Content = append(results.Content, ai.NewToolResponsePart(r))
		said.Content = append(said.Content, partsOf(o.Result.Messages)...)
	}
	if len(said.Content) == 0 {
		return []*ai.Message{results}
	}
	return []*ai.Message{results, said}
}

// partsOf returns parts of a result as genkit has them.
func partsOf(parts []pegboard.Part) (all []*ai.Part) {
	for _, p := range parts {
		if text := textOf(p); text != "" {
			all = append(all, ai.NewTextPart(text))
		}
		if len(p.Data) > 0 {
			all = append(all, ai.NewMediaPart(p.MIME, "data:"+p.MIME+";base64,"+base64.StdEncoding.EncodeToString(p.Data)))
		}
	}
	return all
}

func textOf(p pegboard.Part) string {
	if p.Tool != "" {
		return "The tool " + p.Tool + " was found; it can be called."
	}
	head := ""
	if p.Title != "" {
		head = "Title: " + p.Title + "\n"
	}
	if p.Source != "" {
		head += "Source: " + p.Source + "\n"
	}
	return head + p.Text
}
