package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	p := library(t, pegboard.SearchOptions{}).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	tests := []struct {
		name  string
		query string
		limit int
		want  []string // in order
		first string   // if the order of the others does not matter
		none  []string // must not be among them
	}{
		{name: "by name", query: "select:mcp__github__create_issue", want: []string{"mcp__github__create_issue"}},
		{name: "several names", query: " Select: WebFetch , mcp__weather__forecast,WebFetch", want: []string{"WebFetch", "mcp__weather__forecast"}},
		{name: "by alias", query: "select:fetch", want: []string{"WebFetch"}},
		{name: "by the name that the source uses", query: "select:FORECAST", want: []string{"mcp__weather__forecast"}},
		{name: "by a name that two sources use", query: "select:create_issue"},
		{name: "one that does not wait", query: "select:Read", want: []string{"Read"}},
		{name: "no such name", query: "select:Nothing,"},
		{name: "no more than the limit", query: "select:Read,WebFetch", limit: 1, want: []string{"Read"}},

		{name: "words", query: "weather in my city", first: "mcp__weather__forecast", none: []string{"Read"}},
		{name: "words of the hint", query: "remove work", first: "mcp__github__delete_branch"},
		{name: "words of the source", query: "meteorology", limit: 2, none: []string{"mcp__github__list_issues", "WebFetch"}},
		{name: "a required word", query: "+github create issue", first: "mcp__github__create_issue", none: []string{"mcp__tickets__create_issue"}},
		{name: "only a required word", query: "+WEATHER", limit: 9, none: []string{"mcp__github__create_issue", "WebFetch"}, first: "mcp__weather__forecast"},
		{name: "only part of a name", query: "+orecas", want: []string{"mcp__weather__forecast"}},
		{name: "two required words", query: "+list +tick", want: []string{"mcp__tickets__list"}},
		{name: "a source", query: "mcp__tickets__ open something", first: "mcp__tickets__create_issue", none: []string{"mcp__github__create_issue"}},
		{name: "a source alone", query: "mcp__weather", limit: 9, want: []string{"mcp__weather__forecast", "mcp__weather__list"}},
		{name: "nothing", query: "zzzzqqq"},
		{name: "no limit", query: "weather", limit: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.limit == 0 {
				tt.limit = 5
			}
			got := matched(p.Search(tt.query, tt.limit))
			if tt.first == "" && tt.none == nil {
				require.Equal(t, tt.want, got)
			}
			if tt.first != "" {
				require.NotEmpty(t, got)
				require.Equal(t, tt.first, got[0])
			}
			for _, name := range tt.none {
				require.NotContains(t, got, name)
			}
			require.LessOrEqual(t, len(got), max(0, tt.limit))
		})
	}
}

func TestSearchSeesOnlyThePool(t *testing.T) {
	t.Parallel()
	reg := library(t, pegboard.SearchOptions{})
	s := denying(t, "mcp__github", "WebFetch")
	p := reg.AssemblePool(s, pegboard.PoolConfig{})
	require.Equal(t, []string{"mcp__tickets__create_issue"}, matched(p.Search("create issue", 5)))
	require.Empty(t, p.Search("select:WebFetch,mcp__github__list_issues", 5))
	require.Empty(t, reg.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOff}}).Search("create issue", 5))

	before := reg.AssemblePool(s, pegboard.PoolConfig{})
	_, err := reg.Replace("tickets", told(pegboard.Info{Name: "close"}, "Closes a ticket for good."))
	require.NoError(t, err)
	require.Equal(t, []string{"mcp__tickets__create_issue"}, matched(before.Search("create issue", 5)), "a pool is a snapshot")
	require.Empty(t, reg.AssemblePool(s, pegboard.PoolConfig{}).Search("create issue", 5))
	require.Equal(t, []string{"mcp__tickets__close"}, matched(reg.AssemblePool(s, pegboard.PoolConfig{}).Search("closing tickets", 5)))
}

type rankerFunc func(words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error)

func (f rankerFunc) Rank(_ context.Context, _ *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
	return f(words, limit, accept)
}

