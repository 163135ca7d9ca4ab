package inspect_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/internal/browser"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestPageAnswersToItsOwnNamesOnly: a name that someone else's server resolves may lead here.
func TestPageAnswersToItsOwnNamesOnly(t *testing.T) { //nolint:tparallel // the cases share one page
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, func(o *inspect.Options) { o.Hosts = []string{"Agent.example", "10.0.0.7:8080", ""} })
	tests := []struct {
		host string
		ours bool
	}{
		{"localhost", true},
		{"localhost:6060", true},
		{"LOCALHOST", true},
		{"a-name.localhost:6060", true},
		{"127.0.0.1:6060", true},
		{"127.83.0.9", true},
		{"[::1]:6060", true},
		{"[::1]", true},
		{"[::ffff:127.0.0.1]:6060", true},
		{"agent.example", true},
		{"agent.example:443", true},
		{"10.0.0.7:8080", true},
		{"10.0.0.7:8081", false},
		{"10.0.0.7", false},
		{"", false},
		{":6060", false},
		{"evil.example", false},
		{"localhost.evil.example", false},
		{"127.0.0.1.evil.example", false},
		{"evil.localhost.example", false},
		{"evillocalhost", false},
		{"localhost.", false},
		{"0.0.0.0:6060", false},
		{"[::]:6060", false},
		{"192.168.1.2", false},
		{"127.1", false}, // a browser writes it out
		{"2130706433", false},
		{"localhost\u202e", false},
	}
	for _, tc := range tests {
		t.Run(tc.host, func(t *testing.T) {
			for _, path := range []string{"/", "/timeline", "/events", "/style.css", "/nothing"} {
				r := request(http.MethodGet, path, nil)
				r.Host = tc.host
				r.Header.Set("X-Forwarded-Host", "localhost")
				if !tc.ours {
					require.Equal(t, http.StatusForbidden, b.do(t, r).Code, path)
				} else if path != "/events" {
					require.NotEqual(t, http.StatusForbidden, b.do(t, r).Code, path)
				}
			}
		})
	}
}

// TestRequestsOfOtherSitesAreRefused, as browsers send them for forms, scripts and frames.
func TestRequestsOfOtherSitesAreRefused(t *testing.T) { //nolint:tparallel // the cases share one page
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, nil)
	tests := []struct {
		name, method, path string
		header             map[string]string
		want               int
	}{
		{name: "a form of another site", method: http.MethodPost, path: "/answer", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, want: http.StatusForbidden},
		{name: "a form of another port", method: http.MethodPost, path: "/answer", header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, want: http.StatusForbidden},
		{name: "a form in an old browser", method: http.MethodPost, path: "/answer", header: map[string]string{"Origin": "https://evil.example"}, want: http.StatusForbidden},
		{name: "a form of a sandboxed frame", method: http.MethodPost, path: "/answer", header: map[string]string{"Origin": "null"}, want: http.StatusForbidden},
		{name: "a fetch of another site", method: http.MethodGet, path: "/timeline", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"}, want: http.StatusForbidden},
		{name: "a fetch of another port", method: http.MethodGet, path: "/rows?questions", header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, want: http.StatusForbidden},
		{name: "a script of another site", method: http.MethodGet, path: "/script.js", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, want: http.StatusForbidden},
		{name: "a frame of another site", method: http.MethodGet, path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, want: http.StatusForbidden},
		{name: "a frame of the same site", method: http.MethodGet, path: "/", header: map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, want: http.StatusForbidden},
		{name: "a link of another site", method: http.MethodGet, path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, want: http.StatusOK},
		{name: "the page itself", method: http.MethodGet, path: "/rows?questions", header: map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, want: http.StatusOK},
		{name: "the address bar", method: http.MethodGet, path: "/", header: map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, want: http.StatusOK},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := request(tc.method, tc.path, nil)
			for name, value := range tc.header {
				r.Header.Set(name, value)
			}
			require.Equal(t, tc.want, b.do(t, r).Code)
		})
	}
}

