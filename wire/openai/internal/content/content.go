// Package content words the parts of results for the APIs of OpenAI.
package content

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// Kind returns the media type of the bytes in a part, without parameters and in
// lower case, or "" if it holds none.
func Kind(p pegboard.Part) string {
	if p.MIME == "" || len(p.Data) == 0 {
		return ""
	}
	kind, _, err := mime.ParseMediaType(p.MIME)
	if err != nil {
		return ""
	}
	if kind == "image/jpg" {
		return "image/jpeg"
	}
	return kind
}

// IsImage reports whether a [Kind] is one of the images that models look at.
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

// Text returns a part as text, or "" if it says nothing: a document and a search
// result with their title and source. Bytes that are no text become a note that
// says what they were, and that only shown can be sent, such as "text". A
// reference to a tool has no text.
func Text(p pegboard.Part, shown string) string {
	text := p.Text
	if p.MIME != "" && (len(p.Data) > 0 || text == "") {
		if !strings.HasPrefix(Kind(p), "text/") || !utf8.Valid(p.Data) {
			return fmt.Sprintf("(%d bytes of type %s were left out: only %s can be shown. Ask for the content in another form.)",
				len(p.Data), p.MIME, shown)
		}
		text = string(p.Data)
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
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

// mark begins the text of a call that failed.
const mark = "Error"

// Failure returns the text of a call that failed so that it says so, for no
// result of these APIs has a mark for it.
func Failure(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return mark + ": the call failed and said nothing about it."
	case Failed(text):
		return text
	}
	return mark + ": " + text
}

// Failed reports whether a text begins as all do that [Failure] returns.
func Failed(text string) bool {
	return len(text) >= len(mark) && strings.EqualFold(text[:len(mark)], mark)
}

// Cut returns text shortened to max characters, with a note at its end if
// anything is missing. Max must leave room for the note.
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
