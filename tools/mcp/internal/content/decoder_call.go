package content

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// CallResult returns the result of an answer to tools/call. It keeps no reference to raw. The
// result of an answer that cannot be read is an error for the model.
//
// Data is the structuredContent as it was sent, a json.RawMessage. The model is shown it as
// text only if there is no content.
func (d Decoder) CallResult(ctx context.Context, raw json.RawMessage) *pegboard.Result {
	answer, err := d.read(raw)
	if err != nil {
		return failure(err.Error() + ". It is unknown what the call did.")
	}
	if text := d.unfinished(answer); text != "" {
		return failure(text)
	}
	r := &pegboard.Result{IsError: isTrue(answer.value("isError"))}
	if structured := answer.value("structuredContent"); structured != nil {
		r.Data = json.RawMessage(bytes.Clone(structured))
	}
	r.Parts = d.content(ctx, answer.value("content"))
	if slices.ContainsFunc(r.Parts, says) {
		return r
	}
	for _, name := range []string{"structuredContent", "toolResult"} { // the latter is that of version 2024-10-07
		if value := answer.value(name); value != nil {
			r.Parts = harmless(texts(string(value)))
			return r
		}
	}
	return r
}

// unfinished returns a text about an answer that is no result yet, or "".
func (d Decoder) unfinished(answer members) string { return untrusted.Escape(d.status(answer)) }

// status is unfinished, with the words of the server as they are.
func (d Decoder) status(answer members) string {
	kind, _ := answer.text("resultType")
	task := answer.object("task")
	if _, ok := task.text("taskId"); ok && answer.value("content") == nil && kind == "" { // version 2025-11-25
		kind = "task"
	}
	if kind == "" || kind == "complete" {
		return ""
	}
	server := strictjson.Quote(d.Server)
	switch kind {
	case "task":
		id, ok := answer.text("taskId")
		if !ok {
			id, _ = task.text("taskId")
		}
		return fmt.Sprintf("MCP server %s answered with the task %s instead of a result, and this client does not support tasks. "+
			"The work may go on there, and its result will not arrive. Do not repeat the call before you have found out what it did, or tell the user.", server, strictjson.Quote(id))
	case "input_required":
		return fmt.Sprintf("MCP server %s asked for further input instead of answering, and this client could not give it. Tell the user.", server)
	}
	if answer.value("content") != nil || answer.value("structuredContent") != nil {
		return ""
	}
	return fmt.Sprintf("MCP server %s answered with a result of the type %s, which this client does not know. It is unknown what the call did. Tell the user.", server, strictjson.Quote(kind))
}

// says reports whether a part is more than blank text.
func says(p pegboard.Part) bool { return len(p.Data) > 0 || strings.TrimSpace(p.Text) != "" }

func failure(text string) *pegboard.Result {
	return &pegboard.Result{Parts: []pegboard.Part{{Text: text}}, IsError: true}
}

// isTrue reports whether a mark of failure is set. A value that is no boolean sets it.
func isTrue(value []byte) bool { return len(value) > 0 && string(value) != "false" }

// maxParts is how many parts an answer may have before its texts are joined.
const maxParts = 100

// content returns the parts for the model of the member content, a list of blocks. It takes a
// block on its own for a list of one, and a text for a block of text. Content for the user
// alone goes to Tell.
func (d Decoder) content(ctx context.Context, value []byte) []pegboard.Part {
	blocks, rest := d.list(ctx, value, "blocks of content")
	if len(value) > 0 && value[0] != '[' {
		blocks = [][]byte{value}
	}
	var parts, told []pegboard.Part
	for _, raw := range blocks {
		b := blockOf(raw)
		if d.Tell != nil && b.isForUser() {
			told = append(told, d.block(ctx, b)...)
		} else {
			parts = append(parts, d.block(ctx, b)...)
		}
	}
	parts = append(parts, rest...)
	if len(told) > 0 {
		told = joined(told)
		d.Tell(wordsFor(told), told)
		if len(parts) == 0 {
			parts = []pegboard.Part{{Text: "(The server's answer is for the user alone, who was shown it.)"}}
		}
	}
	return joined(parts)
}

// wordsFor returns parts as a text for the user.
func wordsFor(parts []pegboard.Part) string {
	var words []string
	for _, p := range parts {
		if len(p.Data) > 0 {
			p.Text = fmt.Sprintf("(An image of the type %s, %d bytes.)", p.MIME, len(p.Data))
		}
		words = append(words, p.Text)
	}
	return strings.Join(words, "\n")
}

// joined returns parts. If there are too many, it joins neighbouring texts, and makes texts of
// documents.
func joined(parts []pegboard.Part) []pegboard.Part {
	if len(parts) <= maxParts {
		return parts
	}
	var kept []pegboard.Part
	var texts []byte
	flush := func() {
		if len(texts) > 0 {
			kept, texts = append(kept, pegboard.Part{Text: string(texts)}), nil
		}
	}
	for _, p := range parts {
		if len(p.Data) > 0 {
			flush()
			kept = append(kept, p)
			continue
		}
		if len(texts) > 0 {
			texts = append(texts, '\n')
		}
		if p.Title != "" {
			texts = fmt.Appendf(texts, "Title: %s\n", p.Title)
		}
		texts = append(texts, p.Text...)
	}
	flush()
	return kept
}
