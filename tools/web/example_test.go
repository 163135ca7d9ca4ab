package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// The model reads a page of a server on this machine, which the program names.
func ExampleFetch() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "<title>Opening hours</title><nav>Home</nav><h1>Opening hours</h1><p>Open from <b>nine</b> to five.</p>")
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	tool := web.Fetch(web.FetchOptions{Reach: []string{host}})

	out := tooltest.Run(context.Background(), tool, nil, `{"url":"`+server.URL+`/hours","prompt":"When is it open?"}`)
	fmt.Println(strings.ReplaceAll(out.Result.Text(), host, "HOST"))

	out = tooltest.Run(context.Background(), tool, nil, `{"url":"http://169.254.169.254/","prompt":"What is there?"}`)
	fmt.Println(out.Result.Text())

	// Output:
	// http://HOST/hours (text/html), all 44 characters:
	// <web-page>
	// # Opening hours
	//
	// Open from **nine** to five.
	// </web-page>
	// WebFetch was not run: "169.254.169.254" is not public: it leads to link-local, with the metadata services of clouds (169.254.0.0/16); only hosts on the public internet can be reached
}

// A tool of the host's own asks a service, which redirects to a host that a rule denies.
func ExampleClient() {
	server := httptest.NewServer(http.RedirectHandler("http://localhost/", http.StatusFound))
	defer server.Close()
	status := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Status"},
		Description: "Says how the service is.",
		Traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{
			{Kind: policy.Host, Access: policy.Read, Value: "127.0.0.1"},
		}},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
			if err != nil {
				return "", err
			}
			response, err := web.Client(c, nil).Do(request)
			if err != nil {
				return "", err
			}
			return response.Status, response.Body.Close()
		},
	})
	permissions, err := policy.New("", policy.RuleSet{Allow: []string{"Status"}, Deny: []string{"WebFetch(domain:localhost)"}})
	if err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	fmt.Println(errors.Is(tooltest.Run(context.Background(), status, session, `{}`).Err, pegboard.ErrDenied))
	// Output: true
}

// A host adds its own documentation to the sites that need no permission.
func ExampleDefaultPreapproved() {
	sites := append(web.DefaultPreapproved(), "docs.example.com/shop")
	fmt.Println(slices.Contains(sites, "pkg.go.dev"), len(sites) > 50)
	// Output: true true
}
