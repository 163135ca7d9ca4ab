package security_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// webRow is the part of a row of web.jsonl that the engine sees, and what must
// not come of it.
type webRow struct {
	Rules     rules
	Mode      policy.Mode
	URL       string
	DNS       map[string][][]string // answers by host, one for each lookup; "*" is any other
	Redirects map[string]webRedirect
	MustNot   struct {
		Connect     string // an address, or "non-public"
		ConnectHost string `json:"connect_host"`
		Hang        int    // seconds
		RSS         uint64 `json:"rss_mib"`
	} `json:"must_not"`
}

type webRedirect struct {
	Status int
	To     string
}

// TestWeb fetches every URL with WebFetch, as a model does that asks for each address
// which the tool reports. The names and servers of the internet stand on loopback.
func TestWeb(t *testing.T) {
	run(t, "web", func(*testing.T, source) func(*testing.T, webRow, answer) outcome {
		return func(t *testing.T, r webRow, a answer) outcome {
			t.Helper()
			return r.outcome(t, a)
		}
	})
}

// bodyTime is the time of a call whose answer never ends.
const bodyTime = 2 * time.Second

// outcome fetches the URL of a row.
func (r webRow) outcome(t *testing.T, a answer) outcome {
	t.Helper()
	servers := newInternet(t, r)
	m := fetching{row: r, net: servers}
	o := web.FetchOptions{}
	if r.MustNot.Hang > 0 {
		o.Timeout = bodyTime
	}
	s := newSession(t, pegboard.SessionConfig{
		Dir: t.TempDir(), Permissions: permissions(t, r.Mode, r.Rules.set(t, same)),
		Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			m.asked = true
			return policy.Decision{Behavior: policy.Deny, Reason: "the user is not there"}, nil
		},
	})
	webseam.Set(s, servers.seams())
	m.pool = pool(t, s, web.Fetch(o))
	begun := time.Now()
	got := m.fetch(t)
	return outcome{detail: m.log.String(), wrong: slices.Concat(m.wrongDecision(t, a, got), m.effects(t, a, got, time.Since(begun)))}
}

// fetching is a model that wants a page.
type fetching struct {
	row   webRow
	net   *internet
	pool  *pegboard.Pool
	asked bool
	bytes int64 // of the last answer
	log   strings.Builder
}

// elsewhere finds the address of a redirect that the tool reports.
var elsewhere = regexp.MustCompile(`redirects to "?(https?://[^\s"]+?)"?[.;,]?\s`)

// fetch asks for the URL and then for the addresses that it redirects to, and returns what
// was decided in the end: "allow" if a page came.
func (m *fetching) fetch(t *testing.T) string {
	t.Helper()
	address := m.row.URL
	for range 2 * netguard.HopLimit {
		out := new(pegboard.Executor).Run(t.Context(), m.pool, call(t, "WebFetch", map[string]string{"url": address, "prompt": "What is there?"}))[0]
		text := out.Result.Text()
		fmt.Fprintf(&m.log, "%s: %v, %s\n", address, out.Decision.Behavior, text[:min(len(text), 400)])
		if m.asked {
			return "ask"
		}
		fetched, ok := out.Result.Data.(web.Fetched)
		if !ok {
			require.Error(t, out.Err, text)
			return "deny"
		}
		m.bytes = fetched.Bytes
		if fetched.Code < 300 || fetched.Code >= 400 {
			require.Equal(t, http.StatusOK, fetched.Code, text)
			return "allow"
		}
		found := elsewhere.FindStringSubmatch(text)
		require.NotNil(t, found, text)
		address = found[1]
	}
	return "deny" // the model gives up
}

func (m *fetching) wrongDecision(t *testing.T, a answer, got string) []string {
	t.Helper()
	if a.agrees(t, got) {
		return nil
	}
	return []string{fmt.Sprintf("%s, want %s: %q %+v", got, a.wanted(), m.row.URL, m.row.Rules)}
}

// effects returns what happened and must not, decided or not.
func (m *fetching) effects(t *testing.T, a answer, got string, took time.Duration) (wrong []string) {
	t.Helper()
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	not := m.row.MustNot
	for _, text := range m.net.dialled {
		addr := netip.MustParseAddrPort(text).Addr()
		if addr.String() == not.Connect || netguard.CheckAddress(addr) != nil {
			complain("it reaches %s", addr)
		}
	}
	for _, page := range m.net.pages {
		if u, err := netguard.ParseURL(page); err != nil || u.Host == not.ConnectHost {
			complain("it reaches %s", page)
		}
	}
	switch {
	case got == "allow":
		require.NotEmpty(t, m.net.pages, "a page came from nowhere")
	case len(m.net.pages) > 0:
		complain("%s, but it reaches %q", got, m.net.pages)
	}
	if a.Kind == "benign" && len(m.net.pages) != 1 {
		complain("it fetches %q", m.net.pages)
	}
	if not.Hang > 0 && took > min(time.Duration(not.Hang)*time.Second, 5*bodyTime) {
		complain("it took %v", took)
	}
	if not.RSS > 0 && (m.bytes > web.DefaultMaxBody || memory()>>20 > not.RSS) {
		complain("it read %d bytes and took %d MiB", m.bytes, memory()>>20)
	}
	return wrong
}
