package pegboard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
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

// lookup is Lookup for entries. It also sets Info.contested, which depends on the other
// sources and on what users have approved.
func (p *Pool) lookup(name string) (e *entry, ok bool) {
	i, ok := p.byName[name]
	if !ok {
		return nil, false
	}
	e = p.tools[i].entry
	c := p.from.contest(&e.info)
	if c == uncontested && e.redefined.isPending() {
		c = contestedDefinition
	}
	if c != uncontested {
		contested := *e
		contested.info.contested = c
		e = &contested
	}
	return e, true
}

// canonicalName returns the name of a tool that is called name, in the pool or excluded
// from it, or name if there is none.
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
	for _, matches := range []func(Exclusion) bool{
		func(x Exclusion) bool { return x.isCalled(name) },
		func(x Exclusion) bool { return x.Origin.External() && x.Origin.Tool == name },
	} {
		if i := slices.IndexFunc(p.excluded, matches); i >= 0 {
			return fmt.Sprintf("%s is not available here: %s", p.excluded[i].Name, p.excluded[i].Reason), true
		}
	}
	if source, ok := p.from.removed[name]; ok {
		return fmt.Sprintf("%s is no longer there: %q has withdrawn it or is disconnected", name, source), true
	}
	return name + " is not a registered tool", false
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
	return p.narrowed(func(i *Info) (bool, string) { return slices.ContainsFunc(selected, i.answersTo), reason })
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
