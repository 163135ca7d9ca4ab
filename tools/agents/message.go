package agents

import (
	"encoding/json"
	"strings"
)

// A message is one of a conversation, in the form of any provider that package wire knows.
type message struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Name      string          `json:"name"`
	Content   json.RawMessage `json:"content"` // a text or pieces
	Parts     []piece         `json:"parts"`
	ToolCalls []piece         `json:"tool_calls"`
}

// A piece is a part of a message.
type piece struct {
	Type         string                `json:"type"`
	Text         string                `json:"text"`
	Thought      bool                  `json:"thought"`
	Name         string                `json:"name"`
	Function     struct{ Name string } `json:"function"`
	FunctionCall struct{ Name string } `json:"functionCall"`
}

// readMessage returns the text that the model has written in a message, and the names of the
// tools that it calls there. Both are empty for other messages, and for those that cannot be
// read.
func readMessage(raw json.RawMessage) (text string, calls []string) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return "", nil
	}
	if m.Type == "function_call" || m.Type == "custom_tool_call" {
		return "", []string{m.Name}
	}
	if m.Role != "assistant" && m.Role != "model" {
		return "", nil
	}
	pieces := append(m.Parts, m.ToolCalls...)
	if json.Unmarshal(m.Content, &text) != nil {
		var more []piece
		_ = json.Unmarshal(m.Content, &more) // content of another form has no text
		pieces = append(more, pieces...)
	}
	texts := []string{text}
	for _, p := range pieces {
		switch {
		case p.Type == "tool_use":
			calls = append(calls, p.Name)
		case p.Function.Name+p.FunctionCall.Name != "":
			calls = append(calls, p.Function.Name+p.FunctionCall.Name)
		case !p.Thought && (p.Type == "" || p.Type == "text" || p.Type == "output_text"):
			texts = append(texts, p.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "")), calls
}

// lastText returns the last text that the model has written.
func lastText(messages []json.RawMessage) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if text, _ := readMessage(messages[i]); text != "" {
			return text
		}
	}
	return ""
}

// outputLines returns a message as the output file of an agent shows it.
func outputLines(raw json.RawMessage) string {
	text, calls := readMessage(raw)
	if text != "" {
		text += "\n"
	}
	if len(calls) > 0 {
		text += "(calls " + strings.Join(calls, ", ") + ")\n"
	}
	return text
}
