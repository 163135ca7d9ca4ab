package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed49eaa51d/pegboard/tools/web"
)

// bookmarks is a Backend of a host's own: it finds the pages that the user has marked.
type bookmarks []web.Hit

// Search returns the marked pages whose titles have a word of the query, and one page of them.
func (b bookmarks) Search(ctx context.Context, q web.Query) ([]web.Hit, error) {
	if b == nil {
		return nil, &web.BackendError{Backend: "Bookmarks", Status: http.StatusServiceUnavailable, Reason: "the user has not logged in"}
	}
	var found []web.Hit
	for _, h := range b {
		for word := range strings.FieldsSeq(strings.ToLower(q.Text)) {
			if q.Page == 0 && strings.Contains(strings.ToLower(h.Title), word) {
				found = append(found, h)
				break
			}
		}
	}
	return found, ctx.Err()
}

// The same code asks any backend.
func ExampleBackend() {
	marked := bookmarks{{Title: "The Go language", URL: "https://go.dev/"}, {Title: "Tides of Bergen", URL: "https://example.com/tides"}}
	for _, backend := range []web.Backend{marked, bookmarks(nil)} {
		hits, err := backend.Search(context.Background(), web.Query{Text: "go tutorial", Limit: 5})
		fmt.Println(hits, err)
	}
	// Output:
	// [{The Go language https://go.dev/ }] <nil>
	// [] Bookmarks: status 503 Service Unavailable: the user has not logged in
}
