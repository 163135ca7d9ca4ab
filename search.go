package pegboard

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/rank"
	"github.com/seed49eaa51d/pegboard/internal/searchquery"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A SearchMatch is a tool that was found.
type SearchMatch struct {
	Name  string  // in the pool
	Score float64 // comparable within one search; higher is better
}

// A Ranker orders the tools of a pool that can be searched, see [Pool.Deferred], by
// what they have to do with words. It may be called concurrently.
type Ranker interface {
	// Rank returns at most limit tools, best first, and leaves out those that have
	// nothing to do with words. accept says of a name whether it may be found; nil means
	// that any may. What it returns beyond that, or of tools that do not wait, or once
	// more, is passed over.
	Rank(ctx context.Context, p *Pool, words string, limit int, accept func(name string) bool) ([]SearchMatch, error)
}

// LexicalRanker ranks by words: those of the name count most, then those of the hint and
// the description, then the names and descriptions of properties, and what is known
// of the source. It understands plurals, parts of compound names and a few synonyms.
// The same tools and words give the same order everywhere.
type LexicalRanker struct{}

// Rank implements [Ranker].
func (LexicalRanker) Rank(_ context.Context, p *Pool, words string, limit int, accept func(string) bool) ([]SearchMatch, error) {
	return p.rank(words, limit, accept), nil
}

// FuseRankers returns a ranker that joins others, so that a host can set embeddings beside
// words. A tool's score is the sum of 1 / (60 + its place) over the rankers, as in
// reciprocal rank fusion, so that no scores need be comparable. A ranker that fails is
// passed over unless all do. It panics if it is given none.
func FuseRankers(rankers ...Ranker) Ranker {
	if len(rankers) == 0 {
		panic("pegboard: Fuse: no ranker")
	}
	return fused(slices.Clone(rankers))
}

type fused []Ranker

const fusedDepth = 50 // places that count, at least

func (f fused) Rank(ctx context.Context, p *Pool, words string, limit int, accept func(string) bool) ([]SearchMatch, error) {
	scores := map[string]float64{}
	var errs []error
	for _, r := range f {
		matches, err := p.ask(ctx, r, words, max(limit, fusedDepth), accept)
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

// Search returns at most limit of the tools that wait for a search, best first, ties
// by name. The query has one of two forms:
//
//   - "select:A,B" names tools, by name, alias or the name that their source knows
//     them by, in upper or lower case. Tools that do not wait are found as well.
//   - Words are ranked as [LexicalRanker] does. Those after a + must be part of the name;
//     they rank, too. A word that is the prefix of a source, such as mcp__github,
//     leaves only the tools of that source.
func (p *Pool) Search(query string, limit int) []SearchMatch {
	q := searchquery.Parse(query, p.hasServer)
	if q.ByName {
		matches, _, _ := p.selectNames(q.Names, limit)
		return matches
	}
	matches, _ := p.find(context.Background(), LexicalRanker{}, q, limit) // which does not fail
	return matches
}

func (p *Pool) find(ctx context.Context, ranker Ranker, q searchquery.Query, limit int) ([]SearchMatch, error) {
	if limit <= 0 {
		return nil, nil
	}
	var accept func(name string) bool
	if q.HasFilters() {
		accept = func(name string) bool { return p.admits(q, name) }
	}
	matches, err := p.ask(ctx, ranker, q.Words, limit, accept)
	if err != nil {
		return nil, err
	}
	if len(matches) == 0 && q.HasFilters() { // the words that must be there are enough
		for _, i := range p.waiting {
			if name := p.tools[i].info.Name; p.admits(q, name) {
				matches = append(matches, SearchMatch{Name: name})
			}
		}
	}
	return matches[:min(limit, len(matches))], nil
}

// ask returns what a ranker finds that may be found, by its name in the pool and once.
func (p *Pool) ask(ctx context.Context, r Ranker, words string, limit int, accept func(name string) bool) (found []SearchMatch, err error) {
	var matches []SearchMatch
	if err := goroutine.Try(func() (err error) { matches, err = r.Rank(ctx, p, words, limit, accept); return err }); err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, m := range matches {
		i, ok := p.index[m.Name]
		if !ok || seen[i] || !p.tools[i].decl.Deferred {
			continue
		}
		seen[i], m.Name = true, p.tools[i].info.Name
		if accept == nil || accept(m.Name) {
			found = append(found, m)
		}
	}
	return found, nil
}

func (p *Pool) admits(q searchquery.Query, name string) bool {
	i, ok := p.index[name]
	return ok && q.PassesFilters(name, p.tools[i].info.server)
}

func (p *Pool) hasServer(prefix string) bool {
	return strings.HasPrefix(prefix, toolname.Prefix) && slices.ContainsFunc(p.tools[p.builtins:], func(t offered) bool { return t.info.server == prefix })
}

// selectNames also returns the names that are of no tool, and how many tools are left.
func (p *Pool) selectNames(names []string, limit int) (matches []SearchMatch, missing []string, left int) {
	seen := map[int]bool{}
	for _, name := range names {
		switch i, ok := p.named(name); {
		case !ok:
			missing = append(missing, name)
		case seen[i]:
		case len(matches) >= limit:
			seen[i], left = true, left+1
		default:
			seen[i], matches = true, append(matches, SearchMatch{Name: p.tools[i].info.Name, Score: 1})
		}
	}
	return matches, missing, left
}

// named finds a tool by a name in any letter case, or the one external tool that its
// source calls so.
func (p *Pool) named(name string) (index int, ok bool) {
	if i, ok := p.index[name]; ok {
		return i, true
	}
	raw := -1
	for i, t := range p.tools {
		if strings.EqualFold(t.info.Name, name) || slices.ContainsFunc(t.info.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return i, true
		}
		if t.info.Origin.External() && strings.EqualFold(t.info.Origin.Tool, name) {
			if raw >= 0 {
				raw = len(p.tools) // several: none is meant
			} else {
				raw = i
			}
		}
	}
	return raw, raw >= 0 && raw < len(p.tools)
}

// rank finds the tools that have most to do with words.
func (p *Pool) rank(words string, limit int, accept func(name string) bool) []SearchMatch {
	p.searching.Do(p.makeIndex)
	var within func(source, tool int) bool
	if accept != nil {
		within = func(source, tool int) bool { return accept(p.tools[p.places[source][tool]].info.Name) }
	}
	hits := p.words.Search(words, limit, within)
	matches := make([]SearchMatch, len(hits))
	for i, h := range hits {
		matches[i] = SearchMatch{Name: p.tools[p.places[h.Segment][h.Document]].info.Name, Score: h.Score}
	}
	return matches
}

// makeIndex makes the index of the tools that wait, source by source.
func (p *Pool) makeIndex() {
	var sources []rank.Source
	at := map[string]int{}
	for _, i := range p.waiting {
		t := &p.tools[i]
		source, name := t.info.Origin.Source, cmp.Or(t.info.Origin.Tool, t.info.Name)
		s, ok := at[source]
		if !ok {
			s = len(sources)
			at[source] = s
			sources = append(sources, rank.Source{Name: source, About: p.from.about[source]})
			p.places = append(p.places, nil)
		}
		sources[s].Tools = append(sources[s].Tools, rank.Tool{Name: name, Hint: t.info.Hint, Description: t.decl.Description, Schema: t.decl.InputSchema})
		p.places[s] = append(p.places[s], i)
	}
	p.words = p.library.Index(sources)
}
