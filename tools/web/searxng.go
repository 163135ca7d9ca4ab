package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// SearXNG is the [Backend] of an instance of SearXNG, which is usually one's own. It must allow
// the format json, which is off by default: search.formats in its settings. The fields must not
// change once it is in use. It may be used by any number of goroutines. An error is a
// *[BackendError].
//
// An instance has no filter for domains and decides itself how many hits a page has.
type SearXNG struct {
	URL string // of the instance, which need not be public; required

	connection connection
}

// Search implements [Backend].
func (x *SearXNG) Search(ctx context.Context, q Query) ([]Hit, error) {
	s := &service{name: "SearXNG", address: x.URL, own: true}
	if q.Page < 0 {
		return nil, nil
	}
	query := url.Values{"q": {q.Text}, "format": {"json"}}
	if q.Page > 0 {
		query.Set("pageno", strconv.Itoa(q.Page+1))
	}
	var answer struct {
		Results []struct{ Title, URL, Content string }
	}
	err := x.connection.ask(ctx, s, "/search", query, nil, nil, &answer)
	if failed, ok := errors.AsType[*BackendError](err); ok && failed.Status == http.StatusForbidden {
		failed.Reason = "the instance refuses; it must allow the format json (search.formats in its settings)"
	}
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, r := range answer.Results {
		hits = append(hits, s.hit(r.Title, r.URL, r.Content))
	}
	return hits, nil
}
