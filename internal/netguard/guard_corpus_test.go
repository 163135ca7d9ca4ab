package netguard_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// row is one line of web.jsonl, as far as it is used here.
type row struct {
	ID, Kind, Tier, Mode string
	URL                  string
	Rules                struct{ Allow, Ask, Deny []string }
	DNS                  map[string][][]string
	Redirects            map[string]redirect

	Expect, Not string
	MustNot     struct {
		Connect     string
		ConnectHost string `json:"connect_host"`
	} `json:"must_not"`
}

// decision is what the rules say about a host, as an error.
type decision string

func (d decision) Error() string { return "the rules say " + string(d) }

// TestCorpus fetches every URL of the corpus through a Guard whose Check knows as
// much of the rules as the rows need. What is denied without a deny rule must be
// a refusal of the guard itself, and no harmless row may be refused.
func TestCorpus(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		w := newWeb(t, nil)
		passed, core, refused := 0, 0, 0
		for line, text := range corpus.Lines(t, filepath.Join(folder, "security", "web.jsonl")) {
			var r row
			require.NoError(t, json.Unmarshal(text, &r), "line %d", line)
			err := w.fetch(t, r)
			if errors.As(err, new(*netguard.RefusalError)) {
				refused++
			}
			if r.Tier != "core" {
				continue
			}
			core++
			r.requireOutcome(t, err, w)
			passed++
		}
		corpus.Report(t, folder, "%d of %d core rows of web.jsonl, %d refused whatever the rules say", passed, core, refused)
	}
}

// fetch asks the web for the URL of a row.
func (w *web) fetch(t *testing.T, r row) error {
	t.Helper()
	w.mu.Lock()
	w.redirects, w.requests, w.dialled = r.Redirects, nil, nil
	w.mu.Unlock()
	u, err := netguard.ParseURL(r.URL)
	if err != nil {
		return err
	}
	g := w.guard(r.DNS)
	g.Check = r.check
	return get(t, g, u.String())
}

func (r row) requireOutcome(t *testing.T, err error, w *web) {
	t.Helper()
	got := "allow"
	var said decision
	if errors.As(err, &said) {
		got = string(said)
	} else if err != nil {
		require.ErrorAs(t, err, new(*netguard.RefusalError), r.ID)
		got = "deny"
	}
	switch {
	case r.Not != "":
		require.NotEqual(t, r.Not, got, "%s: %v", r.ID, err)
	case r.Expect != "any":
		require.Equal(t, r.Expect, got, "%s: %v", r.ID, err)
	}
	if r.Expect == "deny" && len(r.Rules.Deny) == 0 {
		require.ErrorAs(t, err, new(*netguard.RefusalError), r.ID)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, address := range w.dialled {
		addr := netip.MustParseAddrPort(address).Addr()
		require.NoError(t, netguard.CheckAddress(addr), r.ID)
		require.NotEqual(t, r.MustNot.Connect, addr.String(), r.ID)
	}
	for _, request := range w.requests {
		u, err := netguard.ParseURL(request)
		require.NoError(t, err, r.ID)
		require.NotEqual(t, r.MustNot.ConnectHost, u.Host, r.ID)
	}
}

// check decides a host by the rules of a row.
func (r row) check(_ context.Context, host string) error {
	covers := func(rule string) bool { return covers(rule, host) }
	d := decision("ask")
	switch {
	case slices.ContainsFunc(r.Rules.Deny, covers):
		d = "deny"
	case slices.ContainsFunc(r.Rules.Ask, covers):
	case r.Mode == "bypassPermissions", slices.ContainsFunc(r.Rules.Allow, covers):
		return nil
	}
	if r.Mode == "dontAsk" {
		d = "deny"
	}
	return d
}

// covers reports whether a rule is about a mapped host.
func covers(rule, host string) bool {
	if rule == "WebFetch" {
		return true
	}
	text, ok := strings.CutPrefix(rule, "WebFetch(domain:")
	if !ok {
		return false
	}
	pattern, err := netguard.MapPattern(strings.TrimSuffix(text, ")"))
	if err != nil {
		return false
	}
	if pattern == "*" {
		return true
	}
	if domain, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+domain)
	}
	slashed := func(name string) string { return strings.ReplaceAll(name, ".", "/") }
	ok, err = path.Match(slashed(pattern), slashed(host))
	return ok && err == nil
}
