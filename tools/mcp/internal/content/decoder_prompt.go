package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Prompt returns the messages of an answer to prompts/get. If not all of them are the user's,
// a line before each tells whose it is.
func (d Decoder) Prompt(ctx context.Context, raw json.RawMessage) ([]pegboard.Part, error) {
	answer, err := d.read(raw)
	if err != nil {
		return nil, err
	}
	if text := d.unfinished(answer); text != "" {
		return nil, errors.New(text)
	}
	var messages []members
	list, rest := d.list(ctx, answer.value("messages"), "messages")
	for _, raw := range list {
		messages = append(messages, membersOf(raw))
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("MCP server %s answered with a prompt without messages", strictjson.Quote(d.Server))
	}
	ownWords := !slices.ContainsFunc(messages, func(m members) bool { return roleOf(m) != "user" })
	var parts []pegboard.Part
	for _, m := range messages {
		if !ownWords {
			parts = append(parts, pegboard.Part{Text: roleOf(m) + ":"})
		}
		parts = append(parts, d.content(ctx, m.value("content"))...)
	}
	return joined(append(withoutRefusedImages(parts), rest...)), nil
}

// withoutRefusedImages replaces images that a provider might refuse, as the executor does in
// results of calls.
func withoutRefusedImages(parts []pegboard.Part) []pegboard.Part {
	for i, p := range parts {
		if len(p.Data) == 0 {
			continue
		}
		if refused := media.Check(p.Data, p.MIME, media.Limits{Edge: media.AnthropicManyEdge}); refused != nil {
			parts[i] = pegboard.Part{Text: "(" + refused.Text + ")"}
		}
	}
	return parts
}

// roleOf returns the role of a message, or a word for one that the protocol does not know.
func roleOf(m members) string {
	switch role, _ := m.text("role"); role {
	case "user", "assistant":
		return role
	}
	return "unknown"
}
