package web

import (
	"context"
	"net/http"
	"net/url"
)

// Limits of the service, from its documentation.
const (
	tavilyAddress = "https://api.tavily.com"
	tavilyCount   = 20 // results of a query
)

// Tavily is the [Backend] of the Tavily Search API, which has one page of at most 20 hits. Its
// fields must not change once it is in use. It may be used by any number of goroutines. An error
// is a *[BackendError].
type Tavily struct {
	Key   string   // required
	URL   string   // of the API, which need not be public unless there is a proxy; empty means https://api.tavily.com
	Proxy *url.URL // for a program that has no other way out; nil means none

	connection connection
}

// String returns the name and no key.
func (t *Tavily) String() string { return "Tavily" }

// GoString returns what String does.
func (t *Tavily) GoString() string { return t.String() }

// tavilyQuery is the body of a request.
type tavilyQuery struct {
	Query          string   `json:"query"`
	MaxResults     int      `json:"max_results"`
	IncludeDomains []string `json:"include_domains,omitempty"`
	ExcludeDomains []string `json:"exclude_domains,omitempty"`
}

// Search implements [Backend].
func (t *Tavily) Search(ctx context.Context, q Query) ([]Hit, error) {
	s := &service{name: "Tavily", address: t.URL, own: t.URL != "" && t.Proxy == nil, key: t.Key, proxy: t.Proxy}
	if t.URL == "" {
		s.address = tavilyAddress
	}
	if t.Key == "" {
		return nil, s.failure("the program has no key for it", nil)
	}
	if q.Page != 0 {
		return nil, nil
	}
	body := tavilyQuery{
		Query: q.Text, MaxResults: min(max(q.Limit, 1), tavilyCount),
		IncludeDomains: q.AllowedDomains, ExcludeDomains: q.BlockedDomains,
	}
	var answer struct {
		Results []struct{ Title, URL, Content string }
	}
	err := t.connection.ask(ctx, s, "/search", nil, http.Header{"Authorization": {"Bearer " + t.Key}}, body, &answer)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, r := range answer.Results {
		hits = append(hits, s.hit(r.Title, r.URL, r.Content))
	}
	return hits, nil
}
