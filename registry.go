package pegboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/rank"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
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

// An AttachReport says what an Attach changed, by exposed name.
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
	if err := checkName(name); err != nil {
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
//  5. the restrictions of the role, then those of cfg, then what the session's
//     Select hooks leave out.
//
// [Pool.Explain] and [Pool.Excluded] say what was left out, and why.
func (r *Registry) AssemblePool(s *Session, cfg PoolConfig) *Pool {
	s.mustExist("AssemblePool")
	return assemble(r, s, &cfg)
}

// snapshot returns the present catalog.
func (r *Registry) snapshot() catalog {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.now
}
