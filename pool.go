package pegboard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A PoolOption changes what [Registry.AssemblePool] puts into a pool: [Gates],
// [RoleTables] or a [Restriction].
type PoolOption interface{ apply(*assembly) }

func (g Gates) apply(a *assembly)       { a.gates = g }
func (t RoleTables) apply(a *assembly)  { a.tables = t }
func (r Restriction) apply(a *assembly) { a.extra = append(a.extra, r) }

// A Pool is the immutable list of tools that one agent may use in one turn.
// Its methods may be called concurrently.
type Pool struct {
	session  *Session
	tools    []offered // built-ins, then external tools, each part sorted by name
	builtins int
	index    map[string]int // by name and alias
	attached []Tool         // every external tool there is, in no useful order
	excluded []Exclusion
	gone     map[string]string // names that were offered once, with their source
}

// offered is a tool in a pool, with what its model is told.
type offered struct {
	entry
	decl Declaration
}

// An Exclusion is a registered tool that is not in the pool.
type Exclusion struct {
	Name   string // the exposed name
	Origin Origin
	Reason string // which rule, gate, restriction or tool keeps it out

	aliases []string
}

// A Partition is a part of a pool with a place of its own in the prompt cache.
type Partition int

// The partitions.
const (
	Builtin  Partition = iota // the stable prefix
	External                  // the suffix: sources come and go
)

// Session returns the session that the pool was assembled for.
func (p *Pool) Session() *Session { return p.session }

// Len returns the number of tools.
func (p *Pool) Len() int { return len(p.tools) }

// Lookup finds a tool by name or alias in constant time.
func (p *Pool) Lookup(name string) (Tool, bool) {
	if i, ok := p.index[name]; ok {
		return p.tools[i].tool, true
	}
	return nil, false
}

func (p *Pool) lookup(name string) (entry, bool) {
	i, ok := p.index[name]
	if !ok {
		return entry{}, false
	}
	return p.tools[i].entry, true
}

// All yields the tools in prompt order: built-ins by name, then external tools
// by name.
func (p *Pool) All() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, t := range p.tools {
			if !yield(t.tool) {
				return
			}
		}
	}
}

