package pegboard

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// A SearchMatch is a tool that a search has found.
type SearchMatch struct {
	Name  string  // in the pool
	Score float64 // comparable within one search; higher is better
}

// A Ranker orders the deferred tools of a pool by their relevance to words. It may be
// called concurrently. To check one, use tooltest.CheckRanker.
type Ranker interface {
	// Rank returns at most limit tools, best first, without irrelevant ones. Accept says
	// of a name whether it may be found; nil means that any may. Further matches, tools
	// that are not deferred, and repeated tools are ignored.
	Rank(ctx context.Context, p *Pool, words string, limit int, accept func(name string) bool) ([]SearchMatch, error)
}

// LexicalRanker ranks by words: those of the name count most, then those of the hint and
// the description, then the names and descriptions of properties, and the description of
// the source. It knows plurals, parts of compound names and a few synonyms. The same
// tools and words give the same order on every machine.
type LexicalRanker struct{}

// Rank implements [Ranker].
func (LexicalRanker) Rank(_ context.Context, p *Pool, words string, limit int, accept func(string) bool) ([]SearchMatch, error) {
	return p.search.find(p, words, limit, accept), nil
}

// FuseRankers returns a ranker that joins others, such as words and embeddings. A tool's
// score is the sum of 1 / (60 + its place) over the rankers, as in reciprocal rank fusion,
// so that the rankers' scores need not be comparable. A ranker that fails is ignored
// unless all fail. It panics if there is no ranker.
func FuseRankers(rankers ...Ranker) Ranker {
	if len(rankers) == 0 {
		panic("pegboard: FuseRankers: no ranker")
	}
	return fusedRankers(slices.Clone(rankers))
}

type fusedRankers []Ranker

// minFusedDepth is how many places of each ranker count, at least.
const minFusedDepth = 50

// Rank implements [Ranker].
func (f fusedRankers) Rank(ctx context.Context, p *Pool, words string, limit int, accept func(string) bool) ([]SearchMatch, error) {
	scores := map[string]float64{}
	var errs []error
	for _, r := range f {
		matches, err := p.rank(ctx, r, words, max(limit, minFusedDepth), accept)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for place, m := range matches {
			scores[m.Name] += 1 / float64(60+place+1)
		}
	}
	if len(errs) == len(f) {
		return nil, errors.Join(errs...)
	}
	var all []SearchMatch
	for name, score := range scores {
		all = append(all, SearchMatch{name, score})
	}
	slices.SortFunc(all, func(a, b SearchMatch) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name)) })
	return all[:min(limit, len(all))], nil
}
