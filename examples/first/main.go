// Command first has the tools that a program needs first: a func, a file, a service, and a
// job that takes longer than a call should.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

type sumInput struct {
	A int `json:"a"`
	B int `json:"b"`
}

// sum is a func of the program. What it touches is not known, so a rule must allow it.
var sum = pegboard.BuildFunc("Sum", "Adds two numbers.", func(_ context.Context, in sumInput) (int, error) {
	return in.A + in.B, nil
})

type linesInput struct {
	File string `json:"file" jsonschema:"description=A path from the working directory"`
}

// countLines says what it reads. In the working directory that needs no rule.
var countLines = pegboard.Build(pegboard.Definition[linesInput, int]{
	Info:        pegboard.Info{Name: "CountLines"},
	Description: "Counts the lines of a file.",
	Inspect: func(in linesInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{policy.Reads(in.File)}}
	},
	Call: func(ctx context.Context, in linesInput, c *pegboard.Call) (int, error) {
		f, err := files.OpenFile(ctx, c, in.File) // the file that was decided
		if err != nil {
			return 0, err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		return bytes.Count(text, []byte("\n")), err
	},
})

type pageInput struct {
	URL string `json:"url"`
}

// pageStatus asks another machine, so a rule must allow the host, or the user.
var pageStatus = pegboard.Build(pegboard.Definition[pageInput, string]{
	Info:        pegboard.Info{Name: "PageStatus", Timeout: 20 * time.Second},
	Description: "Tells whether a page of the web is there.",
	Inspect: func(in pageInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{policy.Reaches(in.URL)}}
	},
	Call: func(ctx context.Context, in pageInput, c *pegboard.Call) (string, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, in.URL, http.NoBody)
		if err != nil {
			return "", fmt.Errorf("url must be that of a page: %w", err)
		}
		response, err := web.Client(c, nil).Do(request) // a redirect is decided as any other host
		if err != nil {
			return "", err
		}
		return response.Status, response.Body.Close()
	},
})

// buildIndex returns at once. The job is a task, which the model is told the end of.
var buildIndex = pegboard.Build(pegboard.Definition[struct{}, string]{
	Info:        pegboard.Info{Name: "BuildIndex"},
	Description: "Builds the search index anew, in the background.",
	Traits:      pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "index"}}},
	Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // the call's own ends with it
		task, err := background.Of(c.Session()).Add(c.Session(), background.Work{Description: "build the index", Stop: stop})
		if err != nil {
			stop(err)
			return "", err
		}
		go func() {
			defer stop(nil)
			select {
			case <-time.After(50 * time.Millisecond): // the work, which ends when ctx does
				task.Done(background.Completed, nil, nil)
			case <-ctx.Done():
				task.Done(background.Failed, nil, context.Cause(ctx))
			}
		}()
		return "started as " + task.ID() + "; you will be told when it has ended", nil
	},
})

func main() {
	ctx := context.Background()
	service := httptest.NewServer(http.NotFoundHandler())
	defer service.Close()
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Sum", "BuildIndex", "WebFetch(domain:127.0.0.1)"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(ctx)
	for _, c := range []struct { // what a model may write
		tool  pegboard.Tool
		input string
	}{
		{sum, `{"a": 1, "b": 2}`},
		{sum, `{"a": 1}`},
		{countLines, `{"file": "go.mod"}`},
		{countLines, `{"file": "../go.mod"}`},
		{pageStatus, `{"url": "` + service.URL + `/page"}`},
		{buildIndex, `{}`},
	} {
		out := tooltest.Run(ctx, c.tool, session, c.input)
		fmt.Println(out.Call.Name, "▸", out.Result.Text()) // what it reads
	}
	for _, task := range background.Of(session).List() {
		_, _ = background.Of(session).Wait(ctx, task.ID)
	}
	fmt.Println(session.Notifications()[0].Text) // a loop sends them with the next request
}
