package pegboard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A PoolConfig says what [Registry.AssemblePool] makes of the registered tools. The
// zero value is the ordinary pool.
type PoolConfig struct {
	// Gates say which of the well-known built-in tools exist now.
	Gates Gates
	// With are built-in tools of this pool alone, such as one whose schema belongs to one
	// answer. A registered built-in tool that shares a name or alias with one of them, in
	// whatever letter case, is left out. Gates do not hide them, and the tools list of
	// [Pool.Resolve] need not name them; deny rules, role tables, Restrictions and all else
	// apply. One that [Registry.Add] would refuse is excluded with the reason, and so is a
	// later one of the same name.
	With []Tool
	// Roles are the tools of each role; nil means [DefaultRoleTables].
	Roles *RoleTables
	// Restrictions remove further tools, after those of the role.
	Restrictions []Restriction
	// Deferral says which definitions are loaded on demand.
	Deferral Deferral
}

// assembly is one AssemblePool at work.
type assembly struct {
	session *Session
	perms   Permissions
	gates   Gates
	role    []Restriction
	with    []*entry // of PoolConfig.With
	pool    *Pool
	rules   []Rule
	denials map[string]int // index of the first rule that denies a tool or server as a whole, by its name
	globs   []int          // indices of the rules that deny tools by a pattern of names

	replaced []Exclusion // registered tools that with replaces
}

// assemble implements [Registry.AssemblePool].
func assemble(r *Registry, s *Session, cfg *PoolConfig) *Pool {
	from := r.snapshot()
	a := &assembly{session: s, perms: s.Permissions(), gates: cfg.Gates, role: cfg.roles().restrictions(s), pool: &Pool{session: s, from: from, policy: cfg.Deferral, search: &toolIndex{library: &r.library}}}
	a.indexDenials()
	a.pool.tools = make([]offered, 0, len(from.builtins)+len(cfg.With)+len(from.external))
	a.take(cfg.With)
	a.addBuiltins()
	a.addExternal()
	pool := a.pool
	for _, re := range slices.Concat(a.role, cfg.Restrictions) {
		pool = pool.narrowed(re.keeps)
	}
	for of := s; of != nil; of = of.parent {
		pool = pool.selected(of.cfg.Hooks.Select)
	}
	if cfg.Gates.REPL {
		direct := *cfg
		direct.Gates.REPL = false
		pool.behindREPL = assemble(r, s, &direct)
	}
	pool.excluded = append(pool.excluded, a.replaced...) // last: what has excluded their namesakes says more
	pool.finish()
	return pool
}

func (c *PoolConfig) roles() RoleTables {
	if c.Roles != nil {
		return *c.Roles
	}
	return DefaultRoleTables()
}

// take makes entries of the tools of this pool alone.
func (a *assembly) take(tools []Tool) {
	claimed := map[string]claimedName{}
	for i, t := range tools {
		e, err := newEntry(t)
		if err == nil {
			err = e.checkRuleNames()
		}
		claims := maps.Clone(claimed)
		if err == nil {
			err = claimNames(claims, &e.info)
		}
		if err != nil {
			e.info.Name = cmp.Or(e.info.Name, fmt.Sprintf("tool %d of PoolConfig.With", i+1))
			a.exclude(&e, "PoolConfig.With: "+err.Error())
			continue
		}
		claimed, e.ofPool = claims, true
		e.cacheDeclaration(t)
		a.with = append(a.with, &e)
	}
	slices.SortFunc(a.with, byName)
}

// builtins returns the built-in tools, by name. Those of this pool alone replace registered
// ones.
func (a *assembly) builtins() []*entry {
	if len(a.with) == 0 {
		return a.pool.from.builtins
	}
	kept := slices.DeleteFunc(slices.Clone(a.pool.from.builtins), func(registered *entry) bool {
		i := slices.IndexFunc(a.with, func(e *entry) bool { return e.info.sharesName(&registered.info) })
		if i >= 0 {
			a.replaced = append(a.replaced, registered.exclusion("this pool has "+a.with[i].info.Name+" of its own (PoolConfig.With)"))
		}
		return i >= 0
	})
	return slices.SortedFunc(slices.Values(append(kept, a.with...)), byName)
}

func (a *assembly) addBuiltins() {
	builtins := a.builtins()
	candidates := make([]*entry, 0, len(builtins))
	for _, e := range builtins {
		if why := a.gates.special(gateName(&e.info)); why != "" && !e.ofPool {
			a.exclude(e, why)
		} else if why := a.denied(e, a.denials); why != "" {
			a.exclude(e, why)
		} else {
			candidates = append(candidates, e)
		}
	}
	names := make([]string, 0, len(candidates))
	for _, e := range candidates {
		if name := gateName(&e.info); name != "REPL" || a.leavesREPL(&e.info) {
			names = append(names, name)
		}
	}
	for _, e := range candidates {
		if why := a.gates.hides(gateName(&e.info), a.session.cfg.Role, names); why != "" && !e.ofPool {
			a.exclude(e, why)
		} else {
			a.offer(e)
		}
	}
	a.pool.builtins = len(a.pool.tools)
}

