package web

import (
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// document is an answer of a server. It does not change, so that calls may share it.
type document struct {
	url      string // mapped, after the redirects
	code     int
	codeText string
	bytes    int64 // of the body, as far as it was read
	redirect string
	problem  string // why the body is not complete; or ""

	kind      webtext.Kind
	mediaType string
	title     string
	text      string // of HTML, its Markdown
	size      int    // characters of text
	body      []byte // of an image or another file

	etag, modified string // for a conditional request; or ""
	lasting        bool   // may be cached
	received       time.Time
}

// setText sets the text of a document.
func (d *document) setText(text string) { d.text, d.size = text, utf8.RuneCountInString(text) }

// weight returns how many bytes of memory the document takes, about.
func (d *document) weight() int64 {
	const overhead = 1 << 10
	return int64(len(d.text)+cap(d.body)+2*len(d.url)+len(d.title)+len(d.etag)+len(d.modified)) + overhead
}
