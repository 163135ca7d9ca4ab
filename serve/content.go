package serve

import (
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
)

// contentOf returns a part in the form of the protocol.
func contentOf(p *pegboard.Part) []mcp.Content {
	switch {
	case p.Tool != "":
		return []mcp.Content{&mcp.TextContent{Text: "The tool " + p.Tool + " was found; it can be called."}}
	case p.Source != "":
		return []mcp.Content{&mcp.TextContent{Text: headed(p)}}
	case len(p.Data) > 0:
		var all []mcp.Content
		if p.Text != "" {
			all = append(all, &mcp.TextContent{Text: p.Text})
		}
		return append(all, bytesOf(p))
	case p.MIME != "" || isAddress(p.Title):
		return []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: addressOf(p), MIMEType: p.MIME, Text: p.Text}}}
	case p.Title != "":
		return []mcp.Content{&mcp.TextContent{Text: headed(p)}}
	}
	return []mcp.Content{&mcp.TextContent{Text: p.Text}}
}

// bytesOf returns the bytes of a part.
func bytesOf(p *pegboard.Part) mcp.Content {
	switch kind, _, _ := strings.Cut(p.MIME, "/"); kind {
	case "image":
		return &mcp.ImageContent{Data: p.Data, MIMEType: p.MIME}
	case "audio":
		return &mcp.AudioContent{Data: p.Data, MIMEType: p.MIME}
	}
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: addressOf(p), MIMEType: p.MIME, Blob: p.Data}}
}

func headed(p *pegboard.Part) string {
	var head string
	if p.Title != "" {
		head = "Title: " + p.Title + "\n"
	}
	if p.Source != "" {
		head += "Source: " + p.Source + "\n"
	}
	return head + p.Text
}

func isAddress(title string) bool {
	u, err := url.Parse(title)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Path != "" || u.Opaque != "") && !strings.ContainsAny(title, " \t\n")
}

// addressOf returns the address of a document, which the protocol requires.
func addressOf(p *pegboard.Part) string {
	if isAddress(p.Title) {
		return p.Title
	}
	return "pegboard:document/" + url.PathEscape(p.Title)
}
