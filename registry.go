package pegboard

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/rank"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Registry is the set of a host's tools. [Registry.AssemblePool] selects those that an
// agent may use. The zero value is empty and ready to use.
//
// # Concurrency
//
// All methods may be called concurrently. A pool is a snapshot: later changes of the
// registry do not change it.
type Registry struct {
	mu      sync.RWMutex           // guards byName and now
	byName  map[string]claimedName // names and aliases of the built-in tools, by lower case
	now     catalog
	known   knownDefinitions
	library rank.Library // search indices of sources, shared by the pools
}

// Add adds built-in tools: all of them, or none and an error. The error wraps
// [ErrDuplicate] if a name or alias is taken, in whatever letter case. A name that no
// rule could name, such as "*" or "Tool(x)", is an error, too.
func (r *Registry) Add(tools ...Tool) error {
	entries := make([]*entry, 0, len(tools))
	for _, t := range tools {
		e, err := newEntry(t)
		if err != nil {
			return err
		}
		if err := e.checkRuleNames(); err != nil {
			return err
		}
		e.cacheDeclaration(t)
		entries = append(entries, &e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := maps.Clone(r.byName)
	if taken == nil {
		taken = map[string]claimedName{}
	}
	for _, e := range entries {
		if err := claimNames(taken, &e.info); err != nil {
			return err
		}
	}
	r.byName = taken
	r.now.builtins = slices.SortedFunc(slices.Values(slices.Concat(r.now.builtins, entries)), byName)
	return nil
}

// A claimedName is a name or alias of a built-in tool.
type claimedName struct{ name, owner string }

// claimNames adds the name and the aliases of a tool to the claimed ones, by their names
// in lower case.
func claimNames(claimed map[string]claimedName, i *Info) error {
	for _, name := range append([]string{i.Name}, i.Aliases...) {
		folded := strings.ToLower(name)
		before, ok := claimed[folded]
		switch {
		case ok && before.name == name:
			return &BuildError{Tool: i.Name, Field: "Info.Name", Err: fmt.Errorf("%w: %q is taken by %s", ErrDuplicate, name, before.owner)}
		case ok && before.owner != i.Name:
			return &BuildError{Tool: i.Name, Field: "Info.Name", Err: fmt.Errorf("%w: %q differs only in letter case from %q of %s, and a rule for one would be taken for the other", ErrDuplicate, name, before.name, before.owner)}
		}
		claimed[folded] = claimedName{name, i.Name}
	}
	return nil
}

// An AttachReport lists the changes of an Attach, by exposed name.
type AttachReport struct {
	Added, Removed, Changed []string
	// Quarantined holds the tools that cannot be offered, by their name at the source,
	// each with the reason.
	Quarantined map[string]error
	// NameConflicts holds tools that are offered although their name resembles another
	// tool's of the same source: by their name at the source, with that other name. A
	// rule for either name is about that tool only.
	NameConflicts map[string]string
	// SourceConflicts holds the names of other sources, attached now, that a rule for this
	// one could mean as well, sorted: those whose names differ in punctuation alone, and git
	// for git__hub, whose tools could be those of git that begin with hub. An allow rule that
	// could mean both is for the source whose name it spells, or that was attached first; it
	// does not cover the other's tools.
	SourceConflicts []string
}

// Attach adds a source of tools, such as an MCP server. Info.Name is a tool's name at the
// source; the model sees mcp__source__name. A tool that cannot be offered is left out and
// listed in the report; the others are offered.
//
// It is an error that wraps [ErrDuplicate] if a source of that name is attached: rules for
// the first would cover the tools of the second. [Registry.Replace] changes the tools of a
// source. It is an error, too, if the name has no letter and no digit, or a control
// character. Then nothing changes.
//
// The order of attaching counts where the names of sources could be confused, see
// [AttachReport]. A host whose servers start in any order attaches each without tools, in the
// order of its configuration, and replaces these when the server has listed its own. A source
// that was detached and comes back has its old place.
func (r *Registry) Attach(name string, tools ...Tool) (AttachReport, error) {
	return r.set(name, tools, false)
}

// Replace replaces the tools of a source that is attached, for example when an MCP server's
// list changes. It is otherwise like [Registry.Attach]. It is an error that wraps
// [ErrNotAttached] if there is no such source.
func (r *Registry) Replace(name string, tools ...Tool) (AttachReport, error) {
	return r.set(name, tools, true)
}

// set gives a source its tools. Attached says whether the source must be there, or must not.
func (r *Registry) set(name string, tools []Tool, attached bool) (AttachReport, error) {
	if err := plain.CheckName(name); err != nil {
		return AttachReport{}, fmt.Errorf("source: %w", err)
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return AttachReport{}, fmt.Errorf("source: the name %q holds no letter and no digit", name)
	}
	next := newSource(name, tools)
	var names []string
	report := difference(r.snapshot().source(name), next) // without the lock, since it calls the tools
	for _, e := range next.tools {
		names = append(names, e.info.Origin.Tool)
	}
	report.NameConflicts = toolname.Lookalikes(names)
	hashes := make(map[string]string, len(next.tools))
	for i := range next.tools {
		hashes[next.tools[i].info.Origin.Tool] = next.tools[i].fingerprint() // likewise
	}

	if len(report.Added)+len(report.Removed)+len(report.Changed) > 0 {
		defer r.library.Forget(name) // without the lock: another goroutine may be making an index
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch there := r.now.source(name) != nil; {
	case there && !attached:
		return AttachReport{}, fmt.Errorf("source: %w: %q is attached; rules for it would cover the tools of both", ErrDuplicate, name)
	case !there && attached:
		return AttachReport{}, fmt.Errorf("source: %w: %q", ErrNotAttached, name)
	}
	redefined := r.known.compare(name, hashes)
	for i := range next.tools {
		next.tools[i].redefined = redefined[next.tools[i].info.Origin.Tool]
	}
	r.now = r.now.replace(name, next)
	report.SourceConflicts = r.now.conflicts(name)
	return report, nil
}

// Fingerprints returns those of all tools that were ever attached to r: of the definition that
// was attached first, that [Registry.Expect] named, or that a user has allowed since. A host
// saves them with the rules that it remembers.
//
// While the definition of a tool is another one, allow rules that name the tool do not count,
// until a user has allowed one of its calls. Allow rules for the whole source do, and deny and
// ask rules always.
func (r *Registry) Fingerprints() Fingerprints { return r.known.all() }

// Expect says which definitions were known before, as a process that has ended got them from
// [Registry.Fingerprints]. It concerns tools that are attached or replaced afterwards.
func (r *Registry) Expect(known Fingerprints) { r.known.add(known) }

// Detach removes the tools of a source.
func (r *Registry) Detach(source string) {
	defer r.library.Forget(source) // without the lock: another goroutine may be making an index
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.replace(source, nil)
}

// SetDescription sets the description of a source, which need not be attached. A search
// for tools considers it, and the model is shown it if there are too many tools to name,
// see [Pool.Announce]. An MCP server's instructions are such a text. An empty text removes
// the description.
func (r *Registry) SetDescription(source, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	about := maps.Clone(r.now.about)
	if about == nil {
		about = map[string]string{}
	}
	if about[source] = text; text == "" {
		delete(about, source)
	}
	r.now.about = about
}

// AssemblePool returns a snapshot of the tools that s may use now:
//
//  1. built-in tools that are not special, not denied as a whole, not hidden
//     by a gate, and enabled in s;
//  2. external tools that are neither denied, by name or server, nor disabled;
//  3. each partition sorted by name, the built-ins first;
//  4. one tool for each name: a built-in wins, and among external tools the one
//     whose source and name sort first;
//  5. the restrictions of the role, then those of cfg, then the choice of the
//     session's Select hooks.
//
// [Pool.Explain] and [Pool.Excluded] say which tools were left out, and why.
func (r *Registry) AssemblePool(s *Session, cfg PoolConfig) *Pool {
	s.mustExist("AssemblePool")
	p := assemble(r, s, &cfg)
	s.results.pool.Store(p)
	return p
}

// snapshot returns the present catalog.
func (r *Registry) snapshot() catalog {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.now
}

// A source holds the tools of one source. It is never written to after newSource.
type source struct {
	name, server string           // server is the prefix of its tools' names
	tools        []entry          // sorted by exposed name, which is unique
	quarantined  map[string]error // by raw name
	exclusions   []Exclusion      // the quarantined tools as a pool reports them, sorted by raw name
}

// newSource takes the tools of a source, and quarantines those that cannot be offered.
func newSource(name string, tools []Tool) *source {
	s := &source{name: name, server: toolname.Server(name), tools: make([]entry, 0, len(tools)), quarantined: map[string]error{}}
	for i, t := range tools {
		e, err := newExternalEntry(name, t)
		switch raw := e.info.Origin.Tool; {
		case err != nil && raw == "":
			s.quarantined[fmt.Sprintf("tool %d", i+1)] = err
		case err != nil:
			s.quarantined[raw] = err
		default:
			e.cacheDeclaration(t)
			s.tools = append(s.tools, e)
		}
	}
	s.makeNamesUnique()
	for _, raw := range slices.Sorted(maps.Keys(s.quarantined)) {
		s.exclusions = append(s.exclusions, Exclusion{
			Name:   toolname.Exposed(name, raw),
			Origin: Origin{Source: name, Tool: raw},
			Reason: "quarantined: " + s.quarantined[raw].Error(),
		})
	}
	return s
}

// offers returns the tools of s, or nil if s is nil.
func (s *source) offers() []entry {
	if s == nil {
		return nil
	}
	return s.tools
}

// makeNamesUnique keeps one tool for each exposed name: the exact one, or the one whose
// raw name sorts first. The order in which the source lists them does not matter.
func (s *source) makeNamesUnique() {
	slices.SortStableFunc(s.tools, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.info.Name, b.info.Name), exactFirst(&a, &b), cmp.Compare(a.info.Origin.Tool, b.info.Origin.Tool))
	})
	kept := s.tools[:0]
	for _, e := range s.tools {
		if n := len(kept); n > 0 && kept[n-1].info.Name == e.info.Name {
			s.quarantined[e.info.Origin.Tool] = fmt.Errorf("%w: the source offers %s already", ErrDuplicate, e.info.Name)
			continue
		}
		kept = append(kept, e)
	}
	clear(s.tools[len(kept):])
	s.tools = kept
}

