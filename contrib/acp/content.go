package acp

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
)

// contentOf returns a part of a result in the form of the protocol.
func contentOf(p *pegboard.Part) []sdk.ContentBlock {
	kind, _, _ := strings.Cut(p.MIME, "/")
	data := base64.StdEncoding.EncodeToString(p.Data)
	var shown []sdk.ContentBlock
	switch {
	case p.Tool != "":
		return []sdk.ContentBlock{sdk.TextBlock("The tool " + p.Tool + " was found; it can be called.")}
	case data != "" && (kind == "image" || kind == "audio"):
		if p.Text != "" {
			shown = append(shown, sdk.TextBlock(p.Text))
		}
		if kind == "image" {
			return append(shown, sdk.ImageBlock(data, p.MIME))
		}
		return append(shown, sdk.AudioBlock(data, p.MIME))
	case data != "":
		return []sdk.ContentBlock{sdk.ResourceBlock(sdk.EmbeddedResourceResource{
			BlobResourceContents: &sdk.BlobResourceContents{Uri: addressOf(p), MimeType: &p.MIME, Blob: data},
		})}
	case p.MIME != "":
		return []sdk.ContentBlock{sdk.ResourceBlock(sdk.EmbeddedResourceResource{
			TextResourceContents: &sdk.TextResourceContents{Uri: addressOf(p), MimeType: &p.MIME, Text: p.Text},
		})}
	}
	var head []string
	if p.Title != "" {
		head = append(head, p.Title)
	}
	if p.Source != "" {
		head = append(head, p.Source)
	}
	return []sdk.ContentBlock{sdk.TextBlock(strings.Join(append(head, p.Text), "\n"))}
}

// addressOf returns the address of a document, which the protocol requires.
func addressOf(p *pegboard.Part) string {
	if u, err := url.Parse(p.Title); err == nil && u.Scheme != "" {
		return p.Title
	}
	return "pegboard:document/" + url.PathEscape(p.Title)
}

// partsOf returns the parts of a prompt. The error is an answer to the editor.
func (o *Options) partsOf(prompt []sdk.ContentBlock) ([]pegboard.Part, error) {
	parts := make([]pegboard.Part, len(prompt))
	for i := range prompt {
		var problem string
		if parts[i], problem = o.partOf(&prompt[i]); problem != "" {
			return nil, invalid("prompt[%d]: %s", i, problem)
		}
	}
	if len(parts) == 0 {
		return nil, invalid("the prompt is empty")
	}
	return parts, nil
}

func (o *Options) partOf(b *sdk.ContentBlock) (p pegboard.Part, problem string) {
	known := b.Text != nil && b.Text.Type == "text" || b.ResourceLink != nil && b.ResourceLink.Type == "resource_link" ||
		b.Image != nil && b.Image.Type == "image" || b.Audio != nil && b.Audio.Type == "audio" || b.Resource != nil && b.Resource.Type == "resource"
	switch {
	case !known: // the SDK takes it for another
		return p, "the type is none of this protocol"
	case b.Text != nil:
		return pegboard.Part{Text: b.Text.Text}, ""
	case b.ResourceLink != nil && b.ResourceLink.Uri == "":
		return p, "the uri is missing"
	case b.ResourceLink != nil:
		return pegboard.Part{Text: "[" + cmp.Or(b.ResourceLink.Name, b.ResourceLink.Uri) + "](" + b.ResourceLink.Uri + ")"}, ""
	case b.Image != nil && !o.Prompts.Image:
		return p, "this agent takes no image"
	case b.Image != nil:
		return mediaOf("image", b.Image.MimeType, b.Image.Data)
	case b.Audio != nil && !o.Prompts.Audio:
		return p, "this agent takes no audio"
	case b.Audio != nil:
		return mediaOf("audio", b.Audio.MimeType, b.Audio.Data)
	case !o.Prompts.EmbeddedContext:
		return p, "this agent takes no embedded resources; send a resource_link"
	}
	return documentOf(&b.Resource.Resource)
}

// mediaOf returns an image or a sound.
func mediaOf(kind, mime, data string) (p pegboard.Part, problem string) {
	bytes, err := base64.StdEncoding.DecodeString(data)
	if before, _, _ := strings.Cut(mime, "/"); before != kind || err != nil || len(bytes) == 0 {
		return p, "there is no " + kind + " in base64"
	}
	return pegboard.Part{MIME: mime, Data: bytes}, ""
}

// documentOf returns an embedded resource as a document.
func documentOf(r *sdk.EmbeddedResourceResource) (p pegboard.Part, problem string) {
	mimeOf := func(given *string, otherwise string) string {
		if given == nil {
			return otherwise
		}
		return cmp.Or(*given, otherwise)
	}
	switch text, blob := r.TextResourceContents, r.BlobResourceContents; {
	case text != nil && text.Uri != "":
		return pegboard.Part{Title: text.Uri, MIME: mimeOf(text.MimeType, "text/plain"), Text: text.Text}, ""
	case blob != nil && blob.Uri != "":
		bytes, err := base64.StdEncoding.DecodeString(blob.Blob)
		if err != nil || len(bytes) == 0 {
			return p, "the blob is no base64"
		}
		return pegboard.Part{Title: blob.Uri, MIME: mimeOf(blob.MimeType, "application/octet-stream"), Data: bytes}, ""
	}
	return p, "the uri is missing"
}
