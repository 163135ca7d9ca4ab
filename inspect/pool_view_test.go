package inspect_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// library is a bench with a server whose tools wait for a search.
func library(t *testing.T) *bench {
	t.Helper()
	cfg := pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOn}}
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Secret"}})},
		func(o *inspect.Options) { o.Pool = cfg },
		writer("Write"), tooltest.NewFake("Secret"), pegboard.ToolSearch(pegboard.SearchOptions{}))
	_, err := b.registry.Attach("forge",
		tooltest.FakeConfig{Name: "create_issue", Title: "New issue", Description: "Opens an issue in a tracker.", InputSchema: `{"type":"object","properties":{"title":{"type":"string"}}}`}.New(),
		tooltest.FakeConfig{Name: "list_branches", Description: "Lists branches."}.New(),
		pegboard.InvalidTool("broken", errors.New("its schema is no schema")))
	require.NoError(t, err)
	return b
}

func TestPoolIsShown(t *testing.T) {
	t.Parallel()
	b := library(t)
	page := b.see(t, "/pools")
	require.Contains(t, page, "<h2>4 tools in prompt order</h2>")
	require.Regexp(t, `<td>ToolSearch <span class="quiet">Find tools</span></td><td>built-in, in the prompt</td><td class="number">\d+</td><td class="number">\d+</td>`, page)
	require.Regexp(t, `<td>mcp__forge__create_issue <span class="quiet">New issue</span></td><td>external, waits for a search</td>`, page)
	require.Regexp(t, `<td>Secret</td><td></td><td>[^<]*Secret`, page)
	require.Regexp(t, `broken</td><td>forge</td><td>quarantined: [^<]*its schema is no schema`, page)
	pool := b.registry.AssemblePool(b.session, b.options.Pool)
	require.Contains(t, page, pool.Fingerprint(pegboard.Builtin))
	require.Contains(t, page, pool.Fingerprint(pegboard.External))
	b.session.SetLoaded("mcp__forge__create_issue")
	require.Contains(t, b.see(t, "/pools"), "external, loaded")
}

func TestWhyIsAToolNotThere(t *testing.T) {
	t.Parallel()
	b := library(t)
	for name, want := range map[string]string{
		"Write":                    "Write is available: a built-in tool",
		"Secret":                   "Secret is not available here: ",
		"mcp__forge__create_issue": "is available",
		"broken":                   "quarantined",
		"Nothing":                  "Nothing is not a registered tool",
		"<b>\u202e\x00":            "&lt;b&gt;\\u202e\\x00 is not a registered tool",
	} {
		require.Contains(t, b.see(t, "/pools?name="+url.QueryEscape(name)), want)
	}
}

// TestPoolOfAnAgent is the one of its newest message.
func TestPoolOfAnAgent(t *testing.T) {
	t.Parallel()
	b := library(t)
	fork, err := b.session.Fork(pegboard.SessionConfig{AgentID: "scout"})
	require.NoError(t, err)
	resolved, err := b.registry.AssemblePool(fork, b.options.Pool).Resolve([]string{"Write"}, nil)
	require.NoError(t, err)
	b.executor.Run(t.Context(), resolved.Pool, call("1", "Write", `{"path":"a"}`))
	page := b.see(t, "/pools?agent=1")
	require.Contains(t, page, "<h2>1 tools in prompt order</h2>")
	require.Contains(t, page, "of its newest message")
	require.Equal(t, http.StatusNotFound, b.get(t, "/pools?agent=2").Code)
	require.Equal(t, http.StatusNotFound, b.get(t, "/search?agent=x").Code)
}

func TestSearchIsTried(t *testing.T) {
	t.Parallel()
	b := library(t)
	page := b.see(t, "/search?q=open+an+issue")
	require.Regexp(t, `<b>mcp__forge__create_issue</b>, score [\d.e+]+`, page)
	require.Contains(t, page, "Opens an issue in a tracker.")
	require.Contains(t, page, "&#34;title&#34;")
	require.Contains(t, b.see(t, "/search?q=zeppelin"), "No tool that waits for a search matches.")
	require.Contains(t, b.see(t, "/search?q=select:Write"), "<b>Write</b>")
	require.NotContains(t, b.see(t, "/search"), "<ol>")
}

func TestTryDecidesAndRunsNothing(t *testing.T) { //nolint:tparallel // the cases share one page
	t.Parallel()
	fake := writer("Write")
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Edit(/out/**)"}})}, nil, fake)
	tests := []struct {
		name, tool, input string
		want              []string
	}{
		{name: "allowed", tool: "Write", input: `{"path":"out/a"}`, want: []string{"<b>allow by rule Edit(/out/**) of userSettings</b>", "= allow: "}},
		{name: "asked", tool: "Write", input: `{"path":"b"}`, want: []string{"<b>ask by ", "= ask: "}},
		{name: "no such tool", tool: "Nothing", input: `{}`, want: []string{"= deny: unknown tool: Nothing"}},
		{name: "no JSON", tool: "Write", input: `{"path":`, want: []string{"The input is no JSON.", "= deny: "}},
		{name: "nothing", tool: "", input: "", want: []string{"= deny: "}},
		{name: "HTML", tool: "<script>alert(1)</script>", input: `"</textarea><script>"`, want: []string{"&lt;script&gt;alert(1)", "&lt;/textarea&gt;&lt;script&gt;"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := b.post(t, "/decide", url.Values{"tool": {tc.tool}, "input": {tc.input}, "agent": {"0"}})
			require.Equal(t, http.StatusOK, w.Code)
			for _, want := range tc.want {
				require.Contains(t, w.Body.String(), want)
			}
		})
	}
	require.Empty(t, fake.Calls())
	require.Contains(t, b.see(t, "/try"), "<textarea")
	require.Equal(t, http.StatusNotFound, b.post(t, "/decide", url.Values{"tool": {"Write"}, "agent": {"7"}}).Code)
	long := url.Values{"tool": {"Write"}, "input": {string(make([]byte, 70_000))}}
	require.Equal(t, http.StatusRequestEntityTooLarge, b.post(t, "/decide", long).Code)
}

// TestTryNeedsAToken: whether a tool accepts an input depends on files, and so reveals them.
func TestTryNeedsAToken(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, func(o *inspect.Options) { o.Contents, o.Answers, o.Token = false, false, "" }, writer("Write"))
	require.Equal(t, http.StatusNotFound, b.post(t, "/decide", url.Values{"tool": {"Write"}}).Code)
	require.Equal(t, http.StatusNotFound, b.get(t, "/try").Code)
}

// TestTryWithoutContents says what decides, and quotes nothing.
func TestTryWithoutContents(t *testing.T) {
	t.Parallel()
	set := policy.RuleSet{Source: policy.SourceSession, Allow: []string{"Edit(/k4nary/**)"}}
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, set)}, func(o *inspect.Options) { o.Contents = false }, writer("Write"))
	w := b.post(t, "/decide", url.Values{"tool": {"Write"}, "input": {`{"path":"k4nary/b"}`}})
	require.Contains(t, w.Body.String(), "allow by rule Edit(…) of session")
	require.Contains(t, w.Body.String(), "path:write")
	require.NotContains(t, w.Body.String(), "covers it")
	require.NotContains(t, w.Body.String(), "k4nary/**")
}
