package pegboard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A Registry is the set of tools a host has. Which of them an agent may use is
// settled by [Registry.AssemblePool]. The zero value is empty and ready.
//
// # Concurrency
//
// All methods may be called concurrently. A pool is a snapshot: it does not see
// what is added, attached or detached after it was assembled.
type Registry struct {
	mu       sync.RWMutex
	builtins []entry // sorted by name
	byName   map[string]string
	sources  map[string]*source
	gone     map[string]string // exposed names that were offered once, with their source; replaced, never written to
}

// entry is a tool with the copy of its fixed facts that decisions use.
type entry struct {
	tool Tool
	info Info
}

func (e entry) excluded(reason string) Exclusion {
	return Exclusion{Name: e.info.Name, Origin: e.info.Origin, Reason: reason, aliases: e.info.Aliases}
}

// source is all that one source offers, sorted by exposed name.
type source struct {
	name        string
	tools       []entry
	quarantined map[string]error // by raw name
}

// settleNames keeps one tool for each exposed name: the one whose raw name sorts
// first, so that the order in which a source lists them does not matter.
func (s *source) settleNames() {
	slices.SortStableFunc(s.tools, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.info.Name, b.info.Name), cmp.Compare(a.info.Origin.Tool, b.info.Origin.Tool))
	})
	var kept []entry
	for _, e := range s.tools {
		if n := len(kept); n > 0 && kept[n-1].info.Name == e.info.Name {
			s.quarantined[e.info.Origin.Tool] = fmt.Errorf("%w: the source offers %s already", ErrDuplicate, e.info.Name)
			continue
		}
		kept = append(kept, e)
	}
	s.tools = kept
}

// exclusions are the quarantined tools as a pool reports them.
func (s *source) exclusions() []Exclusion {
	var list []Exclusion
	for _, raw := range slices.Sorted(maps.Keys(s.quarantined)) {
		list = append(list, Exclusion{
			Name:   toolname.Exposed(s.name, raw),
			Origin: Origin{Source: s.name, Tool: raw},
			Reason: "quarantined: " + s.quarantined[raw].Error(),
		})
	}
	return list
}

// Add adds built-in tools: all of them, or none and an error. A name or alias
// that is taken already gives an error wrapping [ErrDuplicate].
func (r *Registry) Add(tools ...Tool) error {
	entries := make([]entry, 0, len(tools))
	for _, t := range tools {
		e, err := probe(t)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := maps.Clone(r.byName)
	if taken == nil {
		taken = map[string]string{}
	}
	for _, e := range entries {
		for _, name := range append([]string{e.info.Name}, e.info.Aliases...) {
			if owner, ok := taken[name]; ok {
				return &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: fmt.Errorf("%w: %q is taken by %s", ErrDuplicate, name, owner)}
			}
			taken[name] = e.info.Name
		}
	}
	r.byName = taken
	r.builtins = sorted(append(slices.Clone(r.builtins), entries...))
	return nil
}

// assembly collects the options and the steps of one AssemblePool.
type assembly struct {
	session *Session
	perms   Permissions
	gates   Gates
	tables  RoleTables
	extra   []Restriction
	pool    *Pool
	gone    map[string]int // by what it names, the first rule that denies a tool or server as a whole
}

// AssemblePool returns a snapshot of the tools that s may use now. It is the
// only thing that decides this:
//
//  1. built-in tools that are not special, not denied as a whole, not hidden
//     by a gate, and enabled in s;
//  2. external tools that are neither denied, by name or server, nor disabled;
//  3. each partition sorted by name, the built-ins first;
//  4. one tool for each name: a built-in wins, and among external tools the one
//     whose source and name sort first;
//  5. the restrictions of the role, then those given as options, then what the
//     session's Select hooks leave out.
//
// What is left out can be asked for with [Pool.Explain] and [Pool.Excluded].
// Without options the gates are zero and the tables [DefaultRoleTables].
func (r *Registry) AssemblePool(s *Session, opts ...PoolOption) *Pool {
	a := &assembly{session: s, perms: s.Permissions(), tables: DefaultRoleTables(), pool: &Pool{session: s}}
	for _, o := range opts {
		o.apply(a)
	}
	a.indexDenials()
	builtins, external, gone := r.snapshot()
	a.pool.gone = gone
	a.addBuiltins(builtins)
	a.addExternal(external)
	pool := a.pool
	pool.finish()
	for _, re := range append(a.tables.restrictions(s), a.extra...) {
		pool = pool.Restrict(re)
	}
	return pool.selected(s.cfg.Hooks.Select)
}

