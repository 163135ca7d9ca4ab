package gemini

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// render returns parts as what the API takes: texts, and files of types it knows.
func (w *Wire) render(parts []pegboard.Part) (texts []string, media []json.RawMessage) {
	for i, p := range parts {
		if p.Tool != "" {
			if i == 0 || parts[i-1].Tool == "" { // those in a row are shown together
				texts = append(texts, w.functions(parts[i:])...)
			}
			continue
		}
		kind := mediaType(p.MIME)
		switch {
		case p.Source != "":
			texts = append(texts, document(p, p.Text))
		case taken(kind) && len(p.Data) > 0:
			if p.Title != "" {
				texts = append(texts, fmt.Sprintf("(%s is a file of type %s.)", p.Title, kind))
			}
			blob := jsonobject.With("mimeType", jsonobject.Quote(kind)).
				With("data", jsonobject.Quote(base64.StdEncoding.EncodeToString(p.Data)))
			media = append(media, jsonobject.With("inlineData", blob.Encode()).Encode())
		case strings.HasPrefix(kind, "text/") && utf8.Valid(p.Data), len(p.Data) == 0 && strings.TrimSpace(p.Text) != "" && p.MIME != "":
			text := p.Text
			if len(p.Data) > 0 {
				text = string(p.Data)
			}
			if strings.TrimSpace(text) != "" {
				texts = append(texts, document(p, text))
			}
		case p.MIME != "":
			texts = append(texts, fmt.Sprintf("(%d bytes of type %s were left out: only text, PNG, JPEG and WebP images and PDF "+
				"documents can be shown. Ask for the content in one of these forms.)", len(p.Data), p.MIME))
		case strings.TrimSpace(p.Text) != "":
			texts = append(texts, p.Text)
		}
	}
	return texts, media
}

// mediaType returns a media type without its parameters, or "".
func mediaType(s string) string {
	kind, _, err := mime.ParseMediaType(s)
	switch {
	case s == "", err != nil:
		return ""
	case kind == "image/jpg":
		return "image/jpeg"
	}
	return kind
}

// taken reports whether results may hold files of a type.
func taken(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/webp", "application/pdf":
		return true
	}
	return false
}

// document returns a text after where it is from.
func document(p pegboard.Part, text string) string {
	var head string
	if p.Title != "" {
		head = "Title: " + p.Title + "\n"
	}
	if p.Source != "" {
		head += "Source: " + p.Source + "\n"
	}
	if head != "" {
		head += "\n"
	}
	return head + text
}
