package languageserver

import (
	"encoding/json"
	"strings"
)

// maxHover limits the bytes of a text that is kept: a message may have 64 MiB.
const maxHover = 256 << 10

// A Hover is the information of a server about a place.
type Hover struct {
	Text  string // Markdown or plain text of the server, at most 256 KiB; empty if it knows nothing
	Range Range  // of the named thing; zero if the server does not tell
}

type wireHover struct {
	Contents hoverContents `json:"contents"`
	Range    *wireRange    `json:"range"`
}

// hoverContents are MarkupContent, MarkedString or a list of those.
type hoverContents string

// UnmarshalJSON implements json.Unmarshaler.
func (h *hoverContents) UnmarshalJSON(data []byte) error {
	parts := make([]hoverPart, 1)
	var err error
	if data[0] == '[' {
		err = json.Unmarshal(data, &parts)
	} else {
		err = json.Unmarshal(data, &parts[0])
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = string(part)
	}
	*h = hoverContents(strings.Join(texts, "\n\n"))
	return err
}

// A hoverPart is MarkupContent or MarkedString. It is no list: each level of nested lists would
// scan the whole text again.
type hoverPart string

// UnmarshalJSON implements json.Unmarshaler.
func (h *hoverPart) UnmarshalJSON(data []byte) error {
	*h = ""
	switch data[0] {
	case 'n':
		return nil
	case '"':
		return json.Unmarshal(data, (*string)(h))
	}
	var marked struct {
		Kind     string `json:"kind"`
		Language string `json:"language"`
		Value    string `json:"value"`
	}
	if err := json.Unmarshal(data, &marked); err != nil {
		return err
	}
	if marked.Kind == "" && marked.Language != "" {
		marked.Value = "```" + marked.Language + "\n" + marked.Value + "\n```"
	}
	*h = hoverPart(marked.Value)
	return nil
}
