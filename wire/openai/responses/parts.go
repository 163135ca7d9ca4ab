package responses

import (
	"encoding/base64"
	"encoding/json"
	"path"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
)

// The most characters that the API takes of one text, image and file.
//
// source: the OpenAPI description of OpenAI, openapi.yaml, image_url and file_data.
const (
	maxText  = 10_485_760
	maxImage = 20_971_520
	maxFile  = 73_400_320
)

// sendableKinds names the content that can be sent, for notes about content that cannot.
const sendableKinds = "text, PNG, JPEG, GIF and WebP images and PDF files, each of no more than some MB,"

// sendable returns the media type of a part that is sent as bytes, or "".
func sendable(p pegboard.Part) string {
	kind := content.Kind(p)
	size := len("data:") + len(kind) + len(";base64,") + base64.StdEncoding.EncodedLen(len(p.Data))
	switch {
	case content.IsImage(kind) && size <= maxImage, kind == "application/pdf" && size <= maxFile:
		return kind
	}
	return ""
}

// encodeParts returns parts as the content of a message or of an output.
func encodeParts(parts []pegboard.Part) []json.RawMessage {
	var list []json.RawMessage
	for _, p := range parts {
		switch kind := sendable(p); {
		case content.IsImage(kind):
			list = append(list, jsonobject.With("type", jsonobject.Quote("input_image")).
				With("image_url", jsonobject.Quote(content.DataURL(kind, p.Data))).Encode())
		case kind != "":
			list = append(list, jsonobject.With("type", jsonobject.Quote("input_file")).
				With("filename", jsonobject.Quote(fileName(p.Title))).
				With("file_data", jsonobject.Quote(content.DataURL(kind, p.Data))).Encode())
		default:
			if text := content.Text(p, sendableKinds); text != "" {
				list = append(list, textPart(text))
			}
		}
	}
	return list
}

// fileName returns the name of a PDF, which the API requires.
func fileName(title string) string {
	if title == "" {
		title = "document"
	}
	if path.Ext(title) != ".pdf" {
		title += ".pdf"
	}
	return title
}

func textPart(text string) json.RawMessage {
	return jsonobject.With("type", jsonobject.Quote("input_text")).
		With("text", jsonobject.Quote(content.Cut(text, maxText))).Encode()
}

// fail marks the content of a result as that of a call that failed.
func fail(list []json.RawMessage) []json.RawMessage {
	if len(list) > 0 {
		if first, err := jsonobject.Parse(list[0]); err == nil {
			if text, ok := first.Text("text"); ok {
				list[0] = textPart(content.Failure(text))
				return list
			}
		}
	}
	return append([]json.RawMessage{textPart(content.Failure(""))}, list...)
}
