package security_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// webRow is the part of a row of web.jsonl that the engine sees, and what must
// not come of it.
type webRow struct {
	Rules     rules
	Mode      pegboard.Mode
	URL       string
	DNS       map[string][][]string // answers by host; "*" is any other
	Redirects map[string]struct {
		Status int
		To     string
	}
	MustNot struct {
		Connect     string // an address, or "non-public"
		ConnectHost string `json:"connect_host"`
	} `json:"must_not"`
}

// TestWeb decides every URL, what it redirects to, and the addresses on the way.
// Nothing is looked up or contacted.
func TestWeb(t *testing.T) {
	run(t, "web", func(*testing.T, source) func(*testing.T, webRow, answer) outcome {
		return func(t *testing.T, r webRow, a answer) outcome {
			t.Helper()
			return r.decide(t, a)
		}
	})
}

func (r webRow) decide(t *testing.T, a answer) outcome {
	t.Helper()
	if a.expected(t) == "any" && r.MustNot.Connect == "" && r.MustNot.ConnectHost == "" {
		return outcome{uncounted: "any decision will do, and there is no WebFetch yet to run"}
	}
	s := newSession(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: permissions(t, r.Mode, r.Rules.set(t, same))})
	f := fetch{row: r, pool: pool(t, s, webFetch()), strictest: pegboard.Allow}
	f.follow(t)
	o := outcome{detail: f.log.String()}
	if got := f.strictest.String(); !a.agrees(t, got) {
		o.wrong = append(o.wrong, fmt.Sprintf("%s, want %s: %q %+v", got, a.wanted(), r.URL, r.Rules))
	}
	for _, c := range f.reached {
		if c.host == r.MustNot.ConnectHost || c.addr.String() == r.MustNot.Connect || r.MustNot.Connect == "non-public" && netguard.CheckAddress(c.addr) != nil {
			o.wrong = append(o.wrong, fmt.Sprintf("it reaches %s at %s", c.host, c.addr))
		}
	}
	return o
}

// webFetch returns a tool that declares the host of a URL as its target, as
// netguard spells it.
func webFetch() pegboard.Tool {
	type input struct {
		URL string `json:"url"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "WebFetch"},
		Description: "Stands in for WebFetch.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{ReadOnly: true, OpenWorld: true}
			if u, err := netguard.ParseURL(in.URL); err == nil {
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: u.Host}}
			}
			return tr
		},
		Call: func(context.Context, input, *pegboard.Call) (string, error) { return "", nil },
	})
}

// fetch goes the way of one request.
type fetch struct {
	row       webRow
	pool      *pegboard.Pool
	strictest pegboard.Behavior
	reached   []connection // while everything was allowed
	log       strings.Builder
}

type connection struct {
	host string
	addr netip.Addr
}

// settle takes what was decided about one step.
func (f *fetch) settle(d pegboard.Behavior, text string) {
	f.strictest = max(f.strictest, d)
	f.log.WriteString(text + "\n")
}

// follow decides the URL and each redirect.
func (f *fetch) follow(t *testing.T) {
	t.Helper()
	u, err := netguard.ParseURL(f.row.URL)
	for hops := 0; ; hops++ {
		if err == nil && hops > netguard.HopLimit {
			err = fmt.Errorf("more than %d redirects", netguard.HopLimit)
		}
		if err != nil {
			f.settle(pegboard.Deny, err.Error())
			return
		}
		f.visit(t, u)
		next, ok := f.row.Redirects[u.String()]
		if !ok {
			return
		}
		f.log.WriteString("redirect to " + next.To + "\n")
		u, err = u.Redirect(next.To)
	}
}

// visit decides a host, and every address that it could have.
func (f *fetch) visit(t *testing.T, u *netguard.URL) {
	t.Helper()
	trace := f.pool.ExplainDecision(t.Context(), call(t, "WebFetch", map[string]string{"url": u.String()}))
	f.settle(trace.Decision.Behavior, trace.String())
	allowed := f.strictest == pegboard.Allow
	addrs, err := (&netguard.Guard{Resolver: f.row}).Resolve(t.Context(), u)
	if err != nil {
		require.ErrorAs(t, err, new(*netguard.RefusalError))
		f.settle(pegboard.Deny, err.Error())
	}
	for _, addr := range addrs {
		if allowed {
			f.reached = append(f.reached, connection{host: u.Host, addr: addr})
		}
	}
}

// LookupNetIP answers with all addresses that the row has for a host at any time.
func (r webRow) LookupNetIP(_ context.Context, _, host string) (addrs []netip.Addr, err error) {
	host = strings.TrimSuffix(host, ".")
	answers, ok := r.DNS[host]
	if !ok {
		answers, ok = r.DNS["*"]
	}
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	for _, answer := range answers {
		for _, text := range answer {
			addr, bad := netip.ParseAddr(text)
			addrs, err = append(addrs, addr), errors.Join(err, bad)
		}
	}
	return addrs, err
}
