package content

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// block returns the parts of one block. Its words imitate none of the host.
func (d Decoder) block(ctx context.Context, b block) []pegboard.Part { return harmless(d.sent(ctx, b)) }

// harmless makes the words of a server harmless.
func harmless(parts []pegboard.Part) []pegboard.Part {
	for i := range parts {
		parts[i].Text, parts[i].Title = untrusted.Text(parts[i].Text), untrusted.Escape(parts[i].Title)
	}
	return parts
}

// sent returns the parts of one block as the server sent it.
func (d Decoder) sent(ctx context.Context, b block) []pegboard.Part {
	if text, ok := stringOf(b.json); ok {
		return texts(text)
	}
	switch b.kind {
	case "text":
		if text, ok := b.text("text"); ok {
			return texts(text)
		}
	case "image", "audio":
		if data, ok := b.bytes("data"); ok {
			kind, _ := b.mime()
			return d.data(ctx, kind, "", data).parts
		}
	case "resource":
		if r := b.object("resource"); r != nil {
			if c, ok := d.resource(ctx, r); ok {
				return c.parts
			}
		}
	case "resource_link":
		if uri, ok := b.text("uri"); ok {
			return texts(d.link(b, uri))
		}
	default:
		return texts(fmt.Sprintf("(A block of content of the type %s, which this client does not know, as JSON:)\n%s", strictjson.Quote(b.kind), b.json))
	}
	return texts(fmt.Sprintf("(A block of content of the type %s that is not as the protocol says, as JSON:)\n%s", strictjson.Quote(b.kind), b.json))
}

// texts returns a part with a text.
func texts(text string) []pegboard.Part { return []pegboard.Part{{Text: text}} }

// link words a resource that the server names and does not send.
func (d Decoder) link(b block, uri string) string {
	var about []string
	for _, name := range []string{"title", "name", "mimeType"} {
		if text, ok := b.text(name); ok && strings.TrimSpace(text) != "" && !slices.Contains(about, strictjson.Quote(text)) {
			about = append(about, strictjson.Quote(text))
		}
	}
	if size := b.value("size"); len(size) > 0 && len(size) < maxDigits && size[0] != '"' {
		about = append(about, string(size)+" bytes")
	}
	line := "(A resource"
	if len(about) > 0 {
		line += ": " + strings.Join(about, ", ")
	}
	if text, ok := b.text("description"); ok && strings.TrimSpace(text) != "" {
		line += ". " + strings.TrimSuffix(strings.TrimSpace(text), ".")
	}
	return fmt.Sprintf(`%s. Read it with ReadMcpResource: {"server":%s,"uri":%s})`, line, jsonobject.Quote(d.Server), jsonobject.Quote(uri))
}

const (
	// maxDigits is the maximum length of a size that is repeated.
	maxDigits = 20
	// plainText and anyBytes are the media types of content whose server names none.
	plainText = "text/plain"
	anyBytes  = "application/octet-stream"
)

// maxTitle is how many bytes of an address are shown.
const maxTitle = 2 << 10

// titleOf returns an address as a title.
func titleOf(uri string) string {
	if len(uri) <= maxTitle && !strings.ContainsFunc(uri, unicode.IsControl) {
		return uri
	}
	return pegboard.OneLine(uri)
}

// A loaded resource is one that an answer holds.
type loaded struct {
	parts []pegboard.Part
	text  string
	path  string // of the file that its bytes are stored in
}

// resource returns an embedded resource. False means that it has neither text nor bytes.
func (d Decoder) resource(ctx context.Context, r members) (l loaded, ok bool) {
	uri, _ := r.text("uri")
	kind, _ := r.mime()
	if text, ok := r.text("text"); ok {
		l.text = text
		p := pegboard.Part{Text: text, MIME: cmp.Or(kind, plainText), Title: titleOf(uri)}
		if strings.TrimSpace(text) == "" {
			p = pegboard.Part{Text: fmt.Sprintf("(The resource %s is empty.)", strictjson.Quote(uri))}
		}
		l.parts = []pegboard.Part{p}
		return l, true
	}
	data, ok := r.bytes("blob")
	if !ok {
		return l, false
	}
	return d.data(ctx, kind, uri, data), true
}

// data returns bytes that an answer holds. Images of a known type are shown; images of
// resources, and all other bytes, are stored. URI is the address of a resource, or empty.
func (d Decoder) data(ctx context.Context, kind, uri string, data []byte) (l loaded) {
	if image, err := media.Describe(data); err == nil {
		kind = image.Type
		l.parts = []pegboard.Part{{MIME: kind, Data: data, Title: titleOf(uri)}}
		if uri == "" {
			return l
		}
	}
	kind = cmp.Or(kind, anyBytes)
	subject := "Content of the type " + kind
	if uri != "" {
		subject = fmt.Sprintf("The resource %s of the type %s", strictjson.Quote(uri), kind)
	}
	sentence, path := d.save(ctx, subject, kind, data)
	l.path = path
	l.parts = append(l.parts, pegboard.Part{Text: sentence})
	return l
}
