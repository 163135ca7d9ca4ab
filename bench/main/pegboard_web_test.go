package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// webPage is a page of 300 KB: navigation, scripts, and an article with headings, links, lists and
// tables.
func webPage() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>Trees</title><style>p{margin:0}</style><script>" + strings.Repeat("let a = 1;\n", 2_000) + "</script></head><body><nav>")
	for i := range 200 {
		fmt.Fprintf(&b, `<a class="item" href="/section/%d">Section %d</a>`, i, i)
	}
	b.WriteString("</nav><article>")
	for i := 0; b.Len() < 290<<10; i++ {
		fmt.Fprintf(&b, `<h2 id="s%d">Part %d</h2><p class="text">%s <a href="/tree/%d?x=1&amp;y=2">a tree</a> and <em>its</em> <code>leaf[%d]</code>. %s</p>`,
			i, i, strings.Repeat("Trees grow slowly, and some of them for thousands of years. ", 5), i, i, strings.Repeat("Others do not. ", 10))
		if i%5 == 0 {
			b.WriteString("<ul><li>oak</li><li><b>ash</b></li><li>elm</li></ul><table><tr><th>name</th><th>height</th></tr><tr><td>oak</td><td>40 m</td></tr><tr><td>ash</td><td>35 m</td></tr></table>")
		}
	}
	b.WriteString("</article><footer>" + strings.Repeat("<p>About us</p>", 300) + "</footer></body></html>")
	return b.String()
}

// BenchmarkWeb gets a page of 300 KB from loopback, beside the conversion of the same bytes to
// Markdown by the bare converter, and gets it from the cache. No peer has a case.
func BenchmarkWeb(b *testing.B) {
	page := webPage()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	defer server.Close()
	b.Run("Web/floor-conversion", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			text, err := newConverter().ConvertString(page, converter.WithDomain(server.URL))
			require.NoError(b, err)
			require.Contains(b, text, "Part 0")
		}
	})
	b.Run("Web/pegboard", func(b *testing.B) { benchFetch(b, server, -1) })
	b.Run("Web/pegboard-cached", func(b *testing.B) { benchFetch(b, server, 0) })
	b.Run("Web/pegboard-heap", func(b *testing.B) {
		defer debug.SetGCPercent(debug.SetGCPercent(5)) // the size of the live heap is known after a collection only
		o := web.FetchOptions{Reach: []string{server.Listener.Addr().String()}, CacheFor: -1}
		get := fetcher(b, o, server.URL)
		get(b)
		begin, peak := liveHeap(), uint64(0)
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				default:
					peak = max(peak, liveHeap())
				}
			}
		}()
		for b.Loop() {
			get(b)
		}
		close(stop)
		<-done
		b.ReportMetric(float64(peak-min(begin, peak))/(1<<20), "heapMiB")
	})
}

// liveHeap returns the bytes that the last collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// newConverter returns the converter with the plugins that WebFetch has, and without the elements
// that it leaves out.
func newConverter() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	for _, name := range strings.Fields("script style noscript template nav footer aside form button dialog svg iframe") {
		c.Register.TagType(name, converter.TagTypeRemove, converter.PriorityStandard)
	}
	return c
}

func benchFetch(b *testing.B, server *httptest.Server, keep int) {
	o := web.FetchOptions{Reach: []string{server.Listener.Addr().String()}}
	if keep < 0 {
		o.CacheFor = -1
	}
	get := fetcher(b, o, server.URL)
	get(b)
	b.ReportAllocs()
	for b.Loop() {
		get(b)
	}
}

// fetcher returns a function that makes a call of WebFetch.
func fetcher(b *testing.B, o web.FetchOptions, url string) func(*testing.B) {
	perms, err := policy.New(policy.ModeBypass)
	require.NoError(b, err)
	pool := pegPool(b, pegboard.SessionConfig{Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}}, web.Fetch(o))
	input, err := json.Marshal(map[string]any{"url": url + "/", "prompt": "?"})
	require.NoError(b, err)
	return func(b *testing.B) {
		pool.Session().NewTurn()
		var ex pegboard.Executor
		out := ex.Run(b.Context(), pool, pegboard.Call{ID: "1", Name: "WebFetch", Input: input})[0]
		require.NoError(b, out.Err)
		require.Contains(b, out.Result.Text(), "Part 0")
	}
}