// A catalog is a snapshot of a registry, in the order of a pool. It is sorted when a
// source changes, so that it need not be sorted for every pool. It is immutable: a change
// makes a new catalog.
type catalog struct {
	builtins []*entry                  // sorted by name
	sources  []*source                 // sorted by name
	external []*entry                  // the tools of all sources, sorted by byNameAndSource
	clashes  map[string]toolname.Clash // of servers whose names could mean another one
	ages     map[string]int            // of sources, also of those that were detached: the smallest is the oldest
	removed  map[string]string         // exposed names that are no longer offered, with their source
	about    map[string]string         // descriptions of sources
}

// source returns the source called name, or nil.
func (c catalog) source(name string) *source {
	if at, ok := c.find(name); ok {
		return c.sources[at]
	}
	return nil
}

func (c catalog) find(name string) (at int, ok bool) {
	return slices.BinarySearchFunc(c.sources, name, func(s *source, name string) int { return cmp.Compare(s.name, name) })
}

// describe returns the description of the source whose tools have that prefix, or "".
func (c catalog) describe(server string) string {
	for _, s := range c.sources {
		if s.server == server && c.about[s.name] != "" {
			return c.about[s.name]
		}
	}
	return ""
}

// replace returns the catalog with next instead of the source called name, or without
// that source if next is nil.
func (c catalog) replace(name string, next *source) catalog {
	at, known := c.find(name)
	old, rest := c.source(name), c.sources[at:]
	if known {
		rest = rest[1:]
	}
	var added []*source
	if next != nil {
		added = []*source{next}
	}
	c.sources = slices.Concat(c.sources[:at], added, rest)
	c.external = splice(c.external, old.offers(), next.offers())
	c.removed = updateRemoved(c.removed, old, next)
	if known != (next != nil) {
		c.ages = c.withAge(name)
		c.clashes = toolname.Clashes(c.servers())
	}
	return c
}

