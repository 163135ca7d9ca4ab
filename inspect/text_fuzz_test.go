package inspect_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// elements are all that the page is made of.
var elements = strings.Fields("html head meta title link script body a header p nav ul li span form button main h1 h2 noscript div article dl dt dd ol section b svg rect details summary pre input label select option textarea figure figcaption ins del table thead tbody tr th td")

// harmless reports what a text has done to a page that it should not: an element or attribute
// that the page does not have, or a character that is not seen.
func harmless(t *testing.T, page string) {
	t.Helper()
	require.True(t, utf8.ValidString(page))
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
	}
	require.Equal(t, -1, strings.IndexFunc(page, hidden), "%q", page)
	z := html.NewTokenizer(strings.NewReader(page))
	scripts := 0
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		require.True(t, slices.Contains(elements, token.Data), "<%s> in %s", token.Data, page)
		if token.Data == "script" {
			scripts++
		}
		for _, a := range token.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc", "%s=%q", a.Key, a.Val)
			if a.Key == "href" || a.Key == "src" || a.Key == "action" {
				require.False(t, strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:"), a.Val)
				require.NotContains(t, a.Val, "//")
			}
		}
	}
	require.LessOrEqual(t, scripts, 1)
}

// FuzzTexts puts one text wherever a page shows one that is not its own.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{
		"", "plain", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</pre></textarea></title></svg><b>", "{{.}} {{template \"page\"}}", "&#8238;&lt;",
		"\x00\x01\x07", "\x1b[2J\x1b]0;owned\x07", "\u202eevil\u202c\u2066\u2069\u200f", "\u2028\u2029\ufeff\u00ad\u3164", "a\r\nb\tc", "\xff\xfe\xc3(", "javascript:alert(1)", "//evil.example", "💥👩‍👩‍👧", strings.Repeat("x", 5000), strings.Repeat("\u202e", 3000),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(map[string]string{"path": text, text: text})
		require.NoError(t, err)
		tool := tooltest.FakeConfig{Name: "Write", Title: text, Traits: pegboard.Traits{Concurrency: pegboard.PerTarget}, Targets: func(json.RawMessage) []policy.Target {
			return []policy.Target{{Kind: policy.Path, Value: text}, {Kind: policy.Command, Value: text}, {Kind: policy.Opaque, Value: text}}
		}, Summary: func(json.RawMessage) pegboard.Summary {
			return pegboard.Summary{Title: text, Before: text, While: text}
		}}.New(tooltest.Reply{Text: text})
		emits := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Emit"}, Description: "It says: " + text,
			Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				c.Emit(text)
				return text, nil
			},
		})
		b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AgentID: text, Permissions: permissions(t, policy.RuleSet{Source: policy.Source(text), Allow: []string{"Emit"}})}, func(o *inspect.Options) {
			o.Sections = []inspect.Section{
				{Title: text, Rows: func() ([]string, [][]string) { return []string{text}, [][]string{{text}} }},
				{Title: "Broken", Rows: func() ([]string, [][]string) { panic(text) }},
			}
		}, tool, emits)
		_, _ = b.registry.Attach("forge", tooltest.FakeConfig{Name: "create", Title: text, Description: "It says: " + text}.New())
		b.run(t, call(text, "Emit", `{}`), call("2", text, string(quoted)))
		outs := b.asked(t, 1, call(text, "Write", string(quoted)))
		query := url.QueryEscape(text)
		for _, path := range []string{
			"/", "/timeline", "/call?n=1", "/call?n=2", "/call?n=3", "/pools?name=" + query, "/try", "/search?q=" + query, "/results", "/rules", "/section-1", "/section-2",
			"/rows?calls=1,2,3", "/rows?questions", "/rows?calls=" + query, "/result?ref=" + query, "/timeline?agent=" + query, "/call?n=" + query, "/pools?agent=" + query,
		} {
			harmless(t, b.get(t, path).Body.String())
		}
		harmless(t, b.post(t, "/decide", url.Values{"tool": {text}, "input": {text}}).Body.String())
		harmless(t, b.post(t, "/decide", url.Values{"tool": {"Write"}, "input": {string(quoted)}}).Body.String())
		harmless(t, b.post(t, "/answer", url.Values{"id": {text}, "answer": {text}}).Body.String())
		require.Equal(t, http.StatusSeeOther, b.post(t, "/answer", url.Values{"id": {b.session.Questions()[0].ID}, "answer": {"deny"}, "reason": {text}}).Code)
		<-outs
		harmless(t, b.see(t, "/call?n=3"))
	})
}