// TestNothingIsSeenWithoutTheToken tries every path, as a program on this machine would.
func TestNothingIsSeenWithoutTheToken(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, nil, writer("Write"))
	b.run(t, call("call-k4nary", "Write", `{"path":"k4nary"}`))
	name, value := "", ""
	for name, value = range b.cookies {
		break
	}
	paths := []string{"/", "/timeline", "/call?n=1", "/rows?calls=1", "/rows?questions", "/events", "/answer", "/logout", "/style.css", "/script.js", "/nothing", ""}
	require.Contains(t, b.see(t, "/timeline"), "k4nary")
	b.cookies = map[string]string{}
	for _, path := range paths {
		for _, query := range []string{"", "token=", "token=" + token[1:], "token=" + token + "x", "token=" + strings.ToUpper(token), "Token=" + token} {
			for _, cookie := range []string{"", name + "=", name + "=" + token, name + "=" + value[1:], "token=" + token, "pegboard=" + value, strings.ToUpper(name) + "=" + value} {
				for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodHead, http.MethodPut, http.MethodOptions} {
					for _, auth := range []string{"", "Bearer " + token} {
						glue := "?"
						if strings.Contains(path, "?") {
							glue = "&"
						}
						r := request(method, path+glue+query, nil)
						if cookie != "" {
							r.Header.Set("Cookie", cookie)
						}
						if auth != "" {
							r.Header.Set("Authorization", auth)
						}
						w := b.do(t, r)
						require.Equal(t, http.StatusUnauthorized, w.Code, "%s %s with %q", method, r.URL, cookie)
						require.NotContains(t, w.Body.String(), "k4nary")
						require.NotContains(t, w.Body.String(), "Write")
						require.Empty(t, w.Result().Cookies())
					}
				}
			}
		}
	}
}

func TestCookieAndHeaders(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, nil)
	w := b.get(t, "/timeline?token="+token+"&agent=0")
	require.Equal(t, http.StatusOK, w.Code, "who is logged in keeps the address")
	b.cookies = map[string]string{}
	w = b.get(t, "/timeline?token="+token+"&agent=0")
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, "./timeline?agent=0", w.Header().Get("Location"))
	cookies := w.Result().Cookies()
	require.Len(t, cookies, 1)
	require.True(t, cookies[0].HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookies[0].SameSite)
	require.Empty(t, cookies[0].Path, "so that it is for the folder of the page only")
	require.NotContains(t, cookies[0].Value, token)
	for _, path := range []string{"/", "/timeline", "/style.css", "/nothing", "/rows?questions"} {
		h := b.get(t, path).Header()
		require.Equal(t, "no-store", h.Get("Cache-Control"), path)
		require.Equal(t, "no-referrer", h.Get("Referrer-Policy"), path)
		require.Equal(t, "DENY", h.Get("X-Frame-Options"), path)
		policy := h.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "frame-ancestors 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
	}
}

// TestLogoutEndsAllLogins: a cookie that was copied before opens nothing afterwards.
func TestLogoutEndsAllLogins(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, nil)
	var copied http.Cookie
	for name, value := range b.cookies {
		copied = http.Cookie{Name: name, Value: value}
	}
	require.Equal(t, http.StatusOK, b.post(t, "/logout", nil).Code)
	require.Empty(t, b.cookies)
	r := request(http.MethodGet, "/", nil)
	r.AddCookie(&copied)
	require.Equal(t, http.StatusUnauthorized, b.do(t, r).Code)
	require.Equal(t, http.StatusSeeOther, b.get(t, "/?token="+token).Code)
	require.Equal(t, http.StatusOK, b.get(t, "/").Code)
}

// TestPageWithATokenNeedsItWhateverItShows and answers.
func TestPageWithATokenNeedsItWhateverItShows(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, func(o *inspect.Options) { o.Answers, o.Contents = false, false })
	b.see(t, "/")
	b.cookies = map[string]string{}
	require.Equal(t, http.StatusUnauthorized, b.get(t, "/").Code)
}

