package pegboard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Pool is the immutable list of tools that one agent may use in one turn. Its methods
// may be called concurrently.
type Pool struct {
	session  *Session
	tools    []offered      // built-in tools, then external tools, each part sorted by name
	builtins int            // how many of tools are built in
	byName   map[string]int // index in tools, by name and alias
	from     catalog        // of the registry when the pool was assembled
	excluded []Exclusion    // sorted by name

	policy   Deferral
	deferred []int // indices of the tools whose definitions are deferred
	loaded   []int // of these, in the order in which they were loaded
	search   *toolIndex

	behindREPL *Pool // the tools that REPL, and scripts in it, may call; nil without Gates.REPL
}

// An offered tool is in a pool, with its declaration.
type offered struct {
	*entry
	decl   *Declaration // shared by pools: never written to
	scoped bool         // the declaration depends on the tools of the pool
}

// A Partition is a part of a pool that the provider's prompt cache stores apart.
type Partition int

// The partitions.
const (
	Builtin  Partition = iota // the stable prefix
	External                  // the suffix, which changes with the sources
)

// mustExist panics if p is nil or was not assembled. The caller is the exported function
// that was given p.
func (p *Pool) mustExist(caller string) {
	if p == nil || p.session == nil {
		panic("pegboard: " + caller + " with a nil or zero Pool; make one with Registry.AssemblePool")
	}
}

// Session returns the session that the pool was assembled for. A nil or zero Pool has
// none.
func (p *Pool) Session() *Session {
	if p == nil {
		return nil
	}
	return p.session
}

// Len returns the number of tools.
func (p *Pool) Len() int { return len(p.tools) }

// Lookup finds a tool by name or alias in constant time.
func (p *Pool) Lookup(name string) (Tool, bool) {
	if i, ok := p.byName[name]; ok {
		return p.tools[i].tool, true
	}
	return nil, false
}

// lookup is Lookup for entries. It also sets the Ambiguity, which depends on the other
// sources and on what users have approved.
func (p *Pool) lookup(name string) (e *entry, ok bool) {
	i, ok := p.byName[name]
	if !ok {
		return nil, false
	}
	e = p.tools[i].entry
	c := p.from.ambiguity(&e.info)
	if c == policy.Unambiguous && e.redefined.isPending() {
		c = policy.ChangedTool
	}
	if c != policy.Unambiguous {
		ambiguous := *e
		ambiguous.facts.Ambiguity = c
		e = &ambiguous
	}
	return e, true
}

// canonicalName returns the name of a tool that is called name, in the pool or excluded
// from it, or name if no tool is called so.
func (p *Pool) canonicalName(name string) string {
	if i, ok := p.byName[name]; ok {
		return p.tools[i].info.Name
	}
	if i := slices.IndexFunc(p.excluded, func(x Exclusion) bool { return x.isCalled(name) }); i >= 0 {
		return p.excluded[i].Name
	}
	return name
}

// All yields the tools in prompt order: built-in tools by name, then external tools by
// name.
func (p *Pool) All() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, t := range p.tools {
			if !yield(t.tool) {
				return
			}
		}
	}
}

// Declarations yields the declarations of a partition, in prompt order.
func (p *Pool) Declarations(part Partition) iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, t := range p.part(part) {
			if !yield(*t.decl) {
				return
			}
		}
	}
}

func (p *Pool) part(part Partition) []offered {
	if part == Builtin {
		return p.tools[:p.builtins]
	}
	return p.tools[p.builtins:]
}

// Unfiltered yields the built-in tools of the pool and then every attached tool, without
// deny rules, sorting or deduplication. It is for measuring the size of definitions, not
// for calling.
func (p *Pool) Unfiltered() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, t := range p.tools[:p.builtins] {
			if !yield(t.tool) {
				return
			}
		}
		for _, e := range p.from.external {
			if !yield(e.tool) {
				return
			}
		}
	}
}

// Excluded returns the registered tools that are not in the pool, by name.
func (p *Pool) Excluded() []Exclusion { return slices.Clone(p.excluded) }

// Explain says why name is in the pool or not, in one sentence.
func (p *Pool) Explain(name string) string {
	text, _ := p.explain(name)
	return text
}

// explain also reports whether a tool of that name is or was registered.
func (p *Pool) explain(name string) (text string, known bool) {
	if e, ok := p.lookup(name); ok {
		from := "a built-in tool"
		if o := e.info.Origin; o.External() {
			from = fmt.Sprintf("the tool %q of %q", o.Tool, o.Source)
		}
		return fmt.Sprintf("%s is available: %s", e.info.Name, from), true
	}
	if x := p.exclusion(name); x != nil {
		return fmt.Sprintf("%s is not available here: %s", x.Name, x.Reason), true
	}
	if source, ok := p.from.removed[name]; ok {
		return fmt.Sprintf("%s is no longer there: %q has withdrawn it or is disconnected", name, source), true
	}
	return name + " is not a registered tool", false
}

