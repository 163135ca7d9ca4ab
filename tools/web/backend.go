package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Backend finds pages for [Search]. [Brave], [Tavily] and [SearXNG] ask a service, and [Folder]
// searches files of this machine.
type Backend interface {
	// Search returns the hits of one page, the best first. No hit means that there are no more
	// pages. Hits beyond q.Limit are used, too. Domains may be ignored: Search applies them
	// again. The host's user may read the error, and so may the model: it must contain no key.
	// Search ends when ctx does, and may be called concurrently.
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// A Query is one request to a [Backend]. The model wrote the text and the domains.
type Query struct {
	Text string // one line, not empty
	// AllowedDomains and BlockedDomains are host names in lower-case ASCII. Each stands for all
	// names below it, too. At most one of the lists has entries.
	AllowedDomains, BlockedDomains []string
	Page                           int // counted from 0
	Limit                          int // hits of a page; at least 1
}

// A Hit is a page that a [Backend] found. Title and Snippet may contain HTML; Search shows their
// text. A hit whose URL is not an absolute http, https or file address is left out.
type Hit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// A BackendError is the failure of a search service. Its text contains no key.
type BackendError struct {
	Backend   string        // the name of the service
	Status    int           // of HTTP; 0 means that there was no answer
	Reason    string        // the words of the service, or the mistake in its answer
	Temporary bool          // the same request may succeed later; Search repeats it
	After     time.Duration // how long the service asks to wait before that; 0 means that it does not say

	cause error // of the context
}

func (e *BackendError) Error() string {
	parts := []string{e.Backend}
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the error of the context that ended the request, or nil.
func (e *BackendError) Unwrap() error { return e.cause }