// snapshot returns what is registered. External tools come in the order of
// their raw identity. The slices are never written to again.
func (r *Registry) snapshot() (builtins []entry, sources []*source, gone map[string]string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(r.sources)) {
		sources = append(sources, r.sources[name])
	}
	return r.builtins, sources, r.gone
}

func (a *assembly) addBuiltins(entries []entry) {
	var left []entry
	for _, e := range entries {
		if why := a.gates.special(e.info.Name); why != "" {
			a.exclude(e, why)
		} else if why := a.denied(e.info); why != "" {
			a.exclude(e, why)
		} else {
			left = append(left, e)
		}
	}
	names := make([]string, len(left))
	for i, e := range left {
		names[i] = e.info.Name
	}
	for _, e := range left {
		if why := a.gates.hides(e.info.Name, a.session.cfg.Role, names); why != "" {
			a.exclude(e, why)
		} else {
			a.offer(e)
		}
	}
	a.pool.builtins = len(a.pool.tools)
}

func (a *assembly) addExternal(sources []*source) {
	total := 0
	for _, src := range sources {
		total += len(src.tools)
	}
	a.pool.tools, a.pool.attached = slices.Grow(a.pool.tools, total), make([]Tool, 0, total)
	taken := make(map[string]Origin, len(a.pool.tools)+total)
	for _, t := range a.pool.tools {
		taken[t.info.Name] = Origin{Tool: t.info.Name}
		for _, n := range t.info.Aliases {
			taken[n] = Origin{Tool: t.info.Name}
		}
	}
	shared := ambiguous(sources)
	for _, src := range sources {
		contested := shared[toolname.Server(src.name)]
		for _, e := range src.tools {
			e.info.contested = contested
			a.pool.attached = append(a.pool.attached, e.tool)
			if why := a.denied(e.info); why != "" {
				a.exclude(e, why)
			} else if owner, ok := taken[e.info.Name]; ok {
				a.exclude(e, "quarantined, its name belongs to "+owner.describe())
			} else if a.gates.Simple {
				a.exclude(e, "simple mode (Gates.Simple)")
			} else if a.offer(e) {
				taken[e.info.Name] = e.info.Origin
			}
		}
		a.pool.excluded = append(a.pool.excluded, src.exclusions()...)
	}
	external := a.pool.tools[a.pool.builtins:]
	slices.SortFunc(external, func(x, y offered) int { return cmp.Compare(x.info.Name, y.info.Name) })
}

// describe names the tool of that origin, or the built-in one if there is no source.
func (o Origin) describe() string {
	if !o.External() {
		return "the built-in tool " + o.Tool
	}
	return fmt.Sprintf("%q of %q", o.Tool, o.Source)
}

// offer adds a tool that declares itself in the session.
func (a *assembly) offer(e entry) bool {
	o, on := offered{entry: e}, false
	if err := lane.Try(func() error { o.decl, on = e.tool.Declare(a.session); return nil }); err != nil {
		a.exclude(e, "declaring it: "+err.Error())
		return false
	}
	if !on {
		a.exclude(e, "disabled in this session")
		return false
	}
	o.decl.Name = e.info.Name // a call by what the model was told must find the tool
	a.pool.tools = append(a.pool.tools, o)
	return true
}

// indexDenials finds the rules that take away a tool as a whole.
func (a *assembly) indexDenials() {
	a.gone = map[string]int{}
	for i, r := range a.perms.rules {
		if r.Behavior != Deny {
			break // deny rules come first
		}
		if _, ok := a.gone[r.Tool]; !ok && r.Pattern == "" {
			a.gone[r.Tool] = i
		}
	}
}

// denied names the rule that takes away a tool as a whole, the first if there are
// several, or "".
func (a *assembly) denied(i Info) string {
	first := len(a.perms.rules)
	look := func(name string) {
		if at, ok := a.gone[name]; ok {
			first = min(first, at)
		}
	}
	look(i.Name)
	for _, alias := range i.Aliases {
		look(alias)
	}
	look(i.server) // "" for a built-in, which no rule names
	if first == len(a.perms.rules) {
		return ""
	}
	return a.perms.rules[first].describe()
}

func (a *assembly) exclude(e entry, reason string) {
	a.pool.excluded = append(a.pool.excluded, e.excluded(reason))
}

