package anthropic

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

// maxTitle is how long the title of a document may be, in characters. A longer one
// is cut.
const maxTitle = 500

// A place is where parts are written to. It decides which blocks the API takes there.
type place struct {
	codec  *Codec // knows the tools that can be referred to
	result bool   // within a result; else beside the results
	failed bool   // the result is of a failed call: nothing but text
}

// blocks returns parts as content blocks.
func (at place) blocks(parts []pegboard.Part) []json.RawMessage {
	var blocks []json.RawMessage
	for _, p := range parts {
		if b := at.block(p); b != nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// block returns a part as a content block, or nil if the part says nothing.
func (at place) block(p pegboard.Part) json.RawMessage {
	kind := content.MediaType(p.MIME)
	switch {
	case p.Source != "":
		return at.searchResult(p)
	case p.Tool != "":
		return at.reference(p)
	case strings.HasPrefix(kind, "text/") && utf8.Valid(p.Data), p.MIME != "" && len(p.Data) == 0 && !blank(p.Text):
		return at.document(p)
	case p.MIME == "":
		return textBlock(p.Text)
	case at.failed && len(p.Data) > 0:
		return textBlock(fmt.Sprintf("(%d bytes of type %s were left out: the result of a failed call is text alone. "+
			"Ask for them in a call of their own.)", len(p.Data), p.MIME))
	case len(p.Data) > 0 && content.IsImage(kind):
		return object("image").With("source", encoded(kind, p.Data)).Encode()
	case len(p.Data) > 0 && kind == "application/pdf":
		return titled(object("document").With("source", encoded(kind, p.Data)), p.Title).Encode()
	}
	return textBlock(fmt.Sprintf("(%d bytes of type %s were left out: only text, PDF documents and PNG, JPEG, GIF and WebP "+
		"images can be shown. Ask for the content in one of these forms.)", len(p.Data), p.MIME))
}

// searchResult returns a part with a Source.
func (at place) searchResult(p pegboard.Part) json.RawMessage {
	title := p.Title
	if blank(title) {
		title = p.Source
	}
	if at.failed || blank(p.Text) {
		return textBlock(strings.TrimSpace(title + "\n" + p.Source + "\n\n" + p.Text))
	}
	return object("search_result").
		With("source", jsonobject.Quote(p.Source)).
		With("title", jsonobject.Quote(title)).
		With("content", jsonobject.List([]json.RawMessage{textBlock(p.Text)})).Encode()
}

// reference returns a reference to a tool. The API refuses a request with a reference to
// a tool that the request does not hold.
func (at place) reference(p pegboard.Part) json.RawMessage {
	name, ok := at.codec.offered(p.Tool)
	switch {
	case !ok:
		return textBlock(goneTool(p.Tool))
	case !at.result || at.failed:
		return textBlock(fmt.Sprintf("(The tool %s was found. Search for it again to load it.)", name))
	}
	return toolReference(name)
}

func toolReference(name string) json.RawMessage {
	return object("tool_reference").With("tool_name", jsonobject.Quote(name)).Encode()
}

// goneTool is the text for a reference to a tool that the request does not hold.
func goneTool(tool string) string {
	return fmt.Sprintf("(The tool %s is not available now. Go on without it, or search for another.)", tool)
}

// document returns text, as a document if it has a title.
func (at place) document(p pegboard.Part) json.RawMessage {
	text := p.Text
	if len(p.Data) > 0 {
		text = string(p.Data)
	}
	if at.failed || blank(p.Title) || blank(text) {
		return textBlock(text)
	}
	source := object("text").With("media_type", jsonobject.Quote("text/plain")).With("data", jsonobject.Quote(text))
	return titled(object("document").With("source", source.Encode()), p.Title).Encode()
}

func titled(document jsonobject.Object, title string) jsonobject.Object {
	if blank(title) {
		return document
	}
	n := 0
	for i := range title {
		if n++; n > maxTitle {
			title = title[:i]
			break
		}
	}
	return document.With("title", jsonobject.Quote(title))
}

// encoded returns bytes as the source of an image or document.
func encoded(kind string, data []byte) json.RawMessage {
	text := make([]byte, 0, base64.StdEncoding.EncodedLen(len(data))+len(`""`))
	text = append(base64.StdEncoding.AppendEncode(append(text, '"'), data), '"')
	return object("base64").With("media_type", jsonobject.Quote(kind)).With("data", text).Encode()
}

func object(kind string) jsonobject.Object { return jsonobject.With("type", jsonobject.Quote(kind)) }

// textBlock returns nil for blank text, which the API refuses.
func textBlock(text string) json.RawMessage {
	if blank(text) {
		return nil
	}
	return object("text").With("text", jsonobject.Quote(text)).Encode()
}

// blank reports whether a text holds nothing but white space.
func blank(text string) bool { return strings.TrimSpace(text) == "" }
