package webtext_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

func markdown(t testing.TB, page string) string {
	t.Helper()
	base, err := url.Parse("https://example.com/docs/page?q=1")
	require.NoError(t, err)
	text, err := webtext.Decode("text/html; charset=utf-8", []byte(page)).Markdown(context.Background(), base)
	require.NoError(t, err)
	return text
}

// many is a list of distinct formatting elements that nothing closes.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<font size=%d>", i)
	}
	return b.String()
}

// TestMarkdownOfHostilePages checks that no page takes long, or becomes much longer. The limit is
// far above the time of a busy machine under the race detector. At full effort, it is below the
// time of a converter that needs quadratic time. The names state the sizes at full effort. Cases whose growth
// depends on their size keep it.
func TestMarkdownOfHostilePages(t *testing.T) {
	size := func(n int) int { return effort.Of(t, n) }
	tests := []struct {
		name, page string
		want       string // is in the Markdown
		growth     int    // bytes of Markdown for each byte of the page, at most
	}{
		{name: "200,000 nested elements", page: strings.Repeat("<div>", size(200_000)) + "deep" + strings.Repeat("</div>", size(200_000)), want: "deep", growth: 1},
		{name: "nesting under the parser's limit", page: strings.Repeat("<div>", 500) + "deep", want: "deep", growth: 1},
		{name: "nested quotes", page: strings.Repeat("<blockquote>", 500) + strings.Repeat("a<br>", size(5_000)), want: "> a", growth: 8},
		{name: "nested lists", page: strings.Repeat("<ul><li>", 200) + strings.Repeat("a<br>", size(5_000)), want: "- a", growth: 8},
		{name: "lists with long numbers", page: strings.Repeat("<ol start=999999999999><li>", 200) + strings.Repeat("a<br>", size(5_000)), want: "a", growth: 20},
		{name: "half a million paragraphs", page: strings.Repeat("<p>word</p>", size(500_000)), want: "word\n\nword", growth: 1},
		{name: "a table of 5,000 x 50", page: "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>cell</td>", 50)+"</tr>", size(5_000)) + "</table>", want: "| cell | cell |", growth: 1},
		{name: "a table with one long row", page: "<table><tr>" + strings.Repeat("<td>a", size(20_000)) + strings.Repeat("<tr><td>b<td>c", size(4_000)) + "</table>", want: "b", growth: 2},
		{name: "a table with one long cell", page: "<table><tr><td>" + strings.Repeat("long ", size(20_000)) + strings.Repeat("<tr><td>b<td>c", size(4_000)) + "</table>", want: "| b | c |", growth: 2},
		{name: "cells that span much", page: "<table>" + strings.Repeat("<tr><td colspan=1000000000 rowspan=1000000000>a<td>b", 1_000) + "</table>", want: "| a | b |", growth: 1},
		{name: "nested tables", page: strings.Repeat("<table><tr><td>a<td>", 100) + strings.Repeat("b ", size(20_000)), want: "b b", growth: 2},
		{name: "formatting opened in each paragraph", page: "<p>" + many(400) + strings.Repeat("<p>x", size(20_000)), want: "x", growth: 1},
		{name: "formatting hidden from its end", page: "<p>" + many(400) + "<object>" + strings.Repeat("</font>", 400) + strings.Repeat("<p>x", size(20_000)), want: "x", growth: 1},
		{name: "formatting closed late", page: strings.Repeat("<b><i><p>x</b></i>", size(5_000)), want: "x", growth: 4},
		{name: "elements without end", page: strings.Repeat("<p>", size(2_000_000)) + "x", want: "x", growth: 1},
		{name: "links below a long base", page: `<base href="https://example.com/` + strings.Repeat("a", 1_900) + `/">` + strings.Repeat("<a href=b>c</a>", 20_000), want: "c", growth: 10},
		{name: "a link of 64 KiB", page: `<a href="/` + strings.Repeat("a", 1<<16) + `">c</a>`, want: "c", growth: 1},
		{name: "attributes", page: "<p " + strings.Repeat("a=b ", size(500_000)) + ">word", want: "word", growth: 1},
		{name: "characters with a meaning", page: "<p>" + strings.Repeat("*_[`#|<", size(20_000)), want: "*_[", growth: 4},
		{name: "backquotes", page: "<code>" + strings.Repeat("`", size(20_000)) + "</code>", want: "`", growth: 4},
		{name: "a fence in code", page: "<pre>" + strings.Repeat("```\n", size(50_000)) + "</pre>", want: "````", growth: 2},
		{name: "images", page: strings.Repeat("<img alt=a>", size(20_000)), want: "aaa", growth: 1},
		{name: "an unclosed tag", page: "<p>word</p><a href=\"" + strings.Repeat("x", size(1_000_000)), want: "word", growth: 1},
		{name: "an unclosed comment", page: "<p>word</p><!--" + strings.Repeat("-", size(1_000_000)), want: "word", growth: 1},
		{name: "emphasis", page: strings.Repeat("<em><strong>a</strong></em>", size(5_000)), want: "a", growth: 1},
		{name: "nothing in many elements", page: "<p>word" + strings.Repeat("<span> </span>", size(20_000)), want: "word", growth: 1},
		{name: "white space", page: "<p>word" + strings.Repeat(" \n\t", size(1_000_000)), want: "word", growth: 1},
		{name: "line breaks", page: "<p>word" + strings.Repeat("<br>", size(20_000)) + "end", want: "end", growth: 1},
		{name: "forms in forms", page: strings.Repeat("<form><div>", 200) + "word" + strings.Repeat("<p>a", size(50_000)), want: "word", growth: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			text := markdown(t, tt.page)
			t.Logf("%.1f KB became %.1f KB in %v", float64(len(tt.page))/1e3, float64(len(text))/1e3, time.Since(start))
			require.Contains(t, text, tt.want)
			require.LessOrEqual(t, len(text), tt.growth*len(tt.page)+1000)
			require.Less(t, time.Since(start), time.Minute)
		})
	}
}

func TestMarkdownEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	d := webtext.Decode("text/html", []byte(strings.Repeat("<p>word</p>", 300_000)))
	for _, wait := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), wait, cause)
		start := time.Now()
		text, err := d.Markdown(ctx, nil)
		cancel()
		require.ErrorIs(t, err, cause)
		require.Empty(t, text)
		require.Less(t, time.Since(start), 10*time.Second)
	}
}

func TestMarkdownOfOtherKinds(t *testing.T) {
	t.Parallel()
	text, err := webtext.Decode("text/csv", []byte("a,<b>\n")).Markdown(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "a,<b>\n", text)
	_, err = webtext.Decode("application/pdf", []byte("%PDF-1.7\n")).Markdown(t.Context(), nil)
	require.ErrorIs(t, err, webtext.ErrNoText)
	_, err = webtext.Document{}.Markdown(t.Context(), nil)
	require.ErrorIs(t, err, webtext.ErrNoText)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, page, want string }{
		{name: "relative links", page: `<a href="../a?u=x:y&amp;v=a+b%2F(c)">a</a> <a href=//other.example/b>b</a>`, want: "[a](https://example.com/a?u=x:y&v=a+b%2F%28c%29) [b](https://other.example/b)"},
		{name: "base of the page", page: `<base href="/other/"><a href="a">a</a>`, want: "[a](https://example.com/other/a)"},
		{name: "base of another scheme", page: `<base href="javascript:x"><a href="a">a</a>`, want: "[a](https://example.com/docs/a)"},
		{name: "schemes", page: `<a href=mailto:a@example.com>a</a> <a href=ftp://example.com>b</a> <a href=file:///etc/passwd>c</a> <a href=data:text/html,x>d</a> <a href=vbscript:x>e</a>`, want: "[a](mailto:a@example.com) b c d e"},
		{name: "spellings of a script", page: "<a href=' \x01JavaScript:x'>a</a> <a href='java\nscr\tipt:x'>b</a> <a href='java&#115;cript&colon;x'>c</a>", want: "a b c"},
		{name: "a link that is text", page: "[a](javascript:x) [b]<i></i>(javascript:y) [c]: javascript:z <img alt='[d](javascript:x)'>", want: `[a]\(javascript:x) [b]\(javascript:y) [c]\: javascript:z [d]\(javascript:x)`},
		{name: "an element that is text", page: "&lt;script>x&lt;/script> <img alt='<script>'>", want: "&lt;script&gt;x&lt;/script&gt; &lt;script&gt;"},
		{name: "a user name in a link", page: "<a href=https://user:word@example.com/>a</a>", want: "a"},
		{name: "a link in the page", page: "<a href=#part>a</a>", want: "a"},
		{name: "names in text", page: "<p>a_b_c * d # e</p><h1>C#</h1><h2>#</h2>", want: "a_b_c * d # e\n\n# C#\n\n## #"},
		{name: "a class that is no language", page: "<pre><code class='language-go\n```\n<script>'>x</code></pre>", want: "```go\nx\n```"},
		{name: "code", page: "<pre><code class=language-go>a\n\n\n  m[k](x) &lt; 1\n</code></pre>", want: "```go\na\n\n\n  m[k](x) < 1\n```"},
		{name: "a table", page: "<table><caption>T</caption><tr><th>a|b<th>c<tr><td><code>x|y</code><td>1<p>2</table>", want: "| a\\|b | c |\n|---|---|\n| `x\\|y` | 1<br /><br />2 |\n\nT"},
		{name: "a table with a span", page: "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>", want: "| a |  | b |\n|---|---|---|\n| 1 | 2 | 3 |\n|  | 4 | 5 |"},
		{name: "a table for layout", page: "<table><tr><td><h1>a</h1><td>b</table>", want: "# a\n\nb"},
		{name: "around the page", page: "<nav>1</nav><p>a<aside>2</aside><footer>3</footer><form>4<button>5</button></form><dialog open>6</dialog><svg><text>7</text></svg><iframe>8</iframe><noscript>9</noscript><template>0</template>", want: "a"},
		{name: "a form around the page", page: "<form><p>all of the words</p></form>", want: "all of the words"},
		{name: "nothing but navigation", page: "<nav><a href=/a>a</a></nav><script>x</script>", want: "[a](https://example.com/a)"},
		{name: "NUL and control characters", page: "a\x00b\x07c&#7;\u200bd\uF002e", want: "a\uFFFDbc\u200bde"},
		{name: "an end within a tag", page: "<p>a</p><p>b<a hre", want: "a\n\nb"},
		{name: "empty", page: "", want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, markdown(t, tt.page))
		})
	}
}

