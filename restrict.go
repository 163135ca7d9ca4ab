package pegboard

import (
	"cmp"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// A Restriction narrows a pool by name. In its lists a star stands for any run
// of characters. The zero Restriction removes nothing.
type Restriction struct {
	Reason       string   // what [Pool.Explain] says of the tools it removes
	Only         []string // if not nil, all else is removed
	Without      []string // removed, even if in Only
	Always       []string // kept whatever Only and Without say
	SkipExternal bool     // leave attached tools alone
}

// removes reports whether r takes a tool out.
func (r Restriction) removes(i Info) bool {
	if r.SkipExternal && i.Origin.External() {
		return false
	}
	if listed(r.Always, i) {
		return false
	}
	return listed(r.Without, i) || (r.Only != nil && !listed(r.Only, i))
}

func listed(names []string, i Info) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return i.answersTo(n) || pattern.Name(n, i.Name)
	})
}

// Restrict returns the pool without what r removes.
func (p *Pool) Restrict(r Restriction) *Pool {
	reason := cmp.Or(r.Reason, "a restriction of the host")
	return p.keep(func(i Info) (bool, string) { return !r.removes(i), reason })
}

// behind returns what calls from inside a call of the named tool may use.
func (p *Pool) behind(name string) *Pool {
	if name == "REPL" && p.inside != nil {
		p = p.inside
	}
	return p.Restrict(Restriction{Without: []string{name}, Reason: "a call of it is what makes this one"})
}

// keep returns a pool of the tools that ok accepts; of the others it remembers
// why.
func (p *Pool) keep(ok func(Info) (bool, string)) *Pool {
	q := &Pool{session: p.session, from: p.from, deferral: p.deferral, library: p.library, excluded: slices.Clone(p.excluded), tools: make([]offered, 0, len(p.tools))}
	for i, t := range p.tools {
		keep, reason := ok(t.info)
		if !keep {
			q.excluded = append(q.excluded, t.excluded(reason))
			continue
		}
		if i < p.builtins {
			q.builtins++
		}
		q.tools = append(q.tools, t)
	}
	q.finish()
	if p.inside != nil {
		q.inside = p.inside.keep(ok)
	}
	return q
}

// selected returns the pool without what a hook leaves out.
func (p *Pool) selected(hook func(*Session, []string) []string) *Pool {
	if hook == nil {
		return p
	}
	names := make([]string, len(p.tools))
	for i, t := range p.tools {
		names[i] = t.info.Name
	}
	reason := "a hook did not select it"
	var kept []string
	if err := goroutine.Try(func() error { kept = hook(p.session, names); return nil }); err != nil {
		kept, reason = nil, "the hook that selects tools failed: "+err.Error()
	}
	q := p.keep(func(i Info) (bool, string) { return slices.Contains(kept, i.Name), reason })
	if p.inside != nil {
		q.inside = p.inside.selected(hook)
	}
	return q
}
