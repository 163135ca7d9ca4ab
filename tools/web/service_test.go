package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

const secret = "tok-3n/+=secret"

// A kind is a backend of a service, as the documentation of the service shows it.
type kind struct {
	name  string
	make  func(address string) web.Backend
	hits  func(hits []web.Hit) any // the body of an answer
	keyed bool
}

var kinds = []kind{
	{name: "Brave", keyed: true, make: func(address string) web.Backend { return &web.Brave{Key: secret, URL: address} }, hits: func(hits []web.Hit) any {
		return map[string]any{"type": "search", "query": map[string]any{"original": "q"}, "web": map[string]any{"type": "search", "results": renamed(hits, "description")}}
	}},
	{name: "Tavily", keyed: true, make: func(address string) web.Backend { return &web.Tavily{Key: secret, URL: address} }, hits: func(hits []web.Hit) any {
		return map[string]any{"query": "q", "answer": nil, "images": []any{}, "response_time": 1.2, "results": renamed(hits, "content")}
	}},
	{name: "SearXNG", make: func(address string) web.Backend { return &web.SearXNG{URL: address} }, hits: func(hits []web.Hit) any {
		return map[string]any{"query": "q", "number_of_results": 0, "results": renamed(hits, "content"), "unresponsive_engines": []any{}}
	}},
}

// renamed returns hits as a service writes them, with other fields beside.
func renamed(hits []web.Hit, snippet string) []any {
	list := []any{}
	for _, h := range hits {
		list = append(list, map[string]any{"title": h.Title, "url": h.URL, snippet: h.Snippet, "score": 0.5, "engines": []string{"x"}})
	}
	return list
}

// served returns a server of this machine.
func served(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func writeJSON(t *testing.T, w http.ResponseWriter, status int, v any) {
	t.Helper()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		t.Error(err)
	}
}

// TestServicesGetWhatTheyDocument holds the requests against the documentation.
func TestServicesGetWhatTheyDocument(t *testing.T) {
	t.Parallel()
	query := web.Query{Text: "go fuzz & test", AllowedDomains: []string{"go.dev", "pkg.go.dev"}, Limit: 10}
	blocked := web.Query{Text: "q", BlockedDomains: []string{"a.example"}, Page: 2, Limit: 50}
	tests := []struct {
		name  string
		kind  kind
		query web.Query
		want  []string // method, path and query, header, body
	}{
		{name: "Brave", kind: kinds[0], query: query, want: []string{"GET /res/v1/web/search?count=10&q=go+fuzz+%26+test+site%3Ago.dev+OR+site%3Apkg.go.dev", secret, "", ""}},
		{name: "a later page of Brave", kind: kinds[0], query: blocked, want: []string{"GET /res/v1/web/search?count=20&offset=2&q=q+-site%3Aa.example", secret, "", ""}},
		{name: "Tavily", kind: kinds[1], query: query, want: []string{"POST /search", "", "Bearer " + secret, `{"query":"go fuzz \u0026 test","max_results":10,"include_domains":["go.dev","pkg.go.dev"]}`}},
		{name: "a later page of Tavily", kind: kinds[1], query: blocked},
		{name: "blocked by Tavily", kind: kinds[1], query: web.Query{Text: "q", BlockedDomains: []string{"a.example"}, Limit: 50}, want: []string{"POST /search", "", "Bearer " + secret, `{"query":"q","max_results":20,"exclude_domains":["a.example"]}`}},
		{name: "SearXNG", kind: kinds[2], query: query, want: []string{"GET /search?format=json&q=go+fuzz+%26+test", "", "", ""}},
		{name: "a later page of SearXNG", kind: kinds[2], query: blocked, want: []string{"GET /search?format=json&pageno=3&q=q", "", "", ""}},
		{name: "a page that Brave does not have", kind: kinds[0], query: web.Query{Text: "q", Page: 10, Limit: 10}},
		{name: "domains for which Brave has no room", kind: kinds[0], query: web.Query{Text: "q", AllowedDomains: slices.Repeat([]string{"long.example.com"}, 30), Limit: 1}, want: []string{"GET /res/v1/web/search?count=1&q=q", secret, "", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			server := served(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				got = []string{r.Method + " " + r.URL.RequestURI(), r.Header.Get("X-Subscription-Token"), r.Header.Get("Authorization"), string(body)}
				writeJSON(t, w, http.StatusOK, tt.kind.hits([]web.Hit{{Title: "T", URL: "https://go.dev/", Snippet: "S"}}))
			})
			hits, err := tt.kind.make(server.URL+"/").Search(t.Context(), tt.query)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			if tt.want != nil {
				require.Equal(t, []web.Hit{{Title: "T", URL: "https://go.dev/", Snippet: "S"}}, hits)
			}
		})
	}
}

