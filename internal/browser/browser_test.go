package browser_test

import (
	"bytes"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/browser"
	"github.com/seed49eaa51d/pegboard/internal/reference"
)

const form = `<!doctype html><html lang="en"><title>a form</title><link rel="icon" href="data:,"><body style="margin:0">
<form action="/sent"><input name="first" aria-label="first"><input name="second" aria-label="second"><button>Send</button></form>
<p id="script">no script</p><script>document.getElementById("script").textContent = "script " + innerWidth</script>`

// serve answers with a form, pages with faults, and the form's fields.
func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	text := func(path, policy, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "QUERY", r.URL.RawQuery))
		})
	}
	const head = `<!doctype html><title>x</title><link rel="icon" href="data:,">`
	text("/form", "", form)
	text("/sent", "", head+`<p>QUERY</p>`)
	text("/console", "", head+`<script>console.log("a word")</script>`)
	text("/exception", "", head+`<script>undefinedFunction()</script>`)
	text("/blocked", "default-src 'none'; img-src data:", head+`<style>p{color:red}</style><p>x</p>`)
	text("/missing", "", head+`<img src="/gone.png" alt="">`)
	text("/outside", "", head+`<img src="http://pegboard.example/a.png" alt="">`)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestBrowser(t *testing.T) {
	t.Parallel()
	b, address := browser.Start(t), serve(t)

	t.Run("a person fills in a form", func(t *testing.T) {
		t.Parallel()
		p := b.Open(t, browser.Options{Width: 400, Height: 300})
		p.Go(address + "/form")
		require.Equal(t, "script 400", p.Text("#script"))
		p.Press("Tab")
		p.Type("one")
		p.Press("Tab")
		p.Type("two")
		p.Press("Shift+Tab")
		p.Press("Tab")
		p.Press("Tab")
		p.Follow(func() { p.Press("Enter") })
		p.AwaitText("first=one&second=two")
		p.Go(address + "/form")
		p.Follow(func() { p.Click("button") })
		require.Equal(t, "first=&second=", p.Text("p"))
		require.Empty(t, p.Problems())
	})
	t.Run("without script", func(t *testing.T) {
		t.Parallel()
		p := b.Open(t, browser.Options{NoScript: true})
		p.Go(address + "/form")
		require.Equal(t, "no script", p.Text("#script"))
		p.Reload()
		require.Empty(t, p.Problems())
	})
	t.Run("a picture", func(t *testing.T) {
		t.Parallel()
		p := b.Open(t, browser.Options{Width: 321, Height: 123})
		p.Go(address + "/form")
		image, err := png.DecodeConfig(bytes.NewReader(p.Screenshot()))
		require.NoError(t, err)
		require.Equal(t, []int{321, 123}, []int{image.Width, image.Height})
	})
	for path, says := range map[string]string{
		"/console": "a word", "/exception": "undefinedFunction", "/blocked": "Content Security Policy",
		"/missing": "404", "/outside": "ERR_NAME_NOT_RESOLVED",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := b.Open(t, browser.Options{})
			p.Go(address + path)
			require.Contains(t, strings.Join(p.Problems(), "\n"), says)
		})
	}
}

// TestBrowserFindsWhatIsHardToUse shows pages with one fault each.
func TestBrowserFindsWhatIsHardToUse(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	const head = `<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,"><main><h1>x</h1>`
	tests := []struct {
		name, body string
		check      func(*browser.Page) []string
		axe        bool   // check with axe-core
		only       string // the rule, or "" for all
		found      string // "" means nothing
	}{
		{name: "a label", body: `<label>a <input></label>`, axe: true},
		{name: "no label", body: `<input>`, axe: true, found: "label: Form elements must have labels"},
		{name: "pale", body: `<p style="color:#ccc">a pale text</p>`, axe: true, found: "color-contrast"},
		{name: "no label and pale", body: `<input><p style="color:#ccc">a pale text</p>`, axe: true, only: "color-contrast", found: "color-contrast"},
		{name: "no label, and only contrast", body: `<input>`, axe: true, only: "color-contrast"},
		{name: "narrow", body: `<p style="width:300px">x</p>`, check: (*browser.Page).Overflowing},
		{name: "wide", body: `<p style="width:500px">x</p>`, check: (*browser.Page).Overflowing, found: "p x: to "},
		{name: "wide inside", body: `<div style="overflow-x:auto"><p style="width:500px">x</p></div>`, check: (*browser.Page).Overflowing},
		{name: "in the order", body: `<a href="#">a</a><button>b</button><input><details><summary>c</summary><a href="#">d</a></details>`, check: (*browser.Page).Unreached},
		{name: "out of the order", body: `<a href="#">a</a><button tabindex="-1">b</button>`, check: (*browser.Page).Unreached, found: "button b"},
		{name: "an outline", body: `<a href="#">a</a>`, check: (*browser.Page).InvisibleFocus},
		{name: "no outline", body: `<a href="#" style="outline:none">a</a>`, check: (*browser.Page).InvisibleFocus, found: "a a"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := b.Open(t, browser.Options{Width: 400, Height: 300})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, head+tc.body)
			}))
			defer s.Close()
			p.Go(s.URL)
			check := tc.check
			if tc.axe {
				source := reference.Source(t, reference.Axe)
				check = func(p *browser.Page) []string { return p.Violations(source, strings.Fields(tc.only)...) }
			}
			found := strings.Join(check(p), "\n")
			if tc.found == "" {
				require.Empty(t, found)
			} else {
				require.Contains(t, found, tc.found)
			}
		})
	}
}