// withAge returns the ages of the sources with that of name. A source that was there before
// has its old one, so that no other can take its place while it reconnects.
func (c catalog) withAge(name string) map[string]int {
	if _, ok := c.ages[name]; ok {
		return c.ages
	}
	ages := maps.Clone(c.ages)
	if ages == nil || len(ages) >= maxRemoved { // only those that are attached keep theirs
		ages = map[string]int{}
		for _, src := range c.byAge() {
			if src.name != name {
				ages[src.name] = len(ages)
			}
		}
	}
	ages[name] = len(ages)
	return ages
}

// byAge returns the sources, the oldest first.
func (c catalog) byAge() []*source {
	return slices.SortedFunc(slices.Values(c.sources), func(a, b *source) int { return cmp.Compare(c.ages[a.name], c.ages[b.name]) })
}

// servers returns the prefixes of all sources, the oldest first.
func (c catalog) servers() []string {
	var servers []string
	for _, src := range c.byAge() {
		servers = append(servers, src.server)
	}
	return servers
}

// knows reports whether name is that of an external tool or of a server.
func (c catalog) knows(name string) bool {
	if slices.ContainsFunc(c.sources, func(s *source) bool { return s.server == name }) {
		return true
	}
	_, ok := slices.BinarySearchFunc(c.external, name, func(e *entry, name string) int { return cmp.Compare(e.info.Name, name) })
	return ok
}

// splice returns list without old, which list contains, and with next. All three are
// sorted by byNameAndSource.
func splice(list []*entry, old, next []entry) []*entry {
	out := make([]*entry, 0, len(list)-len(old)+len(next))
	for _, e := range list {
		if len(old) > 0 && e == &old[0] {
			old = old[1:]
			continue
		}
		for len(next) > 0 && byNameAndSource(&next[0], e) < 0 {
			out, next = append(out, &next[0]), next[1:]
		}
		out = append(out, e)
	}
	for i := range next {
		out = append(out, &next[i])
	}
	return out
}

func byName(a, b *entry) int { return cmp.Compare(a.info.Name, b.info.Name) }