func TestRankers(t *testing.T) {
	t.Parallel()
	always := func(names ...string) pegboard.Ranker {
		return rankerFunc(func(string, int, func(string) bool) (list []pegboard.SearchMatch, _ error) {
			for _, n := range names {
				list = append(list, pegboard.SearchMatch{Name: n})
			}
			return list, nil
		})
	}
	broken := rankerFunc(func(string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
		return nil, errors.New("no model")
	})
	panics := rankerFunc(func(string, int, func(string) bool) ([]pegboard.SearchMatch, error) { panic("no model") })
	tests := []struct {
		name   string
		ranker pegboard.Ranker
		want   []string
	}{
		{name: "a host's own", ranker: always("mcp__weather__list", "WebFetch"), want: []string{"mcp__weather__list", "WebFetch"}},
		{name: "what does not wait is not found", ranker: always("Read", "gone", "WebFetch"), want: []string{"WebFetch"}},
		{name: "broken", ranker: broken, want: []string{"mcp__weather__forecast"}},
		{name: "crashed", ranker: panics, want: []string{"mcp__weather__forecast"}},
		{
			name: "two", ranker: pegboard.FuseRankers(always("WebFetch", "mcp__weather__list", "mcp__tickets__list"), always("mcp__weather__list", "mcp__github__list_issues")),
			want: []string{"mcp__weather__list", "WebFetch", "mcp__github__list_issues", "mcp__tickets__list"},
		},
		{name: "with words", ranker: pegboard.FuseRankers(always("WebFetch"), pegboard.LexicalRanker{}), want: []string{"WebFetch", "mcp__weather__forecast"}},
		{name: "one of two broken", ranker: pegboard.FuseRankers(broken, always("WebFetch")), want: []string{"WebFetch"}},
		{name: "all broken", ranker: pegboard.FuseRankers(broken, broken), want: []string{"mcp__weather__forecast"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _ := found(t, library(t, pegboard.SearchOptions{Ranker: tt.ranker}), `{"query":"forecast"}`)
			require.GreaterOrEqual(t, len(out.Matches), len(tt.want))
			require.Equal(t, tt.want, out.Matches[:len(tt.want)], "the first are these")
		})
	}
	require.Panics(t, func() { pegboard.FuseRankers() })
}

func TestMatchesOfARankerAreCheckedAgainstTheQuery(t *testing.T) {
	t.Parallel()
	ranker := rankerFunc(func(string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
		return []pegboard.SearchMatch{{Name: "Fetch"}, {Name: "WebFetch"}, {Name: "mcp__weather__list"}, {Name: "mcp__weather__list"}, {Name: "mcp__tickets__list"}}, nil
	})
	out, _ := found(t, library(t, pegboard.SearchOptions{Ranker: ranker}), `{"query":"+tickets list"}`)
	require.Equal(t, []string{"mcp__tickets__list"}, out.Matches, "what must be in the name")
	out, _ = found(t, library(t, pegboard.SearchOptions{Ranker: ranker}), `{"query":"list"}`)
	require.Equal(t, []string{"WebFetch", "mcp__weather__list", "mcp__tickets__list"}, out.Matches, "each once")
}

func TestFuseRankersCountsDeferredToolsOnce(t *testing.T) {
	t.Parallel()
	ranker := rankerFunc(func(string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
		return []pegboard.SearchMatch{{Name: "Read"}, {Name: "gone"}, {Name: "WebFetch"}}, nil
	})
	out, _ := found(t, library(t, pegboard.SearchOptions{Ranker: pegboard.FuseRankers(ranker)}), `{"query":"page","max_results":1}`)
	require.Equal(t, []string{"WebFetch"}, out.Matches)
	twice := rankerFunc(func(string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
		return []pegboard.SearchMatch{{Name: "mcp__weather__list"}, {Name: "WebFetch"}, {Name: "WebFetch"}}, nil
	})
	out, _ = found(t, library(t, pegboard.SearchOptions{Ranker: pegboard.FuseRankers(twice)}), `{"query":"page","max_results":1}`)
	require.Equal(t, []string{"mcp__weather__list"}, out.Matches, "a repeat is no second vote")
	panics := rankerFunc(func(string, int, func(string) bool) ([]pegboard.SearchMatch, error) { panic("no model") })
	out, _ = found(t, library(t, pegboard.SearchOptions{Ranker: pegboard.FuseRankers(panics, twice)}), `{"query":"page","max_results":1}`)
	require.Equal(t, []string{"mcp__weather__list"}, out.Matches, "one that crashes is passed over as well")
}

