package gemini

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
)

// render returns parts in the forms that the API takes: texts, and files of types it
// knows.
func (c *Codec) render(parts []pegboard.Part) (texts []string, media []json.RawMessage) {
	for i, p := range parts {
		if p.Tool != "" {
			if i == 0 || parts[i-1].Tool == "" { // neighbouring references are written together
				texts = append(texts, c.tools.Definitions(parts[i:])...)
			}
			continue
		}
		kind := content.MediaType(p.MIME)
		switch {
		case p.Source != "":
			texts = append(texts, content.Headed(p, p.Text))
		case isFile(kind) && len(p.Data) > 0:
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
				texts = append(texts, content.Headed(p, text))
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

// isFile reports whether results may hold files of a type.
func isFile(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/webp", "application/pdf":
		return true
	}
	return false
}
