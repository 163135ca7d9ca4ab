package pegboard_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// library returns a registry with tools that wait for a search.
func library(t testing.TB, o pegboard.SearchOptions) *pegboard.Registry {
	t.Helper()
	reg := registryOf(t, pegboard.ToolSearch(o), told(pegboard.Info{Name: "Read"}, "Reads a file."),
		told(pegboard.Info{Name: "WebFetch", Aliases: []string{"Fetch"}}, "Fetches a page of the web."))
	for source, tools := range map[string][]pegboard.Tool{
		"github": {
			told(pegboard.Info{Name: "create_issue"}, "Opens an issue in a repository."),
			told(pegboard.Info{Name: "list_issues"}, "Lists the issues of a repository."),
			told(pegboard.Info{Name: "delete_branch", Hint: "remove a line of work"}, "Takes a branch away."),
		},
		"weather": {told(pegboard.Info{Name: "forecast"}, "Tells how the weather will be in a city."), told(pegboard.Info{Name: "list"}, "Lists stations.")},
		"tickets": {told(pegboard.Info{Name: "create_issue"}, "Opens a ticket."), told(pegboard.Info{Name: "list"}, "Lists tickets.")},
	} {
		_, err := reg.Attach(source, tools...)
		require.NoError(t, err)
	}
	reg.SetDescription("weather", "Meteorology of the whole earth.")
	return reg
}

func matched(matches []pegboard.SearchMatch) []string {
	var names []string
	for _, m := range matches {
		names = append(names, m.Name)
	}
	return names
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
	_, err := reg.Attach("tickets", told(pegboard.Info{Name: "close"}, "Closes a ticket for good."))
	require.NoError(t, err)
	require.Equal(t, []string{"mcp__tickets__create_issue"}, matched(before.Search("create issue", 5)), "a pool is a snapshot")
	require.Empty(t, reg.AssemblePool(s, pegboard.PoolConfig{}).Search("create issue", 5))
	require.Equal(t, []string{"mcp__tickets__close"}, matched(reg.AssemblePool(s, pegboard.PoolConfig{}).Search("closing tickets", 5)))
}

// found runs the tool and returns its output.
func found(t testing.TB, reg *pegboard.Registry, query string) (pegboard.SearchOutput, *pegboard.Result) {
	t.Helper()
	out := run(t, reg, session(t, pegboard.SessionConfig{}), call("1", "ToolSearch", query))
	require.NoError(t, out.Err)
	output, ok := out.Result.Data.(pegboard.SearchOutput)
	require.True(t, ok)
	return output, out.Result
}

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
		_, err := reg.Attach("new", told(pegboard.Info{Name: "paint"}, "Paints a picture."))
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