// exclusion returns why the tool of that name, or of that name at its source, is not in the pool,
// or nil.
func (p *Pool) exclusion(name string) *Exclusion {
	for _, matches := range []func(Exclusion) bool{
		func(x Exclusion) bool { return x.isCalled(name) },
		func(x Exclusion) bool { return x.Origin.External() && x.Origin.Tool == name },
	} {
		if i := slices.IndexFunc(p.excluded, matches); i >= 0 {
			return &p.excluded[i]
		}
	}
	return nil
}

// suggest returns up to three names in the pool that are similar to name.
func (p *Pool) suggest(name string) []string {
	names := make([]string, 0, len(p.tools))
	for _, t := range p.tools {
		names = append(names, t.info.Name)
	}
	return nearest.Names(name, names, 3)
}

// Fingerprint returns a hash of a partition's declarations. While it stays the same, so
// do the bytes that a provider sees.
func (p *Pool) Fingerprint(part Partition) string {
	h := sha256.New()
	for d := range p.Declarations(part) {
		_, _ = fmt.Fprintf(h, "%q%q%q%q%q%t%t%t", d.Name, d.Description, d.InputSchema, d.OutputSchema, d.Examples, d.OutputShown, d.Strict, d.Deferred)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// isOfPool reports whether the tool of that name is in this pool alone, see PoolConfig.With.
func (p *Pool) isOfPool(name string) bool {
	i, ok := p.byName[name]
	return ok && p.tools[i].ofPool
}

// countTools returns how many tools of the pool are registered, or named by an entry of an
// agent definition.
func (p *Pool) countTools(entries []string) (n int) {
	for _, t := range p.tools {
		if !t.ofPool || matchesAny(entries, &t.info) {
			n++
		}
	}
	return n
}

// Restrict returns the pool without the tools that r removes.
func (p *Pool) Restrict(r Restriction) *Pool {
	p.mustExist("Restrict")
	return p.filter(r.keeps)
}

// Resolve narrows p to the tools and disallowedTools lists of an agent definition. An
// entry is a name or alias, "*", "mcp__server", "mcp__server__*", "mcp__*", or
// "Agent(a, b)". A nil tools list means all tools; the tools that disallowed names are
// removed in any case. A tool that is listed by name is in the pool although Gates.REPL hides
// it. Those of PoolConfig.With need not be listed. If no other tool is left
// although some were asked for, the error names the entries.
func (p *Pool) Resolve(tools, disallowed []string) (Resolution, error) {
	p.mustExist("Resolve")
	return resolve(p, tools, disallowed)
}

// inside returns the tools that a call of the named tool may call with [Call.Run]. No model
// is shown their declarations, which stay those of the wider pool.
func (p *Pool) inside(name string) *Pool {
	r := Restriction{Without: []string{name}, Reason: "a call of it is what makes this one"}
	q := p.behind(name).narrowed(r.keeps)
	q.indexNames()
	q.complete()
	return q
}

// behind returns the pool with the tools that a call of the named tool may call.
func (p *Pool) behind(name string) *Pool {
	if name == "REPL" && p.behindREPL != nil {
		return p.behindREPL
	}
	return p
}

// filter returns a pool of the tools that ok accepts. The others are excluded with ok's
// reason.
func (p *Pool) filter(ok func(*Info) (bool, string)) *Pool {
	return p.filterWith(ok, func(*Info) bool { return false })
}

// filterWith is filter that also takes those of the accepted tools behind REPL for which
// direct is true.
func (p *Pool) filterWith(ok func(*Info) (bool, string), direct func(*Info) bool) *Pool {
	q := p.narrowed(ok)
	if p.behindREPL != nil {
		q.behindREPL = p.behindREPL.filter(ok)
		q.bringForward(direct)
	}
	q.finish()
	return q
}

// bringForward adds the built-in tools behind REPL for which direct is true to the pool, which
// is not finished.
func (p *Pool) bringForward(direct func(*Info) bool) {
	for _, t := range p.behindREPL.part(Builtin) {
		at, there := slices.BinarySearchFunc(p.part(Builtin), t, func(a, b offered) int { return byName(a.entry, b.entry) })
		if there || !direct(&t.info) {
			continue
		}
		p.tools = slices.Insert(p.tools, at, t)
		p.builtins++
		p.excluded = slices.DeleteFunc(p.excluded, func(x Exclusion) bool { return x.Name == t.info.Name && !x.Origin.External() })
	}
}

// narrowed is filter for a pool that the caller finishes.
func (p *Pool) narrowed(ok func(*Info) (bool, string)) *Pool {
	q := &Pool{session: p.session, from: p.from, policy: p.policy, search: p.search.forPool(), excluded: slices.Clone(p.excluded), tools: make([]offered, 0, len(p.tools))}
	for i, t := range p.tools {
		accepted, reason := ok(&t.info)
		if !accepted {
			q.excluded = append(q.excluded, t.exclusion(reason))
			continue
		}
		if i < p.builtins {
			q.builtins++
		}
		q.tools = append(q.tools, t)
	}
	return q
}

// selected returns the pool, which is not finished, without the tools that a Select hook
// leaves out.
func (p *Pool) selected(hook func(*Session, []string) []string) *Pool {
	if hook == nil {
		return p
	}
	names := make([]string, len(p.tools))
	for i, t := range p.tools {
		names[i] = t.info.Name
	}
	reason := "a hook did not select it"
	var selected []string
	if err := goroutine.Try(func() error { selected = hook(p.session, names); return nil }); err != nil {
		selected, reason = nil, "the hook that selects tools failed: "+err.Error()
	}
	return p.narrowed(func(i *Info) (bool, string) { return slices.ContainsFunc(selected, i.Matches), reason })
}

// finish completes a pool whose tools were chosen.
func (p *Pool) finish() {
	p.indexNames()
	p.redeclare()
	p.complete()
}

// complete sorts the exclusions and decides which tools are deferred.
func (p *Pool) complete() {
	slices.SortStableFunc(p.excluded, func(a, b Exclusion) int { return strings.Compare(a.Name, b.Name) })
	p.deferTools()
}

// indexNames makes the map of names.
func (p *Pool) indexNames() {
	p.byName = make(map[string]int, len(p.tools))
	for i, t := range p.tools {
		p.byName[t.info.Name] = i
	}
	for i, t := range p.tools[:p.builtins] {
		for _, a := range t.info.Aliases {
			p.byName[a] = i
		}
	}
}

// Rebuild makes a call again from its id, name and bytes, in the process to which
// [Executor].Invoke has sent it: decoded, with resolved targets, ready for the tool's
// Call. It does not decide the call: the caller vouches that the call was decided in the
// process it came from. The call's Check decides under the permissions of that moment
// and asks no one, and its Emit has no effect.
func (p *Pool) Rebuild(c Call) (Tool, *Call, error) {
	p.mustExist("Rebuild")
	return rebuild(p, c)
}

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

// A Scope tells a tool about the pool that it declares itself for, see [Tool] and
// [Definition].Prompt. The zero Scope has no session and no tools.
type Scope struct {
	// Session is the one that the pool is for. It is nil when a registry compares the tools
	// of a source with its earlier ones.
	Session *Session

	pool  *Pool        // nil while it is not known which tools are in it
	tool  *Info        // the tool that declares itself
	asked *atomic.Bool // set when the tool asks about the tools of the pool; may be nil
}

// Has reports whether a built-in tool of that name or alias is in the pool, so that a text
// for the model may name it. A narrower pool, as [Pool.Resolve] and [Pool.Restrict] make
// it, has texts of its own. External tools are never reported: the definitions of the
// built-in tools do not change with them, so that the provider's prompt cache stays valid.
func (s Scope) Has(name string) bool {
	s.note()
	return s.pool != nil && s.pool.hasBuiltin(name)
}

// CanRun reports whether calls of the tool itself may make calls of that built-in tool with
// [Call.Run]. These are the other tools of the pool, and for REPL those that [Gates] hide
// behind it.
func (s Scope) CanRun(name string) bool {
	s.note()
	if s.pool == nil || s.tool == nil || s.tool.Matches(name) {
		return false
	}
	return s.pool.behind(s.tool.Name).hasBuiltin(name)
}

func (s Scope) note() {
	if s.asked != nil {
		s.asked.Store(true)
	}
}

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
	perms   policy.Permissions
	gates   Gates
	role    []Restriction
	with    []*entry // of PoolConfig.With
	pool    *Pool
	rules   []policy.Rule
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
	pool.excluded = append(pool.excluded, a.replaced...) // last: the reason that excluded their namesake says more
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
		if gate, why := a.gates.special(gateName(&e.info)); gate != "" && !e.ofPool {
			a.hide(e, gate, why)
		} else if !a.denied(e, a.denials) {
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
		if gate, why := a.gates.hides(gateName(&e.info), a.session.cfg.Role, names); gate != "" && !e.ofPool {
			a.hide(e, gate, why)
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
		if a.denied(e, denials) {
			continue
		} else if owner, ok := taken[e.info.Name]; ok {
			a.exclude(e, "quarantined, its name belongs to "+owner.describe())
		} else if last != nil && last.info.Name == e.info.Name {
			a.exclude(e, "quarantined, its name belongs to "+last.info.Origin.describe())
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
	for r := range a.perms.AllRules() {
		if r.Behavior != policy.Deny {
			break // deny rules come first
		}
		i := len(a.rules)
		a.rules = append(a.rules, r)
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

// denied reports whether a rule denies a tool as a whole, and then excludes it by the first one.
func (a *assembly) denied(e *entry, denials map[string]int) bool {
	if len(denials) == 0 && len(a.globs) == 0 {
		return false
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
		return false
	}
	rule := a.rules[first]
	x := e.exclusion(rule.Describe())
	x.Rule = &rule
	a.pool.excluded = append(a.pool.excluded, x)
	return true
}

func (a *assembly) exclude(e *entry, reason string) {
	a.pool.excluded = append(a.pool.excluded, e.exclusion(reason))
}

// hide excludes a tool by a gate.
func (a *assembly) hide(e *entry, gate, reason string) {
	x := e.exclusion(reason)
	x.Gate = gate
	a.pool.excluded = append(a.pool.excluded, x)
}