// AttachReport says what an Attach changed, by exposed name.
type AttachReport struct {
	Added, Removed, Changed []string
	// Quarantined holds the tools that cannot be offered, by the name their
	// source knows them by, each with the reason.
	Quarantined map[string]error
}

// Attach replaces all that source offered before by tools, as when an MCP
// server's list changes. Info.Name is the name that the source knows a tool by;
// the model sees mcp__source__name. A tool that cannot be offered is left out
// and named in the report, the others are offered all the same.
//
// It is an error if source is empty or holds control characters; then nothing
// changes.
func (r *Registry) Attach(name string, tools ...Tool) (AttachReport, error) {
	if err := checkName(name); err != nil {
		return AttachReport{}, fmt.Errorf("source: %w", err)
	}
	next := &source{name: name, quarantined: map[string]error{}}
	for i, t := range tools {
		e, err := attach(name, t)
		switch raw := e.info.Origin.Tool; {
		case err != nil && raw == "":
			next.quarantined[fmt.Sprintf("tool %d", i+1)] = err
		case err != nil:
			next.quarantined[raw] = err
		default:
			next.tools = append(next.tools, e)
		}
	}
	next.settleNames()

	r.mu.RLock()
	before := r.sources[name]
	r.mu.RUnlock()
	report := difference(before, next) // without the lock: it calls the tools

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sources == nil {
		r.sources = map[string]*source{}
	}
	r.forget(r.sources[name], next)
	r.sources[name] = next
	return report, nil
}

// maxGone is how many names of tools that are gone are remembered, so that a
// model which calls one is told what became of it.
const maxGone = 1000

// forget remembers what a source offered before and does not offer now.
func (r *Registry) forget(old, next *source) {
	gone := maps.Clone(r.gone)
	if gone == nil || len(gone) > maxGone {
		gone = map[string]string{}
	}
	if old != nil {
		for _, e := range old.tools {
			gone[e.info.Name] = old.name
		}
	}
	if next != nil {
		for _, e := range next.tools {
			delete(gone, e.info.Name)
		}
	}
	r.gone = gone
}

// Detach removes all that source offered.
func (r *Registry) Detach(source string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(r.sources[source], nil)
	delete(r.sources, source)
}

// probe takes the copy of a tool's facts. It calls the two stages that need no
// call once, since a wrapper around nothing satisfies the interface too and
// would otherwise panic in mid-conversation.
func probe(t Tool) (e entry, err error) {
	if t == nil {
		return entry{}, &BuildError{Field: "Tool", Err: errors.New("is nil")}
	}
	if u, ok := t.(unusable); ok {
		return entry{info: u.Info()}, u.reason
	}
	if err := lane.Try(func() error { e.info = t.Info(); return nil }); err != nil {
		return entry{}, &BuildError{Field: "Info", Err: err}
	}
	if err := checkName(e.info.Name); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: err}
	}
	if err := lane.Try(func() error { t.input(); return nil }); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Tool", Err: fmt.Errorf("is not made by Build: %w", err)}
	}
	for _, a := range e.info.Aliases {
		if err := checkName(a); err != nil {
			return e, &BuildError{Tool: e.info.Name, Field: "Info.Aliases", Err: err}
		}
	}
	e.info.Aliases = slices.Clone(e.info.Aliases)
	e.tool = t
	return e, nil
}

func sorted(entries []entry) []entry {
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.info.Name, b.info.Name) })
	return entries
}

func difference(old, next *source) (report AttachReport) {
	report.Quarantined = maps.Clone(next.quarantined)
	had := map[string]entry{}
	if old != nil {
		for _, e := range old.tools {
			had[e.info.Name] = e
		}
	}
	for _, e := range next.tools {
		before, ok := had[e.info.Name]
		delete(had, e.info.Name)
		switch {
		case !ok:
			report.Added = append(report.Added, e.info.Name)
		case !alike(before.tool, e.tool):
			report.Changed = append(report.Changed, e.info.Name)
		}
	}
	report.Removed = slices.Sorted(maps.Keys(had))
	return report
}

// alike reports whether a model would see no difference. A tool that cannot
// declare itself outside a session counts as changed.
func alike(a, b Tool) bool {
	var x, y Declaration
	err := lane.Try(func() error {
		x, _ = a.Declare(nil)
		y, _ = b.Declare(nil)
		return nil
	})
	return err == nil && x.Description == y.Description && string(x.InputSchema) == string(y.InputSchema)
}
