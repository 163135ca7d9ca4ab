package acp

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A content is a block of content.
type content struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text,omitempty"`
	Data     []byte    `json:"data,omitempty"` // in base64
	MIME     string    `json:"mimeType,omitempty"`
	Name     string    `json:"name,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob []byte  `json:"blob,omitempty"` // in base64
}

func textContent(text string) content { return content{Type: "text", Text: &text} }

// contentOf returns a part of a result in the form of the protocol.
func contentOf(p *pegboard.Part) []content {
	kind, _, _ := strings.Cut(p.MIME, "/")
	switch {
	case p.Tool != "":
		return []content{textContent("The tool " + p.Tool + " was found; it can be called.")}
	case len(p.Data) > 0 && (kind == "image" || kind == "audio"):
		bytes := content{Type: kind, Data: p.Data, MIME: p.MIME}
		if p.Text != "" {
			return []content{textContent(p.Text), bytes}
		}
		return []content{bytes}
	case len(p.Data) > 0:
		return []content{{Type: "resource", Resource: &resource{URI: addressOf(p), MIME: p.MIME, Blob: p.Data}}}
	case p.MIME != "":
		return []content{{Type: "resource", Resource: &resource{URI: addressOf(p), MIME: p.MIME, Text: &p.Text}}}
	}
	var head []string
	if p.Title != "" {
		head = append(head, p.Title)
	}
	if p.Source != "" {
		head = append(head, p.Source)
	}
	return []content{textContent(strings.Join(append(head, p.Text), "\n"))}
}

// addressOf returns the address of a document, which the protocol requires.
func addressOf(p *pegboard.Part) string {
	if u, err := url.Parse(p.Title); err == nil && u.Scheme != "" {
		return p.Title
	}
	return "pegboard:document/" + url.PathEscape(p.Title)
}

// partsOf returns the parts of a prompt. The error is an answer to the editor.
func (a Accepts) partsOf(prompt []json.RawMessage) ([]pegboard.Part, error) {
	parts := make([]pegboard.Part, 0, len(prompt))
	for i, text := range prompt {
		var c content
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, invalid("prompt[%d] cannot be read: %v", i, err)
		}
		p, problem := a.partOf(&c)
		if problem != "" {
			return nil, invalid("prompt[%d]: %s", i, problem)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, invalid("the prompt is empty")
	}
	return parts, nil
}

func (a Accepts) partOf(c *content) (p pegboard.Part, problem string) {
	switch c.Type {
	case "text":
		if c.Text == nil {
			return p, "the text is missing"
		}
		return pegboard.Part{Text: *c.Text}, ""
	case "resource_link":
		if c.URI == "" {
			return p, "the uri is missing"
		}
		return pegboard.Part{Text: "[" + cmp.Or(c.Name, c.URI) + "](" + c.URI + ")"}, ""
	case "image", "audio":
		if kind, _, _ := strings.Cut(c.MIME, "/"); kind != c.Type || len(c.Data) == 0 {
			return p, "there is no " + c.Type
		}
		if c.Type == "image" && !a.Images || c.Type == "audio" && !a.Audio {
			return p, "this agent takes no " + c.Type
		}
		return pegboard.Part{MIME: c.MIME, Data: c.Data}, ""
	case "resource":
		if !a.Embedded {
			return p, "this agent takes no embedded resources; send a resource_link"
		}
		return c.Resource.part()
	}
	return p, "the type is none of this protocol"
}

// part returns an embedded resource as a document.
func (r *resource) part() (p pegboard.Part, problem string) {
	switch {
	case r == nil || r.URI == "":
		return p, "the uri is missing"
	case r.Text != nil:
		return pegboard.Part{Title: r.URI, MIME: cmp.Or(r.MIME, "text/plain"), Text: *r.Text}, ""
	case len(r.Blob) == 0:
		return p, "the resource has neither text nor blob"
	}
	return pegboard.Part{Title: r.URI, MIME: cmp.Or(r.MIME, "application/octet-stream"), Data: r.Blob}, ""
}
