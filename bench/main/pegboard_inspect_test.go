package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
)

// BenchmarkInspect measures the cost of a page. No peer has a case.
//
//   - Inspect/record: a call whose events a page records, beside a listener that does nothing;
//     with contents, it also keeps the input, the result and the lines that a person reads;
//   - Inspect/page: a whole page over 1,050 tools, 2,000 calls and 20 agents, from the request to
//     the last byte;
//   - Inspect/update: the rows of 20 calls that have changed. Its bytes are those that are sent.
func BenchmarkInspect(b *testing.B) {
	call := pegboard.Call{ID: "1", Name: "Echo", Input: json.RawMessage(`{"text":"hello"}`)}
	set := policy.RuleSet{Allow: []string{"Echo"}}
	b.Run("Inspect/record/floor-listener", func(b *testing.B) {
		p := inspected(b, set, false)
		p.run(b, func(pegboard.Event) {}, call)
	})
	b.Run("Inspect/record/pegboard", func(b *testing.B) {
		p := inspected(b, set, false)
		p.run(b, p.page.Record, call)
	})
	b.Run("Inspect/record/pegboard-contents", func(b *testing.B) {
		p := inspected(b, set, true)
		p.run(b, p.page.Record, call)
	})
	full := inspected(b, set, true)
	full.fill(b)
	var numbers []string
	for n := 2000; n > 1980; n-- {
		numbers = append(numbers, fmt.Sprint(n))
	}
	for _, c := range []struct{ name, path string }{
		{"Inspect/page/pegboard-questions", "/"},
		{"Inspect/page/pegboard-timeline", "/timeline"},
		{"Inspect/page/pegboard-call", "/call?n=2000"},
		{"Inspect/page/pegboard-pools", "/pools"},
		{"Inspect/page/pegboard-search", "/search?q=create+a+report"},
		{"Inspect/page/pegboard-results", "/results"},
		{"Inspect/page/pegboard-rules", "/rules"},
		{"Inspect/update/pegboard", "/rows?calls=" + strings.Join(numbers, ",")},
	} {
		b.Run(c.name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				size = full.get(b, c.path)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

const inspectToken = "a-token-of-a-benchmark-0123456789"

// An inspection is a page over a registry with 1,050 external tools.
type inspection struct {
	registry *pegboard.Registry
	session  *pegboard.Session
	page     *inspect.Page
	cookie   string
}

func inspected(b *testing.B, set policy.RuleSet, contents bool) *inspection {
	b.Helper()
	perms, err := policy.New(policy.ModeDefault, set)
	require.NoError(b, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: b.TempDir(), Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1}})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close(context.Background())) })
	p := &inspection{registry: new(pegboard.Registry), session: s}
	require.NoError(b, p.registry.Add(echo(), pegboard.ToolSearch(pegboard.SearchOptions{})))
	for server := range 21 {
		var tools []pegboard.Tool
		for i := range 50 {
			schema := fmt.Sprintf(`{"type":"object","properties":{"report_%d":{"type":"string","description":"Which report is created"}}}`, i)
			tool, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: fmt.Sprintf("create_report_%d", i)}, Description: fmt.Sprintf("Creates report %d of a kind, and returns its name and where it is.", i),
				Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
					return pegboard.TextResult("done"), nil
				},
			})
			require.NoError(b, err)
			tools = append(tools, tool)
		}
		_, err := p.registry.Attach(fmt.Sprintf("server%d", server), tools...)
		require.NoError(b, err)
	}
	p.page, err = inspect.New(inspect.Options{Registry: p.registry, Session: s, Token: inspectToken, Contents: contents, Answers: contents,
		Pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOn}}})
	require.NoError(b, err)
	w := httptest.NewRecorder()
	p.page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/?token="+inspectToken, nil))
	p.cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return p
}

// run measures a call with a listener.
func (p *inspection) run(b *testing.B, listener func(pegboard.Event), call pegboard.Call) {
	b.Helper()
	pool, executor := p.registry.AssemblePool(p.session, pegboard.PoolConfig{}), &pegboard.Executor{OnEvent: listener}
	for b.Loop() {
		require.NoError(b, executor.Run(b.Context(), pool, call)[0].Err)
	}
}

// fill records 2,000 calls of 20 agents, in messages of five.
func (p *inspection) fill(b *testing.B) {
	b.Helper()
	executor := &pegboard.Executor{OnEvent: p.page.Record}
	for agent := range 20 {
		s := p.session
		if agent > 0 {
			fork, err := s.Fork(pegboard.SessionConfig{AgentID: fmt.Sprintf("agent-%d", agent), AgentType: "Explore"})
			require.NoError(b, err)
			s = fork
		}
		pool := p.registry.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOn}})
		for message := range 20 {
			var calls []pegboard.Call
			for i := range 5 {
				calls = append(calls, pegboard.Call{ID: fmt.Sprintf("toolu_%d_%d", message, i), Name: "Echo", Input: json.RawMessage(`{"text":"` + strings.Repeat("some words ", 20) + `"}`)})
			}
			executor.Run(b.Context(), pool, calls...)
		}
	}
}

// get returns the size of a page.
func (p *inspection) get(b *testing.B, path string) int {
	b.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	r.Header.Set("Cookie", p.cookie)
	w := httptest.NewRecorder()
	p.page.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		b.Fatal(w.Code, w.Body)
	}
	return w.Body.Len()
}