// TestServicesFail is about answers other than hits. No text contains the key.
func TestServicesFail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		want    string
		error   web.BackendError // but for the reason
		noError bool
	}{
		{name: "no hit", answer: fixed(200, `{}`), noError: true},
		{name: "null", answer: fixed(200, `{"web":null,"results":null}`), noError: true},
		{name: "a quota", answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			fixed(429, `{"type":"ErrorResponse","error":{"code":"RATE_LIMITED","detail":"Request rate limit exceeded for plan."}}`)(w, r)
		}, want: "status 429 Too Many Requests: RATE_LIMITED: Request rate limit exceeded for plan.", error: web.BackendError{Status: 429, Temporary: true, After: 7 * time.Second}},
		{name: "a bad key, which is repeated", answer: fixed(401, `{"detail":{"error":"Unauthorized: the key `+secret+` or `+url.QueryEscape(secret)+` is invalid"}}`), want: "Unauthorized: the key", error: web.BackendError{Status: 401}},
		{name: "an HTML page", answer: fixed(502, "<html><body><h1>Bad gateway</h1></body></html>"), want: "status 502 Bad Gateway: Bad gateway", error: web.BackendError{Status: 502, Temporary: true}},
		{name: "no JSON", answer: fixed(200, "<html>"+secret), want: "the answer is not the JSON that its documentation shows"},
		{name: "half of the JSON", answer: fixed(200, `{"results":[{"title":"`), want: "not the JSON"},
		{name: "other types", answer: fixed(200, `{"results":"x","web":"`+secret+`"}`), want: "not the JSON"},
		{name: "too long", answer: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.Copy(w, io.LimitReader(zeros{}, 9<<20))
		}, want: "the answer is longer than 8 MiB"},
		{name: "a length that lies", answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fixed(200, `{}`)(w, r)
		}, want: "no answer: unexpected EOF", error: web.BackendError{Temporary: true}},
		{name: "a key at the cut", answer: fixed(500, strings.Repeat("x", 295)+secret), want: "xxx", error: web.BackendError{Status: 500, Temporary: true}},
		{name: "status 999", answer: fixed(999, ""), want: "status 999", error: web.BackendError{Status: 999, Temporary: true}},
	}
	for _, k := range kinds {
		for _, tt := range tests {
			t.Run(k.name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				hits, err := k.make(served(t, tt.answer).URL).Search(t.Context(), web.Query{Text: "q", Limit: 3})
				require.Empty(t, hits)
				if tt.noError {
					require.NoError(t, err)
					return
				}
				failed, ok := errors.AsType[*web.BackendError](err)
				require.True(t, ok, err)
				require.Contains(t, err.Error(), tt.want)
				if k.keyed {
					requireNoKey(t, fmt.Sprintf("%s %+v", err, *failed))
				}
				require.Equal(t, []any{k.name, tt.error.Status, tt.error.Temporary, tt.error.After}, []any{failed.Backend, failed.Status, failed.Temporary, failed.After})
			})
		}
	}
}

// zeros is an endless file of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func fixed(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func requireNoKey(t *testing.T, text string) {
	t.Helper()
	require.NotContains(t, text, secret[:4])
	require.NotContains(t, text, url.QueryEscape(secret))
}

// TestServicesAreNotLeft checks that a service sends its key nowhere else.
// The hits of a service are addresses of the web: it knows no file of this machine.
func TestServicesKnowNoFile(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			server := served(t, func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(k.hits([]web.Hit{{Title: "Keys", URL: " FILE:///home/me/.ssh/id_rsa"}, {Title: "Go", URL: "https://go.dev/"}}))
			})
			got := text(t, call(t, everything(t), web.Search(web.SearchOptions{Backend: k.make(server.URL)}), map[string]any{"query": "keys"}))
			require.Contains(t, got, "1 result without a usable address left out.")
			require.NotContains(t, got, "id_rsa")
		})
	}
}

func TestServicesAreNotLeft(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			var elsewhere atomic.Int64
			other := served(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
			server := served(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+"/", http.StatusTemporaryRedirect)
			})
			_, err := k.make(server.URL).Search(t.Context(), web.Query{Text: "q", Limit: 3})
			require.ErrorContains(t, err, "not followed")
			requireNoKey(t, err.Error())
			require.Zero(t, elsewhere.Load())
		})
	}
}

