package pegboard

import (
	"iter"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// load notes which tools the model knows by now, in the order in which it finds them
// in the history: what it called, then what the results refer to.
func (b *batch) load(jobs []*job, outcomes []Outcome) {
	if b.parent != nil || !b.pool.Searchable() {
		return // a script read the results, or nothing can ever wait
	}
	for _, j := range jobs {
		if j.entry != nil {
			b.pool.session.load(j.entry.info.Name, j.guessed)
		}
	}
	for _, o := range outcomes {
		b.pool.loadFound(o.Result)
	}
}

// Searchable reports whether ToolSearch or the provider finds tools that wait.
func (p *Pool) Searchable() bool { return p.deferral.ProviderSearch || p.hasFinder() }

func (p *Pool) hasFinder() bool {
	i, ok := p.index[searchToolName]
	return ok && p.tools[i].info.Name == searchToolName
}

// Deferred returns the names of the tools whose definitions wait for a search, loaded
// or not, in prompt order.
func (p *Pool) Deferred() []string {
	var names []string
	for _, i := range p.waiting {
		names = append(names, p.tools[i].info.Name)
	}
	return names
}

// Loaded yields what the model is told of the tools that wait and were loaded, in the
// order of [Session.Loaded] when the pool was assembled. A request of a provider that
// has no references to tools holds them after all others, so that what was sent
// before stays the same.
func (p *Pool) Loaded() iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, i := range p.loaded {
			if !yield(*p.tools[i].decl) {
				return
			}
		}
	}
}

// Announce returns what the model should be told of the tools whose definitions wait,
// given the names that it was told of before: all of them if there are none, or what
// has come and gone since. Text is empty if nothing has. now is what to give next
// time; after a compaction, and in a conversation that does not hold what was said
// before, give nil. A part of a message of the user is a good place for the text.
func (p *Pool) Announce(told []string) (text string, now []string) {
	if !p.hasFinder() { // the provider searches, and needs no names
		return "", told
	}
	now = slices.Sorted(slices.Values(p.Deferred()))
	told = slices.DeleteFunc(slices.Clone(told), func(name string) bool { // it is in sight now
		i, ok := p.index[name]
		return ok && !p.tools[i].decl.Deferred
	})
	return searchquery.Announce(now, told, p.sourceOf), now
}

// sourceOf returns where a tool comes from, which may be gone.
func (p *Pool) sourceOf(name string) searchquery.Source {
	server := toolname.ServerIn(name)
	if i, ok := p.index[name]; ok {
		server = p.tools[i].info.server
	}
	return searchquery.Source{Prefix: server, About: p.from.describe(server)}
}

// Loaded returns the tools that the conversation has mentioned, each once: of every
// message those that the model called, then those that ToolSearch found. A wire's Loaded
// makes the same of the history. Without a search in the pool nothing is noted.
func (s *Session) Loaded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.loaded)
}

// SetLoaded replaces what Loaded returns by what a wire's Loaded found in a history: of
// a conversation that is resumed or rewound, or that a fork goes on with.
func (s *Session) SetLoaded(tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.seen = nil, slices.Clone(tools)
	for _, name := range tools {
		s.loaded = with(s.loaded, name)
	}
}

// load notes that a tool was mentioned, and whether the model knows its definition now.
func (s *Session) load(name string, seen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded = with(s.loaded, name); seen {
		s.seen = with(s.seen, name)
	}
}

func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// loadFound notes the tools that a result refers to.
func (p *Pool) loadFound(r *Result) {
	for _, part := range r.Parts {
		if part.Tool == "" {
			continue
		}
		name := part.Tool // of a newer pool, in which other tools may wait, if it is not in this one
		if i, ok := p.index[name]; ok {
			name = p.tools[i].info.Name
		}
		p.session.load(name, true)
	}
}

// hasSeen reports whether the model knows the definition of a tool that waits, perhaps by
// a former name.
func (s *Session) hasSeen(i Info) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.seen, i.answersTo)
}
