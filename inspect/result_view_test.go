package inspect_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// lines is a text of many bytes whose parts can be told apart.
func lines(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "line %d of ä text\n", i)
	}
	return b.String()
}

// TestStoredResultIsReadPageByPage, and nothing of it is left out.
func TestStoredResultIsReadPageByPage(t *testing.T) {
	t.Parallel()
	text := lines(5000)
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Log"}})}, nil, tooltest.NewFake("Log", tooltest.Reply{Text: text}))
	b.run(t, call("1", "Log", `{}`))
	page := b.see(t, "/results")
	link := regexp.MustCompile(`<a href="call\?n=1">call 1</a>, Log: <a href="(result\?ref=[^"]*)">\[Result too long`).FindStringSubmatch(page)
	require.NotNil(t, link)
	require.Contains(t, b.see(t, "/call?n=1"), link[1])
	read, next := "", "/"+html.UnescapeString(link[1])
	body := regexp.MustCompile(`(?s)<pre>(.*)</pre>`)
	after := regexp.MustCompile(`<a href="(\?[^"]*)">After</a>`)
	for next != "" {
		page := b.see(t, next)
		read += html.UnescapeString(body.FindStringSubmatch(page)[1])
		next = ""
		if m := after.FindStringSubmatch(page); m != nil {
			next = "/result" + html.UnescapeString(m[1])
		}
	}
	require.Equal(t, text, read)
	require.Contains(t, b.see(t, "/"+html.UnescapeString(link[1])+"&from=999999999"), "<pre></pre>")
}

func TestResultsThatAreNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, nil)
	for _, ref := range []string{"", "nothing", "../../../etc/passwd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "a%00b", strings.Repeat("x", 10_000)} {
		w := b.get(t, "/result?ref="+ref)
		require.Equal(t, http.StatusNotFound, w.Code, ref)
		require.NotContains(t, w.Body.String(), "root:")
	}
}

func TestTrimmedResultsAreListed(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 3500, Preview: 20}}, nil)
	b.session.TrimResults(t.Context(), []pegboard.HistoryResult{
		{CallID: "kept", Tool: "Log", Turn: 1, Text: lines(100)},
		{CallID: "cut", Tool: "Log", Turn: 1, Text: lines(200)},
	})
	page := b.see(t, "/results")
	require.Contains(t, page, "main agent, Log cut: ")
	require.NotContains(t, page, "Log kept: ")
	link := regexp.MustCompile(`too long together with those beside it, <a href="(result\?ref=[^"]*)">stored</a>`).FindStringSubmatch(page)
	require.NotNil(t, link)
	require.Contains(t, b.see(t, "/"+html.UnescapeString(link[1])), "line 199 of")
}

func TestResultsWithoutContents(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Log"}})}, func(o *inspect.Options) { o.Contents = false }, tooltest.NewFake("Log", tooltest.Reply{Text: lines(5000)}))
	outs := b.run(t, call("1", "Log", `{}`))
	page := b.see(t, "/results")
	require.Contains(t, page, "Results are not shown on this page.")
	require.NotContains(t, page, "?ref=")
	require.Equal(t, http.StatusForbidden, b.get(t, "/result?ref="+outs[0].Result.Parts[0].Ref).Code)
}