func TestServicesAddresses(t *testing.T) {
	t.Parallel()
	ask := func(b web.Backend) error {
		_, err := b.Search(t.Context(), web.Query{Text: "q", Limit: 3})
		return err
	}
	require.ErrorContains(t, ask(&web.Brave{}), "the program has no key for it")
	require.ErrorContains(t, ask(&web.Tavily{}), "the program has no key for it")
	require.ErrorContains(t, ask(&web.SearXNG{}), "its address is not an http or https URL")
	require.ErrorContains(t, ask(&web.SearXNG{URL: "https://u:p@example.com"}), "its address is not an http or https URL")
	require.ErrorContains(t, ask(&web.SearXNG{URL: "file:///x"}), "its address is not an http or https URL")
	require.ErrorContains(t, ask(&web.Brave{Key: secret, URL: "http://search.example.com"}), "a key is not sent over http")
	require.ErrorContains(t, ask(&web.Tavily{Key: secret, URL: "https://10.0.0.1/", Proxy: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}}), "not public")
	require.ErrorContains(t, ask(&web.Tavily{Key: secret, Proxy: &url.URL{Scheme: "gopher", Host: "x"}}), "cannot be used")
	closed := served(t, nil)
	closed.Close()
	err := ask(&web.SearXNG{URL: closed.URL})
	failed, ok := errors.AsType[*web.BackendError](err)
	require.True(t, ok)
	require.True(t, failed.Temporary, err)
	require.NotContains(t, err.Error(), "q=", "the query is not repeated")
}

func TestServiceThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			asked, release := make(chan struct{}), make(chan struct{})
			server := served(t, func(http.ResponseWriter, *http.Request) {
				close(asked)
				<-release
			})
			defer close(release)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			b := k.make(server.URL)
			watch(asked, cancel, done, func() error {
				_, err := b.Search(ctx, web.Query{Text: "q", Limit: 3})
				return err
			})
			require.ErrorIs(t, <-done, context.Canceled)
		})
	}
}

// watch runs f and cancels it when asked is closed.
func watch(asked <-chan struct{}, cancel context.CancelFunc, done chan<- error, f func() error) {
	go func() { done <- f() }()
	<-asked
	cancel()
}

func TestSearXNGWithoutJSON(t *testing.T) {
	t.Parallel()
	_, err := (&web.SearXNG{URL: served(t, fixed(403, "<p>Forbidden</p>")).URL}).Search(t.Context(), web.Query{Text: "q", Limit: 3})
	require.EqualError(t, err, "SearXNG: status 403 Forbidden: the instance refuses; it must allow the format json (search.formats in its settings)")
}

// TestSearchKeepsKeys looks for the key in everything that a call leaves.
func TestSearchKeepsKeys(t *testing.T) {
	t.Parallel()
	for _, k := range kinds[:2] {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			hit := web.Hit{Title: secret, URL: "https://go.dev/?k=" + url.QueryEscape(secret), Snippet: "<b>" + secret + "</b>"}
			answers := []http.HandlerFunc{
				func(w http.ResponseWriter, _ *http.Request) { writeJSON(t, w, http.StatusOK, k.hits([]web.Hit{hit})) },
				fixed(500, secret), fixed(200, secret),
			}
			for _, answer := range answers {
				data, out := searchFor(t, web.SearchOptions{Backend: k.make(served(t, answer).URL)}, `{"query":"q"}`)
				encoded, err := json.Marshal(data)
				require.NoError(t, err)
				requireNoKey(t, fmt.Sprintf("%+v %v %v %s %+v", out.Result, out.Result.Text(), out.Err, encoded, out.Result.Parts))
			}
		})
	}
}

// TestSearchRealServices asks the services for which the developer has a key.
func TestSearchRealServices(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]web.Backend{
		"BRAVE_API_KEY": &web.Brave{Key: os.Getenv("BRAVE_API_KEY")}, "TAVILY_API_KEY": &web.Tavily{Key: os.Getenv("TAVILY_API_KEY")},
		"SEARXNG_URL": &web.SearXNG{URL: os.Getenv("SEARXNG_URL")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.TrimSpace(os.Getenv(name)) == "" {
				t.Skip("the real service is asked only if " + name + " is set")
			}
			out := tooltest.Run(t.Context(), web.Search(web.SearchOptions{Backend: b}), nil, `{"query":"go fuzzing tutorial","allowed_domains":["go.dev"]}`)
			require.NoError(t, out.Err)
			found := outputOf(t, out).Results
			require.NotEmpty(t, found)
			for _, h := range found {
				require.Contains(t, h.URL, "go.dev")
			}
		})
	}
}
