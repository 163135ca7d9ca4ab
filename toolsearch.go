package pegboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/rank"
	"github.com/seed49eaa51d/pegboard/internal/searchquery"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// searchToolName is the name of the tool that finds deferred tools.
const searchToolName = "ToolSearch"

// The limits of ToolSearch.
const (
	defaultSearchResults = 5  // as in Claude Code
	maxSearchResults     = 50 // our choice: models choose less accurately among more tools
)

// SearchOptions configure [ToolSearch]. The zero value works.
type SearchOptions struct {
	// Ranker orders the tools by their relevance; nil means [LexicalRanker], which is also
	// used if Ranker fails.
	Ranker Ranker
	// Newest returns the pool to search if there is a newer one than the call's, for
	// example because a server has connected meanwhile. If Newest or its result is nil, the
	// call's pool is searched.
	Newest func(*Session) *Pool
	// Servers returns the servers that are still connecting, and those that failed to
	// connect. It may wait for the former until ctx ends. A nil func means no such servers.
	Servers func(ctx context.Context) (pending, failed []string)
}

type searchInput struct {
	Query      string `json:"query" jsonschema:"minLength=1" jsonschema_description:"select:NAME,NAME for tools whose names you know; otherwise words that say what the tool should do, of which those after a + must be in its name"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"minimum=1,maximum=50" jsonschema_description:"How many tools to find at most (default 5; for names, as many as there are)"`
}

// SearchOutput is the Result.Data of [ToolSearch], for the host.
type SearchOutput struct {
	Matches []string `json:"matches"` // names in the pool, best first
	Total   int      `json:"total_deferred_tools"`
	Pending []string `json:"pending_mcp_servers,omitempty"`
	Failed  []string `json:"failed_mcp_servers,omitempty"`

	report searchquery.Report
}

// ToolSearch returns the tool with which a model finds deferred tools, see [Deferral]. Its
// result refers to the tools that were found, in [Part].Tool: a wire turns these into
// references, or shows the definitions as the request would contain them. The tools count
// as loaded from then on, see [Session.Loaded].
//
// The query is that of [Pool.Search].
func ToolSearch(o SearchOptions) Tool {
	return Build(Definition[searchInput, SearchOutput]{
		Info: Info{Name: searchToolName, Title: "Find tools", Loading: LoadAlways, MaxResult: -1},
		Description: "Finds tools and loads their definitions. Of a tool that waits to be loaded only the name is known: it cannot be called " +
			"before its definition has appeared in a result of this tool. From then on it is called like any other, for the rest of the conversation. " +
			"Ask for names that you know with select:NAME or select:NAME,NAME; otherwise describe in a few words what the tool should do. " +
			"A word after a + must be part of the name, as in \"+github create issue\".",
		Traits: Traits{
			Concurrency: Shared, ReadOnly: true, Kind: KindSearch,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "tools of the pool"}},
		},
		Summary: func(in searchInput, _ *Call) Summary {
			return Summary{Before: "Find tools: " + in.Query, While: "Finding tools: " + in.Query}
		},
		Permit: func(context.Context, searchInput, *Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		}, // it only reads definitions
		Call:   o.search,
		Result: searchResult,
	})
}

func (o SearchOptions) search(ctx context.Context, in searchInput, c *Call) (out SearchOutput, err error) {
	if o.Servers != nil {
		out.Pending, out.Failed = o.Servers(ctx)
	}
	own, ranker := c.Pool(), o.Ranker
	if own == nil {
		return out, errNotAdmitted
	}
	p := own
	if o.Newest != nil {
		p = cmp.Or(o.Newest(c.Session()), p)
	}
	if ranker == nil {
		ranker = LexicalRanker{}
	}
	q := searchquery.Parse(in.Query, p.hasServer)
	var matches []SearchMatch
	if q.ByName { // all named tools, unless there are very many
		matches, out.report.Missing, out.report.OverLimit = p.findByName(q.Names, cmp.Or(in.MaxResults, maxSearchResults))
	} else if matches, err = p.findByWords(ctx, ranker, q, cmp.Or(in.MaxResults, defaultSearchResults)); err != nil {
		c.Emit("the ranker failed, words alone count: " + err.Error())
		matches = p.Search(in.Query, cmp.Or(in.MaxResults, defaultSearchResults))
	}
	out.Total, out.Matches = len(p.deferred), []string{}
	for _, m := range matches {
		out.Matches = append(out.Matches, m.Name)
		if _, ok := own.Lookup(m.Name); !ok { // the request of this call did not contain it
			out.report.New = append(out.report.New, m.Name)
		}
	}
	if len(matches) == 0 {
		out.report.Nearest = q.Nearest(p.Deferred())
	}
	return out, nil
}

// searchResult refers to the tools that were found, with a text if there is more to say.
func searchResult(out SearchOutput) *Result {
	r := &Result{Data: out, SearchText: strings.Join(out.Matches, "\n"), Line: fmt.Sprintf("Found %d tools", len(out.Matches))}
	if len(out.Matches) == 1 {
		r.Line = "Found 1 tool"
	}
	report := out.report
	report.Found, report.Total, report.Pending, report.Failed = len(out.Matches), out.Total, out.Pending, out.Failed
	for _, name := range out.Matches {
		if !slices.Contains(report.New, name) {
			r.Parts = append(r.Parts, Part{Tool: name})
		}
	}
	if text := report.Text(); text != "" {
		r.Parts = append(r.Parts, Part{Text: text})
	}
	return r
}

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

// A toolIndex finds the deferred tools of a pool by words. It is built by the first
// search.
type toolIndex struct {
	library *rank.Library // of the registry: indices of sources that pools share

	once  sync.Once // builds the fields below
	words *rank.Index
	tools [][]int // indices into the pool's tools, by source and by place in the source
}

// forPool returns an index that is not built yet, for another pool of the same registry.
func (x *toolIndex) forPool() *toolIndex { return &toolIndex{library: x.library} }

// find returns at most limit tools of p that match words, best first. Accept, if not nil,
// says which names may be found.
func (x *toolIndex) find(p *Pool, words string, limit int, accept func(name string) bool) []SearchMatch {
	x.once.Do(func() { x.build(p) })
	name := func(source, tool int) string { return p.tools[x.tools[source][tool]].info.Name }
	var within func(source, tool int) bool
	if accept != nil {
		within = func(source, tool int) bool { return accept(name(source, tool)) }
	}
	hits := x.words.Search(words, limit, within)
	matches := make([]SearchMatch, len(hits))
	for i, h := range hits {
		matches[i] = SearchMatch{Name: name(h.Segment, h.Document), Score: h.Score}
	}
	return matches
}

// build indexes the deferred tools, source by source.
func (x *toolIndex) build(p *Pool) {
	var sources []rank.Source
	at := map[string]int{}
	for _, i := range p.deferred {
		t := &p.tools[i]
		source, name := t.info.Origin.Source, cmp.Or(t.info.Origin.Tool, t.info.Name)
		s, ok := at[source]
		if !ok {
			s = len(sources)
			at[source] = s
			sources = append(sources, rank.Source{Name: source, About: p.from.about[source]})
			x.tools = append(x.tools, nil)
		}
		sources[s].Tools = append(sources[s].Tools, rank.Tool{Name: name, Hint: t.info.Hint, Description: t.decl.Description, Schema: t.decl.InputSchema})
		x.tools[s] = append(x.tools[s], i)
	}
	x.words = x.library.Index(sources)
}
