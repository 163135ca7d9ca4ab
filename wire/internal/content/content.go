// Package content words the parts of results for all providers.
package content

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// MediaType returns a media type without parameters and in lower case, or "" if text is
// none.
func MediaType(text string) string {
	if text == "" {
		return ""
	}
	kind, _, err := mime.ParseMediaType(text)
	switch {
	case err != nil:
		return ""
	case kind == "image/jpg":
		return "image/jpeg"
	}
	return kind
}

// Kind returns the [MediaType] of the bytes in a part, or "" if it holds none.
func Kind(p pegboard.Part) string {
	if len(p.Data) == 0 {
		return ""
	}
	return MediaType(p.MIME)
}

// IsImage reports whether a media type is one of the images that models of all
// providers but Gemini accept.
func IsImage(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// DataURL returns bytes in the form in which requests hold images and files.
func DataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// Text returns a part as text, with its title and source before it, or "" if the part
// says nothing. Bytes that are no text become a note about them, which says that only
// sendable can be sent, such as "text". A reference to a tool has no text.
func Text(p pegboard.Part, sendable string) string {
	text := p.Text
	if p.MIME != "" && (len(p.Data) > 0 || text == "") {
		if !strings.HasPrefix(Kind(p), "text/") || !utf8.Valid(p.Data) {
			return fmt.Sprintf("(%d bytes of type %s were left out: only %s can be shown. Ask for the content in another form.)",
				len(p.Data), p.MIME, sendable)
		}
		text = string(p.Data)
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return Headed(p, text)
}

// Headed returns text after the title and the source of p.
func Headed(p pegboard.Part, text string) string {
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

// failurePrefix begins the text of a call that failed.
const failurePrefix = "Error"

// Failure returns the text of a call that failed with a word that says so, for APIs
// whose results have no mark for it.
func Failure(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return failurePrefix + ": the call failed and said nothing about it."
	case Failed(text):
		return text
	}
	return failurePrefix + ": " + text
}

// Failed reports whether a text begins like those that [Failure] returns.
func Failed(text string) bool {
	return len(text) >= len(failurePrefix) && strings.EqualFold(text[:len(failurePrefix)], failurePrefix)
}

// Cut returns text shortened to max characters, with a note at its end if anything is
// missing. Max must leave room for the note.
func Cut(text string, max int) string {
	if len(text) <= max || utf8.RuneCountInString(text) <= max {
		return text
	}
	note := fmt.Sprintf("\n(The rest was left out: a result holds no more than %d characters. Ask for less, or in pieces.)", max)
	left := max - len(note)
	for i := range text {
		if left == 0 {
			return text[:i] + note
		}
		left--
	}
	return text
}
