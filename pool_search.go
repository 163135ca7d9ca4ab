package pegboard

import (
	"context"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/searchquery"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// Search returns at most limit deferred tools, best first, ties by name. The query has one
// of two forms:
//
//   - "select:A,B" names tools, by name, alias or their name at the source, in upper or
//     lower case. Tools that are not deferred are found as well.
//   - Words are ranked as [LexicalRanker] does. A word after a + must be part of the name,
//     and is ranked, too. A word that is the prefix of a source, such as mcp__github,
//     limits the search to that source.
func (p *Pool) Search(query string, limit int) []SearchMatch {
	q := searchquery.Parse(query, p.hasServer)
	if q.ByName {
		matches, _, _ := p.findByName(q.Names, limit)
		return matches
	}
	matches, _ := p.findByWords(context.Background(), LexicalRanker{}, q, limit) // LexicalRanker does not fail
	return matches
}

// findByWords returns the tools that a ranker finds.
func (p *Pool) findByWords(ctx context.Context, ranker Ranker, q searchquery.Query, limit int) ([]SearchMatch, error) {
	if limit <= 0 {
		return nil, nil
	}
	var accept func(name string) bool
	if q.HasFilters() {
		accept = func(name string) bool { return p.satisfies(q, name) }
	}
	matches, err := p.rank(ctx, ranker, q.Words, limit, accept)
	if err != nil {
		return nil, err
	}
	if len(matches) == 0 && q.HasFilters() { // the required words alone are enough
		for _, i := range p.deferred {
			if name := p.tools[i].info.Name; p.satisfies(q, name) {
				matches = append(matches, SearchMatch{Name: name})
			}
		}
	}
	return matches[:min(limit, len(matches))], nil
}

// rank returns the deferred tools that a ranker finds, each once and by its name in the
// pool.
func (p *Pool) rank(ctx context.Context, r Ranker, words string, limit int, accept func(name string) bool) (found []SearchMatch, err error) {
	var matches []SearchMatch
	if err := goroutine.Try(func() (err error) { matches, err = r.Rank(ctx, p, words, limit, accept); return err }); err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, m := range matches {
		i, ok := p.byName[m.Name]
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

// satisfies reports whether a tool has the required words and the source of q.
func (p *Pool) satisfies(q searchquery.Query, name string) bool {
	i, ok := p.byName[name]
	return ok && q.PassesFilters(name, p.tools[i].info.server)
}

func (p *Pool) hasServer(prefix string) bool {
	return strings.HasPrefix(prefix, toolname.Prefix) && slices.ContainsFunc(p.tools[p.builtins:], func(t offered) bool { return t.info.server == prefix })
}

// findByName returns at most limit of the named tools, the names without a tool, and how
// many tools are over the limit.
func (p *Pool) findByName(names []string, limit int) (matches []SearchMatch, missing []string, omitted int) {
	seen := map[int]bool{}
	for _, name := range names {
		switch i, ok := p.indexOf(name); {
		case !ok:
			missing = append(missing, name)
		case seen[i]:
		case len(matches) >= limit:
			seen[i], omitted = true, omitted+1
		default:
			seen[i], matches = true, append(matches, SearchMatch{Name: p.tools[i].info.Name, Score: 1})
		}
	}
	return matches, missing, omitted
}

// indexOf finds a tool by a name or alias in any letter case, or by its name at the source
// if that is unique.
func (p *Pool) indexOf(name string) (index int, ok bool) {
	if i, ok := p.byName[name]; ok {
		return i, true
	}
	raw := -1
	for i, t := range p.tools {
		if strings.EqualFold(t.info.Name, name) || slices.ContainsFunc(t.info.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return i, true
		}
		if t.info.Origin.External() && strings.EqualFold(t.info.Origin.Tool, name) {
			if raw >= 0 {
				raw = len(p.tools) // the name is not unique
			} else {
				raw = i
			}
		}
	}
	return raw, raw >= 0 && raw < len(p.tools)
}
