package tooltest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// webServer is a site on this machine. It ends with the tests.
var webServer = sync.OnceValue(func() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "<title>Hours</title><p>Open from nine to five.</p>")
	}))
})

// webCalls are the calls of package web.
func webCalls() []shownCall {
	site := webServer().URL
	pages, err := web.Folder(fstest.MapFS{"hours.md": {Data: []byte("# Opening hours\n\nFrom nine to five.\n")}})
	if err != nil {
		panic(err)
	}
	fetch := web.Fetch(web.FetchOptions{Reach: []string{strings.TrimPrefix(site, "http://")}})
	search := web.Search(web.SearchOptions{Backend: pages})
	return []shownCall{
		{made: "web.Fetch", tool: fetch, input: `{"url":"` + site + `/hours","prompt":"When is it open?"}`, want: pegboard.View{
			Title: "Web fetch", Kind: pegboard.KindFetch, Before: "Fetch " + site + "/hours", While: "Fetching " + site + "/hours", After: "Received 50 bytes"}},
		{made: "web.Search", tool: search, input: `{"query":"opening hours"}`, want: pegboard.View{
			Title: "Web search", Kind: pegboard.KindSearch, Folds: true, Before: "Search the web for opening hours", While: "Searching the web for opening hours", After: "1 result"}},
	}
}