// A search ends whatever the query is: long queries took many minutes before the number
// of words had a bound.
func TestSearchForAHostileQueryEnds(t *testing.T) {
	t.Parallel()
	reg := many(t, effort.Of(t, 10_000))
	s := session(t, pegboard.SessionConfig{})
	p := reg.AssemblePool(s, pegboard.PoolConfig{})
	p.Search("warm up", 5)
	var words, names, plus, srv strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&words, "zq%dx ", i)
		fmt.Fprintf(&names, "mcp__zq__qx%d,", i)
		fmt.Fprintf(&plus, "+t ")
		fmt.Fprintf(&srv, "mcp__s%d thing ", i)
	}
	for name, query := range map[string]string{
		"words": words.String(), "names": "select:" + names.String(), "required": plus.String() + "zz", "servers": srv.String(),
		"servers2": strings.Repeat("mcp__zz ", 100_000), "same server": strings.Repeat("mcp__s9 ", 100_000) + "thing",
		"long word": strings.Repeat("a", 1<<20), "unicode": strings.Repeat("查询", 1<<18), "bytes": strings.Repeat("\\u0000\\ufffd", 1<<16),
	} {
		out := executor(pegboard.Executor{}).Run(t.Context(), p, call("1", "ToolSearch", `{"query":"`+query+`"}`))
		require.Less(t, len(out[0].Result.Text()), 10_000, name)
	}
}

// The index does not keep the texts of a source that was detached.
func TestSearchForgetsADetachedSource(t *testing.T) {
	reg := registryOf(t, finder(), told(pegboard.Info{Name: "late", Loading: pegboard.LoadOnSearch}, "Late."))
	s := session(t, pegboard.SessionConfig{})
	reg.AssemblePool(s, pegboard.PoolConfig{}).Search("late", 5)
	before := heap()
	func() {
		var tools []pegboard.Tool
		for i := range 2000 {
			tools = append(tools, told(pegboard.Info{Name: fmt.Sprint("t", i)}, fmt.Sprint(i)+strings.Repeat(" describes", 200)))
		}
		_, err := reg.Attach("big", tools...)
		require.NoError(t, err)
		reg.AssemblePool(s, pegboard.PoolConfig{}).Search("thing", 5)
	}()
	full := heap()
	reg.Detach("big")
	reg.AssemblePool(s, pegboard.PoolConfig{}).Search("late", 5)
	after := heap()
	runtime.KeepAlive(reg)
	t.Logf("before %d, with the source %d, after it went %d KiB", before>>10, full>>10, after>>10)
	require.Less(t, after-min(after, before), (full-before)/4)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Pools are searched while sources come and go and tools are loaded.
func TestSearchIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	reg := library(t, pegboard.SearchOptions{})
	s := session(t, pegboard.SessionConfig{})
	shared := reg.AssemblePool(s, pegboard.PoolConfig{})
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for n := range 30 {
				source := fmt.Sprint("x", i%3)
				switch (i + n) % 6 {
				case 0:
					_, err := offer(reg, source, told(pegboard.Info{Name: "paint"}, "Paints "+source))
					if err != nil && !errors.Is(err, pegboard.ErrDuplicate) { // another one was faster
						t.Error(err)
					}
				case 1:
					reg.Detach(source)
				case 2:
					s.SetLoaded("WebFetch", "mcp__weather__list")
				case 3:
					reg.SetDescription(source, fmt.Sprint(n))
				}
				if got := shared.Search("forecast", 1); len(got) != 1 || got[0].Name != "mcp__weather__forecast" {
					t.Error(got)
				}
				p := reg.AssemblePool(s, pegboard.PoolConfig{})
				p.Search("paint a picture", 3)
				p.Announce(shared.Deferred())
				for range p.Loaded() {
				}
				p.Restrict(pegboard.Restriction{Without: []string{"WebFetch"}}).Search("weather", 1)
			}
		})
	}
	all.Wait()
}