// leavesREPL reports whether REPL, with these facts, counts for the gate of that name: it does
// not if the role of an agent takes it away. The coordinator's role takes away what REPL hides,
// too.
func (a *assembly) leavesREPL(repl *Info) bool {
	return a.session.cfg.Role == RoleCoordinator || !slices.ContainsFunc(a.role, func(r Restriction) bool { return r.removes(repl) })
}

// addExternal goes through the tools by name, and those of one name by source: the first
// that can be offered gets the name.
func (a *assembly) addExternal() {
	from := a.pool.from
	taken, denials := a.takenNames(), a.externalDenials()
	var last *entry // the last offered tool
	for _, e := range from.external {
		if why := a.denied(e, denials); why != "" {
			a.exclude(e, why)
		} else if owner, ok := taken[e.info.Name]; ok {
			a.exclude(e, "quarantined, its name belongs to "+owner.describe())
		} else if last != nil && last.info.Name == e.info.Name {
			a.exclude(e, "quarantined, its name belongs to "+last.info.Origin.describe())
		} else if a.gates.Simple {
			a.exclude(e, "simple mode (Gates.Simple)")
		} else if a.offer(e) {
			last = e
		}
	}
	for _, src := range from.sources {
		a.pool.excluded = append(a.pool.excluded, src.exclusions...)
	}
	slices.SortStableFunc(a.pool.excluded, func(x, y Exclusion) int { // the order of a source's own list does not matter
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Origin.Source, y.Origin.Source))
	})
}

// takenNames returns the names and aliases of built-in tools in the pool that an external
// tool could have, with their owners.
func (a *assembly) takenNames() map[string]Origin {
	taken := map[string]Origin{}
	for _, t := range a.pool.tools {
		take := func(name string) {
			if strings.HasPrefix(name, toolname.Prefix) {
				taken[name] = Origin{Tool: t.info.Name}
			}
		}
		take(t.info.Name)
		for _, alias := range t.info.Aliases {
			take(alias)
		}
	}
	return taken
}

// offer adds a tool, unless it declares that it is not offered in the session.
func (a *assembly) offer(e *entry) bool {
	t := offered{entry: e, decl: e.decl}
	if t.decl == nil {
		var why string
		if t, why = a.pool.declare(e); why != "" {
			a.exclude(e, why)
			return false
		}
	}
	a.pool.tools = append(a.pool.tools, t)
	return true
}

// indexDenials finds the rules that deny a tool as a whole.
func (a *assembly) indexDenials() {
	a.denials = map[string]int{}
	a.rules = a.perms.set.all()
	for i, r := range a.rules {
		if r.Behavior != Deny {
			break // deny rules come first
		}
		if strings.Contains(r.Tool, "*") && r.Pattern == "" {
			a.globs = append(a.globs, i)
		} else if _, ok := a.denials[r.Tool]; !ok && r.Pattern == "" {
			a.denials[r.Tool] = i
		}
	}
}

// externalDenials returns the denials that name an existing external tool or server, or that
// may name one as its source spells it. There are few, usually none, and every external tool
// is looked up in them.
func (a *assembly) externalDenials() map[string]int {
	denials := map[string]int{}
	for name, rule := range a.denials {
		if a.pool.from.knows(name) || strings.HasPrefix(name, toolname.Prefix) && !toolname.IsExposed(name) {
			denials[name] = rule
		}
	}
	return denials
}

// denied describes the first rule that denies a tool as a whole, or returns "".
func (a *assembly) denied(e *entry, denials map[string]int) string {
	if len(denials) == 0 && len(a.globs) == 0 {
		return ""
	}
	first := len(a.rules)
	look := func(name string) {
		if at, ok := denials[name]; ok {
			first = min(first, at)
		}
		for _, at := range a.globs {
			if pattern.Name(a.rules[at].Tool, name) {
				first = min(first, at)
			}
		}
	}
	look(e.info.Name)
	look(e.info.spelled)
	for _, alias := range e.info.Aliases {
		look(alias)
	}
	if at, ok := denials[e.info.server]; ok { // "" for a built-in tool, and no rule names ""
		first = min(first, at)
	}
	if first == len(a.rules) {
		return ""
	}
	return a.rules[first].describe()
}

func (a *assembly) exclude(e *entry, reason string) {
	a.pool.excluded = append(a.pool.excluded, e.exclusion(reason))
}
