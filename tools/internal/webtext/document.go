// Package webtext returns the text of a server's answer: it determines the kind of the body,
// decodes its characters, and writes HTML as Markdown.
//
// Nothing here sends or resolves anything. Everything is safe on hostile input: no input
// panics, and time, memory and the length of the Markdown are linear in the size of the body.
package webtext

import (
	"context"
	"strings"

	"golang.org/x/net/html"
)

// Kind is the kind of a body for a reader.
type Kind int

// The kinds of bodies.
const (
	Other Kind = iota // neither text nor an image that providers accept
	HTML              // HTML or XHTML
	Text              // text that is shown as it is: plain text, JSON, XML, CSV, Markdown
	Image             // PNG, JPEG, GIF or WebP
)

// Document is a decoded body. The zero Document is an empty body of no known type. A Document
// does not change, and may be used from several goroutines.
type Document struct {
	// Kind is the kind of the body, whatever its header claims.
	Kind Kind
	// Type is the media type in lower case, without parameters, such as "text/html". It is that
	// of the header unless the body contradicts it.
	Type string
	// Charset is the name of the encoding that the text had, such as "utf-8". It is empty for
	// images and other bodies.
	Charset string

	text string
}

// Decode returns the document that a body with this Content-Type header is. The header may be
// empty, malformed or wrong. The body may end in the middle of a character, which is dropped. Its
// bytes are not kept.
func Decode(header string, body []byte) Document {
	kind, mediaType, label := classify(header, body)
	d := Document{Kind: kind, Type: mediaType}
	if kind == HTML || kind == Text {
		d.text, d.Charset = decode(label, body)
	}
	return d
}

// Text returns the decoded text of the body: the source of an HTML page, and "" for images
// and other bodies. It is valid UTF-8 without NUL characters and without a byte order mark.
func (d Document) Text() string { return d.text }

// Title returns the title of an HTML page on one line. It returns "" if it finds no title before
// ctx ends.
func (d Document) Title(ctx context.Context) string {
	if d.Kind != HTML {
		return ""
	}
	z := html.NewTokenizer(untilReader{ctx, strings.NewReader(d.text)})
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "title":
				if z.Next() != html.TextToken {
					return ""
				}
				return oneLine(string(z.Text()))
			case "body", "svg":
				return ""
			}
		}
	}
}

// oneLine returns text without control characters and with single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }
