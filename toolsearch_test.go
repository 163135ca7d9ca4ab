package pegboard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
