package inspect_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
)

func TestNewRefusesWrongOptions(t *testing.T) {
	t.Parallel()
	var registry pegboard.Registry
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(t.Context())) })
	table := func() ([]string, [][]string) { return nil, nil }
	tests := []struct {
		name    string
		options inspect.Options
		want    string // empty: no error
	}{
		{name: "nothing", want: "the Registry is missing"},
		{name: "no session", options: inspect.Options{Registry: &registry}, want: "the Session is missing"},
		{name: "the least", options: inspect.Options{Registry: &registry, Session: session}},
		{name: "answers without a token", options: inspect.Options{Registry: &registry, Session: session, Answers: true}, want: "questions cannot be answered"},
		{name: "contents without a token", options: inspect.Options{Registry: &registry, Session: session, Contents: true}, want: "contents cannot be shown"},
		{name: "a short token", options: inspect.Options{Registry: &registry, Session: session, Token: strings.Repeat("a", 21)}, want: "the Token has 21 bytes"},
		{name: "a short token that nothing needs", options: inspect.Options{Registry: &registry, Session: session, Token: "1234"}, want: "the Token has 4 bytes"},
		{name: "a token as it should be", options: inspect.Options{Registry: &registry, Session: session, Token: rand.Text(), Answers: true, Contents: true}},
		{name: "a negative number of calls", options: inspect.Options{Registry: &registry, Session: session, Keep: -1}, want: "Keep is -1"},
		{name: "a section without rows", options: inspect.Options{Registry: &registry, Session: session, Sections: []inspect.Section{{Title: "Jobs"}}}, want: `section 1 ("Jobs") has no Rows`},
		{name: "a section", options: inspect.Options{Registry: &registry, Session: session, Sections: []inspect.Section{{Title: "Jobs", Rows: table}}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			page, err := inspect.New(tc.options)
			if tc.want != "" {
				require.ErrorContains(t, err, tc.want)
				require.Nil(t, page)
				return
			}
			require.NoError(t, err)
			require.NotNil(t, page)
		})
	}
}

func TestZeroPageIsHarmless(t *testing.T) {
	t.Parallel()
	for _, p := range []*inspect.Page{nil, {}} {
		p.Record(pegboard.Event{})
		w := httptest.NewRecorder()
		p.ServeHTTP(w, request(http.MethodGet, "/", nil))
		require.Equal(t, http.StatusNotFound, w.Code)
	}
}

// TestPageIsMountedAnywhere follows the links and redirects of a page as a browser does: at the
// root, below a prefix, and behind a proxy that strips one.
func TestPageIsMountedAnywhere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, start string
		mount       func(page http.Handler) http.Handler
	}{
		{name: "at the root", start: "/", mount: func(page http.Handler) http.Handler { return page }},
		{name: "below a prefix", start: "/debug/pegboard/", mount: func(page http.Handler) http.Handler {
			var mux http.ServeMux
			mux.Handle("/debug/pegboard/", http.StripPrefix("/debug/pegboard", page))
			return &mux
		}},
		{name: "below a prefix without the slash", start: "/debug/pegboard", mount: func(page http.Handler) http.Handler {
			return http.StripPrefix("/debug/pegboard", page)
		}},
		{name: "the slash is stripped, too", start: "/debug/pegboard/", mount: func(page http.Handler) http.Handler {
			return http.StripPrefix("/debug/pegboard/", page)
		}},
		{name: "behind a proxy that strips a prefix", start: "/tools/", mount: func(page http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inner, ok := strings.CutPrefix(r.URL.Path, "/tools")
				if !ok {
					http.NotFound(w, r)
					return
				}
				r = r.Clone(r.Context())
				r.URL.Path, r.RequestURI = inner, inner // as a server behind it would see them
				if r.URL.RawQuery != "" {
					r.RequestURI += "?" + r.URL.RawQuery
				}
				page.ServeHTTP(w, r)
			})
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, pegboard.SessionConfig{}, nil)
			b.cookies = map[string]string{}
			b.mounted = tc.mount(b.page)
			at, err := url.Parse("http://localhost:6060" + tc.start)
			require.NoError(t, err)
			visit := func(ref, method string, want int) string {
				for range 5 {
					next, err := at.Parse(ref)
					require.NoError(t, err)
					w := b.do(t, request(method, next.RequestURI(), nil))
					if w.Code != http.StatusSeeOther {
						require.Equal(t, want, w.Code, "%s", next)
						if method == http.MethodGet && strings.Contains(w.Body.String(), "<h1>") {
							at = next
						}
						return w.Body.String()
					}
					ref, method = w.Header().Get("Location"), http.MethodGet
					require.True(t, strings.HasPrefix(ref, "./"), ref)
					at = next
				}
				require.Fail(t, "it redirects for ever")
				return ""
			}
			visit("?token="+token, http.MethodGet, http.StatusOK)
			require.Equal(t, strings.TrimSuffix(tc.start, "/")+"/", at.Path)
			require.Empty(t, at.RawQuery)
			for _, ref := range references(t, visit("", http.MethodGet, http.StatusOK)) {
				require.NotContains(t, ref, "//")
				require.False(t, strings.HasPrefix(ref, "/"), ref)
				visit(ref, http.MethodGet, http.StatusOK)
			}
			visit("timeline?agent=0", http.MethodGet, http.StatusOK)
			visit("logout", http.MethodPost, http.StatusOK)
			visit("./", http.MethodGet, http.StatusUnauthorized)
		})
	}
}

func TestRequestsThatArePointless(t *testing.T) { //nolint:tparallel // the cases share one page
	t.Parallel()
	tests := []struct {
		name, method, path string
		want               int
	}{
		{name: "a path that is none", method: http.MethodGet, path: "/nothing", want: http.StatusNotFound},
		{name: "a path below a section", method: http.MethodGet, path: "/timeline/1", want: http.StatusNotFound},
		{name: "answering by GET", method: http.MethodGet, path: "/answer?id=1&answer=once", want: http.StatusMethodNotAllowed},
		{name: "logging out by GET", method: http.MethodGet, path: "/logout", want: http.StatusMethodNotAllowed},
		{name: "posting to a section", method: http.MethodPost, path: "/timeline", want: http.StatusMethodNotAllowed},
		{name: "an agent that is none", method: http.MethodGet, path: "/timeline?agent=x", want: http.StatusNotFound},
		{name: "rows of an agent that is none", method: http.MethodGet, path: "/rows?agent=-1", want: http.StatusNotFound},
		{name: "rows that are none", method: http.MethodGet, path: "/rows?calls=7,x,-1,99999999999999999999", want: http.StatusOK},
		{name: "a page that is none", method: http.MethodGet, path: "/timeline?page=99999", want: http.StatusOK},
		{name: "a page that is no number", method: http.MethodGet, path: "/timeline?page=x", want: http.StatusOK},
		{name: "only the headers", method: http.MethodHead, path: "/timeline", want: http.StatusOK},
	}
	b := newBench(t, pegboard.SessionConfig{}, nil)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, b.do(t, request(tc.method, tc.path, nil)).Code)
		})
	}
}
