package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of the service, from its documentation.
const (
	braveAddress = "https://api.search.brave.com"
	braveCount   = 20  // results of a page
	bravePages   = 10  // of a query
	braveQuery   = 400 // characters
	braveWords   = 50
)

// Brave is the [Backend] of the Brave Search API. Its fields must not change once it is in use.
// It may be used by any number of goroutines. An error is a *[BackendError].
//
// Domains are sent as words of the query, as far as they fit.
type Brave struct {
	Key   string   // of the subscription; required
	URL   string   // of the API, which need not be public unless there is a proxy; empty means https://api.search.brave.com
	Proxy *url.URL // for a program that has no other way out; nil means none

	connection connection
}

// String returns the name and no key.
func (b *Brave) String() string { return "Brave" }

// GoString returns what String does.
func (b *Brave) GoString() string { return b.String() }

// Search implements [Backend].
func (b *Brave) Search(ctx context.Context, q Query) ([]Hit, error) {
	s := &service{name: "Brave", address: b.URL, own: b.URL != "" && b.Proxy == nil, key: b.Key, proxy: b.Proxy}
	if b.URL == "" {
		s.address = braveAddress
	}
	if b.Key == "" {
		return nil, s.failure("the program has no key for it", nil)
	}
	if q.Page < 0 || q.Page >= bravePages {
		return nil, nil
	}
	query := url.Values{"q": {braveText(q)}, "count": {strconv.Itoa(min(max(q.Limit, 1), braveCount))}}
	if q.Page > 0 {
		query.Set("offset", strconv.Itoa(q.Page))
	}
	var answer struct {
		Web struct {
			Results []struct{ Title, URL, Description string }
		}
	}
	err := b.connection.ask(ctx, s, "/res/v1/web/search", query, http.Header{"X-Subscription-Token": {b.Key}}, nil, &answer)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, r := range answer.Web.Results {
		hits = append(hits, s.hit(r.Title, r.URL, r.Description))
	}
	return hits, nil
}

// braveText returns the query with the words for its domains, if they fit. Search applies the
// domains in any case.
func braveText(q Query) string {
	text := q.Text
	words := make([]string, 0, len(q.AllowedDomains)+len(q.BlockedDomains))
	for _, domain := range q.AllowedDomains {
		words = append(words, "site:"+domain)
	}
	for _, domain := range q.BlockedDomains {
		words = append(words, "-site:"+domain)
	}
	separator := " "
	if len(q.AllowedDomains) > 1 {
		separator = " OR "
	}
	if filter := strings.Join(words, separator); filter != "" {
		text += " " + filter
	}
	if utf8.RuneCountInString(text) > braveQuery || len(strings.Fields(text)) > braveWords {
		return q.Text
	}
	return text
}
