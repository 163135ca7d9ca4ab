package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// visit is the input of a tool of a browser.
type visit struct {
	URL string `json:"url,omitempty"`
	Tab string `json:"tab,omitempty"`
}

// page is its output.
type page struct {
	Title string   `json:"title"`
	Links []string `json:"links,omitempty"`
}

// browser returns a tool whose calls the host executes: those of one tab one after the
// other.
func browser(info pegboard.Info) pegboard.Tool {
	info.Name, info.Supplied = "Open", true
	return pegboard.Build(pegboard.Definition[visit, page]{
		Info: info, Description: "Opens a page in the user's browser.",
		Inspect: func(in visit, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: pegboard.Shared}
			if in.Tab != "" {
				tr.Concurrency = pegboard.PerTarget
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetResource, Value: in.Tab}}
			}
			return tr
		},
	})
}

// host executes calls in the place of a client application: it does with each what
// execute says, and notes which were released again.
type host struct {
	execute  func(a *pegboard.AwaitedCall)
	released map[string]string // the texts, by id
	kinds    []pegboard.EventKind
}

// listen is for Executor.OnEvent.
func (h *host) listen(e pegboard.Event) {
	h.kinds = append(h.kinds, e.Kind)
	switch e.Kind {
	case pegboard.EventAwaited:
		if h.execute != nil {
			h.execute(e.Awaited)
		}
	case pegboard.EventReleased:
		if h.released == nil {
			h.released = map[string]string{}
		}
		h.released[e.Awaited.ID] = e.Text
	}
}

// browsing returns a pool with the tool of the browser, and its session.
func browsing(t testing.TB, cfg pegboard.SessionConfig, tools ...pegboard.Tool) (*pegboard.Session, *pegboard.Pool) {
	t.Helper()
	s := session(t, cfg)
	if len(tools) == 0 {
		tools = []pegboard.Tool{browser(pegboard.Info{})}
	}
	return s, registryOf(t, tools...).AssemblePool(s, pegboard.PoolConfig{})
}

// sayTitle supplies a page with the title.
func sayTitle(t testing.TB, a *pegboard.AwaitedCall, title string) {
	t.Helper()
	require.NoError(t, a.Supply(pegboard.Supply{Output: []byte(`{"title":"` + title + `"}`)}))
}
