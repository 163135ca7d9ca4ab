package tooltest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// rankerFunc is a ranker of one func.
type rankerFunc func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error)

func (f rankerFunc) Rank(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
	return f(ctx, p, words, limit, accept)
}

type badRanker struct {
	name   string
	ranker rankerFunc
	rules  []string
	got    string
}

// changing is a good ranker whose matches are changed.
func changing(change func(found []pegboard.SearchMatch) []pegboard.SearchMatch) rankerFunc {
	return func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
		found, err := pegboard.LexicalRanker{}.Rank(ctx, p, words, limit, accept)
		return change(slices.Clone(found)), err
	}
}

func badRankers(release <-chan struct{}) []badRanker {
	lexical := pegboard.LexicalRanker{}
	moved := after(4)
	return []badRanker{
		{name: "finds nothing", rules: []string{tooltest.RuleRankerFinds, tooltest.RuleRankerLimit}, got: "is not among the first three", ranker: func(context.Context, *pegboard.Pool, string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
			return nil, nil
		}},
		{name: "fails", rules: []string{tooltest.RuleRankerFinds}, got: "Rank failed: no model", ranker: func(context.Context, *pegboard.Pool, string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
			return nil, errors.New("no model")
		}},
		{name: "ten whatever the limit", rules: []string{tooltest.RuleRankerLimit, tooltest.RuleRankerAccept}, got: "matches, and the limit is 1", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, _ func(string) bool) ([]pegboard.SearchMatch, error) {
			return lexical.Rank(ctx, p, words, max(limit, 10), nil)
		}},
		{name: "worst first", rules: []string{tooltest.RuleRankerOrder}, got: "match 2 has the score", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			if len(found) > 5 {
				found[0].Score, found[1].Score = found[1].Score, found[0].Score+1
			}
			return found
		})},
		{name: "no numbers", rules: []string{tooltest.RuleRankerOrder}, got: "has the score NaN", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			for i := range found {
				found[i].Score /= 0 * found[i].Score
				found[i].Score -= found[i].Score
			}
			return found
		})},
		{name: "names of servers", rules: []string{tooltest.RuleRankerNames}, got: "is no deferred tool", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			if len(found) > 4 {
				found[4].Name = "Picture"
			}
			return found
		})},
		{name: "twice", rules: []string{tooltest.RuleRankerNames}, got: "is there twice", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			if len(found) > 4 {
				found[4].Name = found[0].Name
			}
			return found
		})},
		{name: "accepts after it has cut", rules: []string{tooltest.RuleRankerAccept}, got: "accept allows only", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			found, err := lexical.Rank(ctx, p, words, limit, nil)
			return slices.DeleteFunc(slices.Clone(found), func(m pegboard.SearchMatch) bool { return accept != nil && !accept(m.Name) }), err
		}},
		{name: "always something", rules: []string{tooltest.RuleRankerIrrelevant}, got: "the matches are", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			found, err := lexical.Rank(ctx, p, words, limit, accept)
			if len(p.Deferred()) == 0 || err != nil || len(found) > 0 || limit == 0 {
				return found, err
			}
			if name := p.Deferred()[0]; accept == nil || accept(name) {
				found = []pegboard.SearchMatch{{Name: name, Score: 0.01}}
			}
			return found, err
		}},
		{name: "another order now and then", rules: []string{tooltest.RuleRankerSame}, got: "they were", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			found, err := lexical.Rank(ctx, p, words, limit, accept)
			if found = slices.Clone(found); words == "print picture" && moved() {
				found = found[1:]
			}
			return found, err
		}},
		{name: "panics without words", rules: []string{tooltest.RuleRankerOdd}, got: "panic: runtime error: index out of range", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			_ = strings.Fields(words)[0]
			return lexical.Rank(ctx, p, words, limit, accept)
		}},
		{name: "goes on", rules: []string{tooltest.RuleRankerEnds}, got: "whose context had ended, did not return within 1m0s", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			if ctx.Err() != nil {
				<-release
			}
			return lexical.Rank(ctx, p, words, limit, accept)
		}},
	}
}

func TestCheckRankerFindsBadRankers(t *testing.T) {
	t.Parallel()
	for i, tt := range badRankers(nil) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				err := tooltest.CheckRanker(badRankers(release)[i].ranker)
				close(release)
				time.Sleep(time.Hour)
				require.ElementsMatch(t, tt.rules, rulesOf(t, err), "%v", err)
				require.ErrorContains(t, err, tt.got)
			})
		})
	}
}

func TestCheckRankerRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range badRankers(nil) {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "check_ranker.go", tooltest.RankerRules(), broken)
}

func TestShippedRankersKeepTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.CheckRanker(pegboard.LexicalRanker{}))
	require.NoError(t, tooltest.CheckRanker(pegboard.FuseRankers(pegboard.LexicalRanker{})))
	require.NoError(t, tooltest.CheckRanker(pegboard.FuseRankers(pegboard.LexicalRanker{}, changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
		slices.Reverse(found)
		for i := range found {
			found[i].Score = -float64(i)
		}
		return found[:min(2, len(found))]
	}))))
}

func ExampleCheckRanker() {
	fmt.Println(tooltest.CheckRanker(pegboard.LexicalRanker{}))

	// A ranker that knows no limit.
	err := tooltest.CheckRanker(rankerFunc(func(ctx context.Context, p *pegboard.Pool, words string, _ int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
		return pegboard.LexicalRanker{}.Rank(ctx, p, words, 100, accept)
	}))
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// the limit holds
	// every tool that is found is added to the prompt
}
