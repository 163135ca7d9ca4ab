package pegboard_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

func TestToolSearchRefersToWhatItFinds(t *testing.T) {
	t.Parallel()
	out, r := found(t, library(t, pegboard.SearchOptions{}), `{"query":"github issues","max_results":2}`)
	require.ElementsMatch(t, []string{"mcp__github__create_issue", "mcp__github__list_issues"}, out.Matches)
	require.Equal(t, 8, out.Total)
	require.Equal(t, []pegboard.Part{{Tool: out.Matches[0]}, {Tool: out.Matches[1]}}, r.Parts)
}

func TestToolSearchFindsAllNames(t *testing.T) {
	t.Parallel()
	names := library(t, pegboard.SearchOptions{}).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}).Deferred()
	out, _ := found(t, library(t, pegboard.SearchOptions{}), `{"query":"select:`+strings.Join(names, ",")+`"}`)
	require.Equal(t, names, out.Matches)
	out, _ = found(t, library(t, pegboard.SearchOptions{}), `{"query":"select:`+strings.Join(names, ",")+`","max_results":2}`)
	require.Len(t, out.Matches, 2)
}

func TestToolSearchNamesTheNearest(t *testing.T) {
	t.Parallel()
	reg := library(t, pegboard.SearchOptions{Servers: func(ctx) (pending, failed []string) { return []string{"slow"}, []string{"broken"} }})
	out, r := found(t, reg, `{"query":"select:mcp__github__create_isue"}`)
	require.Equal(t, []string{}, out.Matches)
	require.Equal(t, []string{"slow"}, out.Pending)
	require.Equal(t, []string{"broken"}, out.Failed)
	require.Contains(t, r.Text(), "No tool matches; 8 can be found. The nearest names are mcp__github__create_issue")
	require.Contains(t, r.Text(), "search again later for their tools: slow.")
	require.Contains(t, r.Text(), "are not there: broken.")

	_, r = found(t, reg, `{"query":"select:Read"}`)
	require.Equal(t, "Read", r.Parts[0].Tool)
	require.Contains(t, r.Text(), "still connect", "there is more to say")
}

func TestToolSearchOfTheNewestPool(t *testing.T) {
	t.Parallel()
	var reg *pegboard.Registry
	reg = library(t, pegboard.SearchOptions{Newest: func(s *pegboard.Session) *pegboard.Pool {
		_, err := offer(reg, "new", told(pegboard.Info{Name: "paint"}, "Paints a picture."))
		require.NoError(t, err)
		return reg.AssemblePool(s, pegboard.PoolConfig{})
	}})
	s := session(t, pegboard.SessionConfig{})
	out := run(t, reg, s, call("1", "ToolSearch", `{"query":"select:paint,Read"}`))
	require.Equal(t, []pegboard.Part{{Tool: "Read"}}, out.Result.Parts[:1], "what the request does not hold cannot be referred to")
	require.Contains(t, out.Result.Text(), "mcp__new__paint came just now. Load it in your next message, with select:mcp__new__paint.")
	require.NotContains(t, s.Loaded(), "mcp__new__paint")
	out = run(t, reg, s, call("2", "ToolSearch", `{"query":"select:paint"}`)) // by the next pool
	require.Equal(t, "mcp__new__paint", out.Result.Parts[0].Tool)
}

func TestToolSearchNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, r := found(t, library(t, pegboard.SearchOptions{}), `{"query":"select:WebFetch,mcp__github__create_isue"}`)
	require.Contains(t, r.Text(), "mcp__github__create_isue")
}

func TestToolSearchSaysWhenNamesDoNotFit(t *testing.T) {
	t.Parallel()
	reg := many(t, 80)
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf("mcp__s0__t%d", i))
	}
	out, r := found(t, reg, `{"query":"select:`+strings.Join(all, ",")+`"}`)
	if len(out.Matches) < 60 {
		require.NotEmpty(t, r.Text(), "%d of 60 and not a word", len(out.Matches))
	}
}

// A search without matches tells the model what to do next.
func TestToolSearchWithoutMatchesSaysWhatNext(t *testing.T) {
	t.Parallel()
	reg := many(t, 10)
	out, r := found(t, reg, `{"query":"select:"}`)
	require.Empty(t, out.Matches)
	require.NotEmpty(t, r.Text())
	empty := registryOf(t, finder())
	_, r = found(t, empty, `{"query":"anything"}`)
	require.Regexp(t, "0 can be found. .+", r.Text())
}

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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _ := found(t, library(t, pegboard.SearchOptions{Ranker: tt.ranker}), `{"query":"forecast"}`)
			require.GreaterOrEqual(t, len(out.Matches), len(tt.want))
			require.Equal(t, tt.want, out.Matches[:len(tt.want)], "the first are these")
		})
	}
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

// TestRetrieval searches the tools of each set as a model does, by [pegboard.Pool.Search],
// and prints how well the labelled ones are found. What must be reached is in
// internal/rank.
func TestRetrieval(t *testing.T) {
	var report []string
	for _, set := range corpus.ToolSets(t) {
		pool, exposed := poolOfSet(t, set)
		metrics := set.Measure(func(query string, k int) []string {
			var found []string
			for _, m := range pool.Search(words(query), k) {
				found = append(found, exposed[m.Name])
			}
			return found
		})
		require.Positive(t, metrics.Recall10, set.Name)
		report = append(report, fmt.Sprintf("%s %v", set.Name, metrics))
	}
	for _, line := range report { // the last lines of the test
		fmt.Println(line)
	}
}

// words returns a query of a data set as words alone: a plus in it requires nothing.
func words(query string) string { return strings.ReplaceAll(query, "+", " ") }

// poolOfSet registers the tools of a set, those of each server as a source, and says
// which name in the set belongs to which in the pool.
func poolOfSet(t testing.TB, set corpus.ToolSet) (pool *pegboard.Pool, exposed map[string]string) {
	t.Helper()
	bySource, original := map[string][]pegboard.Tool{}, map[string]string{}
	taken := map[string]bool{} // names of no server, in lower case: twins are refused
	for _, tool := range set.Tools {
		name := tool.Name
		if tool.Server == "" && taken[strings.ToLower(name)] {
			name += "_2"
		}
		taken[strings.ToLower(name)] = true
		original[name] = tool.Name
		schema := tool.Parameters
		if len(schema) == 0 {
			schema = []byte(`{"type":"object"}`)
		}
		description := tool.Description
		if description == "" {
			description = " "
		}
		built, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, Description: description,
			Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
		if err != nil {
			t.Logf("%s: %s cannot be built: %v", set.Name, tool.Name, err)
			continue
		}
		bySource[tool.Server] = append(bySource[tool.Server], built)
	}
	reg := registryOf(t, finder())
	for source, tools := range bySource {
		if source == "" { // of no server
			require.NoError(t, reg.Add(tools...))
			continue
		}
		_, err := reg.Attach(source, tools...)
		require.NoError(t, err)
	}
	pool = reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	exposed = map[string]string{}
	for tool := range pool.All() {
		name := cmp.Or(tool.Info().Origin.Tool, tool.Info().Name)
		exposed[tool.Info().Name] = cmp.Or(original[name], name)
	}
	return pool, exposed
}
