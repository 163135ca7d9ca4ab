package web

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// A Page is a part of a text that a server sent. All of it was written by others.
type Page struct {
	URL       string // mapped, after the redirects that were followed
	MediaType string // such as "text/html"
	Title     string // of HTML, on one line; or ""
	Text      string // of HTML, its Markdown
	Offset    int    // characters of the whole text before Text
	Size      int    // characters of the whole text
}

// pageTag marks the words of a page.
const pageTag = "web-page"

// newPage returns the part of a document from a character on, of at most limit characters. It
// ends with a line if that leaves it at least half of them.
func newPage(d *document, offset, limit int) (Page, error) {
	if offset > 0 && offset >= d.size {
		return Page{}, fmt.Errorf("offset %d is behind the end of the page, which has %d characters; use a smaller one", offset, d.size)
	}
	text := d.text[bytesOf(d.text, offset):]
	if end := bytesOf(text, limit); end < len(text) {
		if line := strings.LastIndexByte(text[:end], '\n') + 1; line > bytesOf(text, limit/2) {
			end = line
		}
		text = text[:end]
	}
	return Page{URL: d.url, MediaType: d.mediaType, Title: d.title, Text: text, Offset: offset, Size: d.size}, nil
}

// bytesOf returns how many bytes the first characters of text have.
func bytesOf(text string, characters int) int {
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}

// end is the number of characters of the whole text up to the end of p.
func (p Page) end() int { return p.Offset + utf8.RuneCountInString(p.Text) }

// extent names the part of the whole text that p is.
func (p Page) extent() string {
	if p.Offset == 0 && p.end() >= p.Size {
		return fmt.Sprintf("all %d characters", p.Size)
	}
	return fmt.Sprintf("characters %d to %d of %d", p.Offset, p.end(), p.Size)
}

// String returns the page for the model, below a line about its extent.
func (p Page) String() string {
	line := fmt.Sprintf("%s (%s), %s", shownURL(p.URL), p.MediaType, p.extent())
	if end := p.end(); end < p.Size {
		line += fmt.Sprintf("; offset %d reads on", end)
	}
	return line + ":\n" + untrusted.Quote(pageTag, p.Text)
}

// maxShown is how many bytes of an address or another short text of a server are shown.
const maxShown = 500

// shownURL returns an address for the model.
func shownURL(u string) string { return untrusted.Escape(shortened(u)) }

// shortened returns text without its end if it is long.
func shortened(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
