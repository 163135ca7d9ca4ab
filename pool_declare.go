package pegboard

import "sync/atomic"

// declare returns the declaration of a tool for the session of p, before it is known which
// tools are in p. An offered tool whose text depends on them declares itself again in
// redeclare.
func (p *Pool) declare(e *entry) (t offered, why string) {
	asked := new(atomic.Bool)
	decl, why := e.declare(Scope{Session: p.session, tool: &e.info, asked: asked})
	return offered{entry: e, decl: decl, scoped: asked.Load()}, why
}

// redeclare has the tools declare themselves whose texts depend on the tools of p. One that
// fails, or is not offered any more, is excluded. No text of another tool may then name it,
// so these are asked once more.
func (p *Pool) redeclare() {
	for excluded := true; excluded; {
		excluded = false
		for i := 0; i < len(p.tools); i++ {
			t := &p.tools[i]
			if !t.scoped {
				continue
			}
			decl, why := t.declare(Scope{Session: p.session, pool: p, tool: &t.info})
			if why == "" {
				t.decl = decl
				continue
			}
			excluded = true
			p.exclude(i, why)
			i--
		}
	}
}

// exclude removes the tool with this index.
func (p *Pool) exclude(i int, reason string) {
	p.excluded = append(p.excluded, p.tools[i].exclusion(reason))
	p.tools = append(p.tools[:i], p.tools[i+1:]...)
	if i < p.builtins {
		p.builtins--
	}
	p.indexNames()
}

// hasBuiltin reports whether a built-in tool of that name or alias is in p.
func (p *Pool) hasBuiltin(name string) bool {
	i, ok := p.byName[name]
	return ok && i < p.builtins
}
