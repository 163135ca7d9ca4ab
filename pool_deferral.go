package pegboard

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// Searchable reports whether deferred tools can be found: by ToolSearch, or by the
// provider.
func (p *Pool) Searchable() bool { return p.policy.ProviderSearch || p.hasToolSearch() }

func (p *Pool) hasToolSearch() bool {
	i, ok := p.byName[searchToolName]
	return ok && p.tools[i].info.Name == searchToolName
}

// Deferred returns the names of the tools whose definitions are deferred, loaded or not,
// in prompt order.
func (p *Pool) Deferred() []string {
	var names []string
	for _, i := range p.deferred {
		names = append(names, p.tools[i].info.Name)
	}
	return names
}

// Loaded yields the declarations of deferred tools that were loaded, in the order of
// [Session.Loaded] when the pool was assembled. In a request to a provider without
// references to tools, they follow all others, so that the beginning of the prompt stays
// the same.
func (p *Pool) Loaded() iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, i := range p.loaded {
			if !yield(*p.tools[i].decl) {
				return
			}
		}
	}
}

// Announce returns a text that tells the model the names of deferred tools, and the list
// of these names. Told is the list of the last call: the text names only the tools that
// were added or removed since, and is empty if there are none. After a compaction, and in
// a conversation that does not contain the earlier texts, told is nil. The text belongs
// into a message of the user.
func (p *Pool) Announce(told []string) (text string, now []string) {
	if !p.hasToolSearch() { // the provider searches, and needs no names
		return "", told
	}
	now = slices.Sorted(slices.Values(p.Deferred()))
	told = slices.DeleteFunc(slices.Clone(told), func(name string) bool { // its definition is shown now
		i, ok := p.byName[name]
		return ok && !p.tools[i].decl.Deferred
	})
	return searchquery.Announce(now, told, p.sourceOf), now
}

// sourceOf returns the source of a tool, which may have been removed.
func (p *Pool) sourceOf(name string) searchquery.Source {
	server := toolname.ServerIn(name)
	if i, ok := p.byName[name]; ok {
		server = p.tools[i].info.server
	}
	return searchquery.Source{Prefix: server, About: p.from.describe(server)}
}

// deferralOf reports whether the definition of a tool in the pool is deferred, and
// whether the model has not seen it.
func (p *Pool) deferralOf(name string) (deferred, unseen bool) {
	if len(p.deferred) == 0 {
		return false, false
	}
	i, ok := p.byName[name]
	deferred = ok && p.tools[i].decl.Deferred
	return deferred, deferred && !p.session.discovery.hasSeen(&p.tools[i].info)
}

// howToLoad tells a model that has called a tool without its definition how to load it.
func (p *Pool) howToLoad(name string) string {
	if p.hasToolSearch() {
		return fmt.Sprintf("Load it by calling %s with {\"query\": \"select:%s\"}, then call it again.", searchToolName, name)
	}
	return "Search for it first, then call it again."
}

// deferTools decides which tools are deferred.
func (p *Pool) deferTools() {
	p.deferred, p.loaded = nil, nil
	policy, can := p.policy, make([]bool, len(p.tools))
	if policy.BuiltinTools == nil {
		policy.BuiltinTools = DefaultDeferred()
	}
	var builtins, all int // tokens of the definitions that can be deferred
	if mode := p.session.grants.inForce().mode; p.Searchable() && policy.Mode != DeferOff {
		for i := range p.tools {
			t := &p.tools[i]
			if can[i] = policy.canDefer(&t.info, mode); can[i] && policy.Mode == DeferAuto {
				all += policy.tokens(t.decl)
			}
			if i < p.builtins {
				builtins = all
			}
		}
	}
	exceeds := func(tokens int) bool { return policy.Mode == DeferOn || tokens > policy.maxTokens() }
	deferBuiltins, deferExternal := exceeds(builtins), exceeds(all)
	for i := range p.tools {
		t := &p.tools[i]
		deferred := can[i] && (i < p.builtins && deferBuiltins || i >= p.builtins && deferExternal)
		if t.decl = t.withDeferred(t.decl, deferred); deferred {
			p.deferred = append(p.deferred, i)
		}
	}
	for _, name := range p.session.Loaded() {
		if i, ok := p.byName[name]; ok && p.tools[i].decl.Deferred && !slices.Contains(p.loaded, i) { // a tool may be recorded under two names
			p.loaded = append(p.loaded, i)
		}
	}
}