// pieces are what random pages are made of.
var pieces = []string{
	"<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<i>", "</i>", "<a href=/x>", "<a href='javascript:x()'>", "<a href=\"java\nscript:x\">", "</a>",
	"<ul>", "<ol start=7>", "<li>", "</ul>", "</ol>", "<blockquote>", "</blockquote>", "<table>", "<tr>", "<td>", "<th colspan=3>", "<td rowspan=4>",
	"</table>", "<caption>", "<script>", "</script>", "<style>", "</style>", "<form>", "</form>", "<nav>", "</nav>", "<svg>", "</svg>", "<math>", "<title>", "</title>",
	"<template>", "</template>", "<select>", "<option>", "</select>", "<h1>", "</h1>", "<h3>", "<br>", "<hr>", "<img alt='](javascript:x)'>", "<img alt='<script>'>",
	"<base href=javascript:x>", "<base href=//b.example/>", "&lt;script>", "](", "(javascript:x)", "]", "[", "[a]: javascript:x", "<!--", "-->", "<![CDATA[", "|", "`", "#", "\x00", "\n", " ",
	"word", "ü", "世界", "<noscript>", "</noscript>", "<iframe>", "</iframe>", "<object>", "</object>", "<frameset>", "<plaintext>", "<textarea>", "</textarea>", "<font size=", ">",
}

// destination is where a Markdown link leads to a script, and element begins one of HTML.
var destination, element = regexp.MustCompile(`(?i)(^|[^\\])\](\(|:)\s*<?\s*javascript:`), regexp.MustCompile(`(?i)<script`)

func requireHarmless(t *testing.T, page, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	require.False(t, destination.MatchString(text), "%q became %q", page, text)
	require.False(t, element.MatchString(text), "%q became %q", page, text)
	require.LessOrEqual(t, len(text), 40*len(page)+1000)
}

func TestMarkdownOfRandomPages(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		var b strings.Builder
		for range random.IntN(60) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		requireHarmless(t, b.String(), markdown(t, b.String()))
	}
}

// FuzzMarkdown leaves out pages with code, in which the text of a page stays as it is.
func FuzzMarkdown(f *testing.F) {
	f.Add(strings.Join(pieces, ""))
	f.Add(strings.Repeat("<table><tr><td rowspan=3 colspan=2>a<td>", 3))
	f.Fuzz(func(t *testing.T, page string) {
		text := markdown(t, page)
		if lower := strings.ToLower(page); !strings.Contains(lower, "<pre") && !strings.Contains(lower, "<code") && !strings.Contains(lower, "<kbd") &&
			!strings.Contains(lower, "<samp") && !strings.Contains(lower, "<tt") && !strings.Contains(lower, "<var") {
			requireHarmless(t, page, text)
		}
	})
}
