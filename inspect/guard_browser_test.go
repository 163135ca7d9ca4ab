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

	"github.com/seed49eaa51d/pegboard/internal/browser"
)

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
	t.Cleanup(func() {
		answers(t, s.bench)
		<-ended
	})
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
