package web

import (
	"container/list"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// cache keeps documents by the address that was asked for. It is safe for concurrent use.
type cache struct {
	lifetime time.Duration // negative: nothing is kept
	limit    int64         // bytes

	mu       sync.Mutex
	entries  map[string]*list.Element // of *cached
	recently list.List                // of cached, the last used first
	bytes    int64
}

type cached struct {
	address  string
	document *document
}

// of returns the entry of an element.
func of(e *list.Element) *cached {
	c, _ := e.Value.(*cached)
	return c
}

func newCache(lifetime time.Duration, limit int64) *cache {
	return &cache{lifetime: lifetime, limit: limit, entries: map[string]*list.Element{}}
}

// get returns the document of an address, or nil, and whether it can be used without asking
// the server.
func (c *cache) get(address string) (d *document, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[address]
	if e == nil {
		return nil, false
	}
	c.recently.MoveToFront(e)
	d = of(e).document
	return d, time.Since(d.received) < c.lifetime
}

// put keeps a document in the place of an earlier one, and drops those that were not used for
// longest if there is no room.
func (c *cache) put(address string, d *document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.entries[address])
	if c.lifetime < 0 || d.weight() > c.limit {
		return
	}
	c.entries[address] = c.recently.PushFront(&cached{address, d})
	for c.bytes += d.weight(); c.bytes > c.limit; {
		c.remove(c.recently.Back())
	}
}

// drop forgets an address.
func (c *cache) drop(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.entries[address])
}

// remove removes an entry, or nothing for nil. The caller holds mu.
func (c *cache) remove(e *list.Element) {
	if e == nil {
		return
	}
	gone := of(e)
	c.recently.Remove(e)
	delete(c.entries, gone.address)
	c.bytes -= gone.document.weight()
}

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
