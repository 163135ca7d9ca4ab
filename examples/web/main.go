// Command web lets a model search and read the web, which here is a small site on this machine
// that the program names. An index of the site's pages takes the place of a search service. The
// model finds a page and reads on in it. It follows a redirect to another host, which the user
// allows, and meets a host that a rule denies. One page tells it to read an address that is not
// public, and no request reaches the server there. The model is a script; the tools, the server
// and the decisions are real.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := serveSite()
	if err != nil {
		return err
	}
	defer s.close()
	// Only the program can name hosts that are not public. A model, a rule or a page cannot.
	fetch := web.Fetch(web.FetchOptions{
		Reach: []string{s.host("localhost"), s.host("127.0.0.1")}, PageSize: 1000, UserAgent: "example/1",
	})
	index, err := web.FolderAt(s.pages, &url.URL{Scheme: "http", Host: s.host("localhost"), Path: "/"})
	if err != nil {
		return err
	}
	h := &host{out: out}
	if err := h.registry.Add(fetch, web.Search(web.SearchOptions{Backend: index, Results: 3})); err != nil {
		return err
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Allow: []string{"WebSearch", "WebFetch(domain:localhost)"},
		Deny:  []string{"WebFetch(domain:*.tracker.example)"},
	})
	if err != nil {
		return err
	}
	if h.session, err = pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Ask: h.answer}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.session.Close(context.WithoutCancel(ctx))) }()
	if err := h.play(ctx, s); err != nil {
		return err
	}
	h.say(fmt.Sprintf("\nrequests that reached the server on the other port: %d", s.private.Load()))
	return nil
}

// The words for the model that name the next call.
var (
	readOn     = regexp.MustCompile(`offset (\d+) reads on`)
	redirected = regexp.MustCompile(`redirects to (\S+); call again`)
)

// A host has one conversation.
type host struct {
	out      io.Writer
	session  *pegboard.Session
	registry pegboard.Registry
	calls    int
}

// play plays the conversation.
func (h *host) play(ctx context.Context, s *site) error {
	h.say("The model searches, reads a page, and reads on.")
	found, ok := h.call(ctx, "WebSearch", map[string]any{"query": "how long does Lantern keep a page"}).Data.(web.SearchOutput)
	if !ok || len(found.Results) == 0 {
		return errors.New("the search found nothing")
	}
	manual := map[string]any{"url": found.Results[0].URL, "prompt": "How long is a page kept?"}
	text := h.call(ctx, "WebFetch", manual).Text()
	for next := readOn.FindStringSubmatch(text); next != nil; next = readOn.FindStringSubmatch(text) {
		manual["offset"] = json.Number(next[1])
		text = h.call(ctx, "WebFetch", manual).Text()
	}

	h.say("\nAnother host is reported, and reached by a call of its own.")
	text = h.fetch(ctx, s.address("localhost", "/download"))
	to := redirected.FindStringSubmatch(text)
	if to == nil {
		return errors.New("no redirect was reported")
	}
	h.fetch(ctx, to[1])

	h.say("\nA rule denies a host.")
	h.fetch(ctx, "https://pixel.tracker.example/lantern")

	h.say("\nA page asks for an address that is not public.")
	h.fetch(ctx, s.address("localhost", "/news.html"))
	h.fetch(ctx, "http://"+s.privateHost+"/keys")
	h.fetch(ctx, "http://169.254.169.254/latest/meta-data/")
	h.fetch(ctx, s.address("localhost", "/status"))
	return nil
}

// fetch lets the model read an address and returns the text that the model is shown.
func (h *host) fetch(ctx context.Context, address string) string {
	return h.call(ctx, "WebFetch", map[string]any{"url": address, "prompt": "What does it say?"}).Text()
}

// call makes a call and prints the result as the model gets it.
func (h *host) call(ctx context.Context, tool string, input map[string]any) *pegboard.Result {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	h.say(fmt.Sprintf("▸ %s %s", tool, raw))
	h.calls++
	var executor pegboard.Executor
	pool := h.registry.AssemblePool(h.session, pegboard.PoolConfig{})
	result := executor.Run(ctx, pool, pegboard.Call{ID: fmt.Sprint(h.calls), Name: tool, Input: raw})[0].Result
	for _, part := range result.Parts {
		text := part.Text
		if part.Source != "" { // a search result
			text = part.Title + " <" + part.Source + ">\n  " + text
		}
		h.say("  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
	}
	return result
}

// answer stands for the user. It allows every call that no rule decides.
func (h *host) answer(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	h.say("  the user is asked, and allows: " + q.Call.View().Before)
	return policy.Decision{Behavior: policy.Allow}, nil
}

func (h *host) say(text string) { _, _ = fmt.Fprintln(h.out, text) }