// elsewhere serves a page of another program on this machine. To a browser it is of the same
// site, for which the port does not count: it gets the cookie, too.
func elsewhere(t *testing.T, body string) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<!doctype html><title>elsewhere</title><link rel="icon" href="data:,">`+body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestOthersAreKeptOutInABrowser: pages of other programs and sites use a browser that has
// logged in, and neither see the page nor answer a question.
func TestOthersAreKeptOutInABrowser(t *testing.T) {
	t.Parallel()
	s, b := newScene(t, t.TempDir()), browser.Start(t)
	ended := s.asked(t, 1, call("1", "Write", `{"file_path":"note.md","content":"k4nary"}`))
	t.Cleanup(func() { s.denies(t, ended) })
	id := s.session.Questions()[0].ID
	own := s.address
	tests := []struct {
		name string
		page string // of another program
		does string // in JavaScript; its value is what that page gets to know
		says string
		told string // to the person, in the console
	}{
		{name: "a form", page: fmt.Sprintf(`<form method="post" action="%s/answer"><input name="id" value="%s"><input name="answer" value="once"></form>`, own, html.EscapeString(id)),
			does: `document.forms[0].submit(), ""`},
		{name: "a fetch", does: fmt.Sprintf(`fetch("%s/", {credentials: "include"}).then(r => r.text(), e => "refused " + e)`, own), says: "refused"},
		{name: "a fetch that does not read", does: fmt.Sprintf(`fetch("%s/answer", {method: "POST", mode: "no-cors", credentials: "include", headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: "id=%s&answer=once"}).then(r => r.type, () => "refused")`, own, id), says: "refused"},
		{name: "a script", does: fmt.Sprintf(`new Promise(done => { const s = document.createElement("script"); s.src = "%s/script.js"; s.onload = () => done("loaded"); s.onerror = () => done("refused"); document.head.append(s); })`, own), says: "refused"},
		{name: "a frame", page: fmt.Sprintf(`<iframe src="%s/"></iframe>`, own), does: `"refused"`, says: "refused", told: "frame"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := s.open(t, b, browser.Options{})
			p.AwaitText("note.md")
			p.Go(elsewhere(t, tc.page))
			var knows string
			if tc.says == "" {
				p.Follow(func() { p.Eval(tc.does, &knows) })
				require.Contains(t, p.Text("body"), "from another site")
			} else {
				p.Eval(tc.does, &knows)
			}
			require.Contains(t, knows, tc.says)
			if tc.told != "" {
				require.Contains(t, strings.Join(p.Problems(), "\n"), tc.told)
			}
			require.NotContains(t, knows, "note.md")
			require.Len(t, s.session.Questions(), 1, "the question is still open")
		})
	}
	t.Run("a name that leads to this machine", func(t *testing.T) {
		t.Parallel()
		p := b.Open(t, browser.Options{})
		p.Go(strings.Replace(own, "127.0.0.1", browser.Rebound, 1) + "/?token=" + token)
		require.Contains(t, p.Text("body"), "names of this machine only")
	})
	t.Run("without the token", func(t *testing.T) {
		t.Parallel()
		p := b.Open(t, browser.Options{})
		p.Go(own + "/timeline")
		require.Contains(t, p.Text("body"), "needs its token")
	})
}

// TestLogoutInABrowser leaves nothing that the button Back shows.
func TestLogoutInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	for _, noScript := range []bool{false, true} {
		t.Run(fmt.Sprintf("without scripts %v", noScript), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, t.TempDir())
			s.run(t, call("1", "Read", `{"file_path":"README.md"}`))
			p := s.open(t, b, browser.Options{NoScript: noScript})
			p.Go(s.address + "/timeline")
			p.AwaitText("Read README.md")
			p.Follow(func() { p.Click("header button") })
			require.Contains(t, p.Text("body"), "Logged out")
			p.Follow(func() { p.Eval("history.back(), 0", nil) })
			require.NotContains(t, p.Text("body"), "README.md")
			require.Contains(t, p.Text("body"), "needs its token")
		})
	}
}
