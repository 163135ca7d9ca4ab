package pegboard

import (
	"cmp"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/rank"
)

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