func byNameAndSource(a, b *entry) int {
	return cmp.Or(byName(a, b), exactFirst(a, b), cmp.Compare(a.info.Origin.Source, b.info.Origin.Source))
}

func exactFirst(a, b *entry) int {
	switch x, y := a.info.exact(), b.info.exact(); {
	case x && !y:
		return -1
	case y && !x:
		return 1
	}
	return 0
}

// maxRemoved limits how many names of removed tools are kept, so that a model that calls
// one is told why it is not there.
const maxRemoved = 1000

// updateRemoved returns removed with the names that old offers and next does not, and
// without those that next offers.
func updateRemoved(removed map[string]string, old, next *source) map[string]string {
	if len(removed) > maxRemoved {
		removed = nil
	}
	var lost, back []string
	for before, after := range pairs(old, next) {
		if after == nil {
			lost = append(lost, before.info.Name)
		} else if _, ok := removed[after.info.Name]; ok {
			back = append(back, after.info.Name)
		}
	}
	if len(lost)+len(back) == 0 {
		return removed
	}
	removed = maps.Clone(removed)
	if removed == nil {
		removed = map[string]string{}
	}
	for _, name := range lost {
		removed[name] = old.name
	}
	for _, name := range back {
		delete(removed, name)
	}
	return removed
}

// difference returns what changes when next replaces old.
func difference(old, next *source) AttachReport {
	report := AttachReport{Quarantined: maps.Clone(next.quarantined)}
	for before, after := range pairs(old, next) {
		switch {
		case before == nil:
			report.Added = append(report.Added, after.info.Name)
		case after == nil:
			report.Removed = append(report.Removed, before.info.Name)
		case before.info.annotations != after.info.annotations, before.info.RequiresUser != after.info.RequiresUser, !sameDeclaration(before.tool, after.tool):
			report.Changed = append(report.Changed, after.info.Name)
		}
	}
	return report
}

// pairs yields the tools of two sources by exposed name: the tool before and the tool
// after, one of which may be nil. Either source may be nil.
func pairs(old, next *source) iter.Seq2[*entry, *entry] {
	return func(yield func(before, after *entry) bool) {
		a, b := old.offers(), next.offers()
		for len(a) > 0 || len(b) > 0 {
			var before, after *entry
			switch {
			case len(b) == 0 || (len(a) > 0 && byName(&a[0], &b[0]) < 0):
				before, a = &a[0], a[1:]
			case len(a) == 0 || byName(&a[0], &b[0]) > 0:
				after, b = &b[0], b[1:]
			default:
				before, after, a, b = &a[0], &b[0], a[1:], b[1:]
			}
			if !yield(before, after) {
				return
			}
		}
	}
}

// sameDeclaration reports whether a model would see no difference. A tool that cannot
// declare itself without a session counts as changed.
func sameDeclaration(a, b Tool) bool {
	var x, y Declaration
	err := goroutine.Try(func() error {
		x, _ = a.Declare(Scope{})
		y, _ = b.Declare(Scope{})
		return nil
	})
	return err == nil && x.Description == y.Description && string(x.InputSchema) == string(y.InputSchema) && string(x.OutputSchema) == string(y.OutputSchema)
}

// ambiguity reports whether allow rules for a tool could be meant for another source. If several
// names become one exposed name, a rule is meant for the exact one. If one server's name
// continues another's, it is meant for the older one, unless both have a tool of that name.
func (c catalog) ambiguity(i *Info) policy.Ambiguity {
	clash, ok := c.clashes[i.server]
	below := func(server string) bool { return i.Name == server || strings.HasPrefix(i.Name, server+"__") }
	switch {
	case !ok:
		return policy.Unambiguous
	case clash.Nested, clash.Folded && i.server != toolname.Prefix+i.Origin.Source, slices.ContainsFunc(clash.Older, below), c.offersElsewhere(i):
		return policy.SharedName
	}
	return policy.Unambiguous
}

// offersElsewhere reports whether another server has a tool of the same exposed name.
func (c catalog) offersElsewhere(i *Info) bool {
	at, _ := slices.BinarySearchFunc(c.external, i.Name, func(e *entry, name string) int { return cmp.Compare(e.info.Name, name) })
	for ; at < len(c.external) && c.external[at].info.Name == i.Name; at++ {
		if c.external[at].info.server != i.server {
			return true
		}
	}
	return false
}

// conflicts returns the names of the sources that a rule for the source called name could
// mean as well, sorted.
func (c catalog) conflicts(name string) (others []string) {
	server := toolname.Server(name)
	for _, s := range c.sources {
		if s.name != name && (s.server == server || strings.HasPrefix(s.server, server+"__") || strings.HasPrefix(server, s.server+"__")) {
			others = append(others, s.name)
		}
	}
	return others
}