// Declarations yields what the model is told of each tool of a partition, in
// prompt order.
func (p *Pool) Declarations(part Partition) iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, t := range p.part(part) {
			if !yield(t.decl) {
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

// Merged yields the built-ins of the pool followed by every external tool that
// is attached, neither denied nor sorted nor deduplicated. It is for counting
// what definitions weigh, not for calling.
func (p *Pool) Merged() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, t := range p.tools[:p.builtins] {
			if !yield(t.tool) {
				return
			}
		}
		for _, t := range p.attached {
			if !yield(t) {
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

// explain also reports whether name is one that is registered.
func (p *Pool) explain(name string) (text string, known bool) {
	if e, ok := p.lookup(name); ok {
		from := "a built-in tool"
		if o := e.info.Origin; o.External() {
			from = fmt.Sprintf("the tool %q of %q", o.Tool, o.Source)
		}
		return fmt.Sprintf("%s is available: %s", e.info.Name, from), true
	}
	for _, known := range []func(Exclusion) bool{
		func(x Exclusion) bool { return x.Name == name || slices.Contains(x.aliases, name) },
		func(x Exclusion) bool { return x.Origin.External() && x.Origin.Tool == name },
	} {
		if i := slices.IndexFunc(p.excluded, known); i >= 0 {
			return fmt.Sprintf("%s is not available here: %s", p.excluded[i].Name, p.excluded[i].Reason), true
		}
	}
	if source, ok := p.gone[name]; ok {
		return fmt.Sprintf("%s is no longer there: %q has withdrawn it or is disconnected", name, source), true
	}
	return name + " is not a registered tool", false
}

// suggest returns up to three names in the pool that name may have meant.
func (p *Pool) suggest(name string) []string {
	names := make([]string, 0, len(p.tools))
	for _, t := range p.tools {
		names = append(names, t.info.Name)
	}
	return nearest.Names(name, names, 3)
}

// Fingerprint returns a hash of a partition's declarations: while it is the
// same, so are the bytes that a provider sees.
func (p *Pool) Fingerprint(part Partition) string {
	h := sha256.New()
	for d := range p.Declarations(part) {
		_, _ = fmt.Fprintf(h, "%d:%s%d:%s%d:%s", len(d.Name), d.Name, len(d.Description), d.Description, len(d.InputSchema), d.InputSchema)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Restrict returns the pool without what r removes.
func (p *Pool) Restrict(r Restriction) *Pool {
	reason := cmp.Or(r.Reason, "a restriction of the host")
	return p.keep(func(i Info) (bool, string) { return !r.removes(i), reason })
}

// countCall tells the session's breaker of a call, in the order of its message,
// and returns why somebody should be asked before it runs, or "".
func (p *Pool) countCall(c Call) (id breaker.Call, ask string) {
	name := c.Name
	if e, ok := p.lookup(c.Name); ok {
		name = e.info.Name
		if e.info.Polls {
			p.session.loops.Exempt(name)
		}
	}
	id = breaker.CallOf(name, c.Input)
	return id, p.session.loops.Before(id)
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
	if err := lane.Try(func() error { kept = hook(p.session, names); return nil }); err != nil {
		kept, reason = nil, "the hook that selects tools failed: "+err.Error()
	}
	return p.keep(func(i Info) (bool, string) { return slices.Contains(kept, i.Name), reason })
}

// Admit makes a call anew from its id, name and bytes, where [Executor].Invoke
// has sent it: decoded, its targets resolved, ready for the tool's Call. It
// decides nothing but what the call asks in its midst, and then asks nobody. The
// caller vouches that the call was decided where it came from.
func (p *Pool) Admit(c Call) (Tool, *Call, error) {
	e, ok := p.lookup(c.Name)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %s", ErrUnknownTool, c.Name)
	}
	c.Input = slices.Clone(c.Input)
	in, err := e.tool.input().decode(c.Input)
	if err != nil {
		return nil, nil, err
	}
	c.in = in
	c.state = &callState{session: p.session, info: &e.info, allowed: true, under: p.session.Permissions()}
	st := *c.state
	if err := lane.Try(func() error { st.traits = e.tool.Traits(&c); return nil }); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrPanic, err)
	}
	st.targets = p.session.resolve(st.traits.Targets)
	c.state = &st
	return e.tool, &c, nil
}

// keep returns a pool of the tools that ok accepts; of the others it remembers
// why.
func (p *Pool) keep(ok func(Info) (bool, string)) *Pool {
	q := &Pool{session: p.session, attached: p.attached, gone: p.gone, excluded: slices.Clone(p.excluded)}
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
	return q
}

// finish builds the index and orders the exclusions.
func (p *Pool) finish() {
	p.index = make(map[string]int, len(p.tools))
	for i, t := range p.tools {
		p.index[t.info.Name] = i
	}
	for i, t := range p.tools[:p.builtins] {
		for _, a := range t.info.Aliases {
			p.index[a] = i
		}
	}
	slices.SortStableFunc(p.excluded, func(a, b Exclusion) int { return strings.Compare(a.Name, b.Name) })
}

// ambiguous returns the servers of which toolname.Ambiguous says that a rule on
// their tools could be meant for another of the sources.
func ambiguous(sources []*source) map[string]bool {
	shared := make(map[string]bool, len(sources)) // false: one source has it
	for _, src := range sources {
		server := toolname.Server(src.name)
		_, twice := shared[server]
		shared[server] = twice
	}
	for server := range shared {
		for i := range server {
			if !strings.HasPrefix(server[i:], "__") {
				continue
			}
			if _, ok := shared[server[:i]]; ok {
				shared[server], shared[server[:i]] = true, true
			}
		}
	}
	return shared
}

// A Resolution is what an agent definition's lists come to.
type Resolution struct {
	Pool *Pool
	// Unknown are the entries that name nothing in the pool, in the order
	// given. They are the author's to see; they are no error.
	Unknown []string
	// AgentTypes are the agent types that Agent(a, b) entries limit the agent
	// to. Nil means no limit.
	AgentTypes []string
	// DisallowedAgentTypes are the agent types of disallowed Agent(a, b)
	// entries, which leave the Agent tool itself.
	DisallowedAgentTypes []string
}

// Resolve narrows p to the tools and disallowedTools lists of an agent
// definition. An entry is a name or alias, "*", "mcp__server", "mcp__server__*",
// "mcp__*", or "Agent(a, b)". A nil tools list means all tools; what disallowed
// names is removed in any case. If nothing is left although something was asked
// for, the error names the entries.
func (p *Pool) Resolve(tools, disallowed []string) (Resolution, error) {
	var res Resolution
	wanted := res.parse(p, tools, true)
	banned := res.parse(p, disallowed, false)
	res.Pool = p.keep(func(i Info) (bool, string) {
		switch {
		case matchesAny(banned, i):
			return false, "the agent's disallowedTools list it"
		case tools != nil && !matchesAny(wanted, i):
			return false, "the agent's tools do not list it"
		}
		return true, ""
	})
	if res.Pool.Len() == 0 && (len(tools) > 0 || (tools == nil && p.Len() > 0)) {
		return Resolution{}, fmt.Errorf("no tool is left for the agent: tools %q, disallowedTools %q", tools, disallowed)
	}
	return res, nil
}

func matchesAny(entries []string, i Info) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return resolves(e, i) })
}

// resolves reports whether an entry without parentheses names a tool.
func resolves(entry string, i Info) bool {
	if entry == "*" || i.answersTo(entry) {
		return true
	}
	if i.server == "" {
		return false
	}
	server, ok := strings.CutSuffix(entry, "__*")
	if !ok {
		server = entry
	}
	return entry == toolname.Prefix+"*" || server == i.server
}

// parse returns the entries that name tools. It takes out agent types and notes
// which entries name nothing.
func (r *Resolution) parse(p *Pool, entries []string, allowed bool) []string {
	var names []string
	for _, text := range entries {
		entry := strings.TrimSpace(text)
		name, list, typed := strings.Cut(entry, "(")
		typed = typed && strings.HasSuffix(list, ")") && (name == "Agent" || name == "Task")
		if typed {
			entry = name
		}
		if !slices.ContainsFunc(p.tools, func(t offered) bool { return resolves(entry, t.info) }) {
			r.Unknown = append(r.Unknown, text)
		}
		types := &r.AgentTypes
		if !allowed {
			types = &r.DisallowedAgentTypes
		}
		if typed {
			for t := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
				*types = append(*types, strings.TrimSpace(t))
			}
		}
		if allowed || !typed {
			names = append(names, entry)
		}
	}
	return names
}
